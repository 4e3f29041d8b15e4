"""`astgen compile` on models that work, and on some whose results differ."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import black
import pytest
import torch
from click.testing import CliRunner

from astgen.check import check
from astgen.cli import main
from astgen.cli.demo import decoder
from astgen.program import Program
from astgen.review.programs import read_programs


@pytest.fixture(scope="module")
def built_in(tmp_path_factory):
    """One run on the built-in model: its result and the file that it wrote."""
    directory = tmp_path_factory.mktemp("out")
    result = CliRunner().invoke(
        main, ["compile", "-o", str(directory)], catch_exceptions=False
    )
    return result, directory


def rows(result, head):
    """The rows of the table whose head begins with `head`, as lists of words."""
    lines = iter(result.stdout.splitlines())
    for line in lines:
        if line.split()[: len(head)] == head:
            break
    table = []
    for line in lines:
        if not line.strip():
            break
        table.append(line.split())
    return table


def test_the_built_in_model_is_equal_to_eager(built_in):
    result, _ = built_in
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "equal: 3 of 3 runs, bit for bit"


def test_the_built_in_model_runs_on_two_lengths_and_is_captured_once(built_in):
    result, _ = built_in
    runs = rows(result, ["run", "values"])
    assert {re.search(r"\[2, (\d+)\]", " ".join(run))[1] for run in runs} == {
        "32",
        "16",
    }
    assert all(run[-1] == "equal" for run in runs)
    assert len(rows(result, ["graph", "nodes"])) == 1


def test_the_numbers_in_the_table_are_those_of_the_source(built_in):
    result, directory = built_in
    ((_, nodes, pieces, inlined, constants, lines, path),) = rows(
        result, ["graph", "nodes"]
    )
    text = Path(path).read_text()
    assert Path(path).parent == directory
    assert int(nodes) > 100
    # Four layers: an attention each, and what is before, between and behind.
    assert int(pieces) == 9
    assert int(inlined) == text.count("\ndef __vllm_inlined_submods__")
    assert int(constants) == len(set(re.findall(r"__vllm_consts__\[(\d+)\]", text)))
    assert int(lines) == len(text.splitlines())


def test_each_stage_has_a_time(built_in):
    result, _ = built_in
    head = ["graph", "capture", "split", "pieces", "generate", "check", "check+build"]
    ((_, *times),) = rows(result, head)
    assert len(times) == len(head) - 1
    assert all(float(time) > 0 for time in times)
    ((_, generated, fx, _),) = rows(result, ["graph", "generated", "torch.fx"])
    assert float(generated) > 0 and float(fx) > 0


def test_black_and_the_checker_leave_the_written_file_alone(built_in):
    _, directory = built_in
    (path,) = directory.iterdir()
    text = path.read_text()
    assert black.format_str(text, mode=black.Mode()) == text
    assert check(text, consts=0, submods=9) == ()


def test_the_written_file_is_what_ran(astgen, model_file, monkeypatch):
    compiled = []

    def spy(self, callables=None):
        compiled.append(self.code)
        return original(self, callables)

    original = Program.compile
    monkeypatch.setattr(Program, "compile", spy)
    target = f"{model_file()}:factory"
    result = astgen("compile", target, "--split", "softmax", "-o", "here/and/there")
    assert result.exit_code == 0
    (path,) = Path("here/and/there").iterdir()
    assert path.name == "factory_0.py"
    assert path.read_bytes().decode() in compiled


def test_the_built_in_model_is_the_same_every_time_and_leaves_the_seed_alone():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    (first, (tokens,)), (second, (more,)) = decoder(), decoder()
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(tokens, more)
    with torch.no_grad():
        assert torch.equal(first(tokens), second(tokens))
        assert first(tokens).std() > 0.1


def test_progress_goes_to_stderr_and_can_be_switched_off(astgen, model_file):
    target = f"{model_file()}:factory"
    loud = astgen("compile", target)
    assert "astgen: importing torch\n" in loud.stderr
    assert "astgen: compiling graph 0 of" in loud.stderr
    assert "importing torch" not in loud.stdout
    assert astgen("compile", target, "-q").stderr == ""


def test_static_sizes_give_a_graph_for_each_size(astgen):
    result = astgen("compile", "--static")
    assert result.exit_code == 0
    assert len(rows(result, ["graph", "nodes"])) == 2
    assert sorted(p.name for p in Path("astgen-out").iterdir()) == [
        "decoder_0.py",
        "decoder_1.py",
    ]


def test_a_size_that_the_factory_marks_is_varied(astgen, model_file):
    model = model_file("""
        def marked():
            model, (x,) = factory()
            torch._dynamo.mark_dynamic(x, 0, min=3, max=9)
            return model, (), {"x": x}
        """)
    result = astgen("compile", f"{model}:marked", "--split", "softmax")
    assert result.exit_code == 0
    assert "shuffled, resized  float32[4, 4]  equal" in result.stdout
    assert len(rows(result, ["graph", "nodes"])) == 1


def test_without_a_mark_no_size_is_varied(astgen, model_file):
    model = model_file("""
        class Counts(Model):
            def forward(self, x):
                return super().forward(x) * x.shape[0]

        def counts():
            return Counts(), (torch.ones(3, 4),)
        """)
    result = astgen("compile", f"{model}:counts", "--dynamic")
    static = astgen("compile", f"{model}:counts", "--static")
    assert result.exit_code == static.exit_code == 0
    assert [run[1] for run in rows(result, ["run", "values"])] == ["given", "shuffled"]
    # The sizes are inputs of the graph.
    ((_, dynamic_nodes, *_),) = rows(result, ["graph", "nodes"])
    ((_, static_nodes, *_),) = rows(static, ["graph", "nodes"])
    assert int(dynamic_nodes) > int(static_nodes)


def test_a_module_of_a_package_is_a_target(astgen, model_file, tmp_path):
    (tmp_path / "package").mkdir()
    model_file(name="package/models_of_mine.py")
    result = astgen("compile", "package.models_of_mine:factory")
    assert result.exit_code == 0, result.output


def test_a_file_imports_what_lies_beside_it(astgen, model_file, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "sibling_of_mine.py").write_text("SIZE = 4\n")
    target = model_file("from sibling_of_mine import SIZE\n", name="deep/my-model 2.py")
    assert astgen("compile", f"{target}:factory").exit_code == 0


def test_graph_breaks_give_a_row_and_a_file_each(astgen, model_file):
    model = model_file("""
        class Breaks(Model):
            def forward(self, x):
                y = super().forward(x)
                torch._dynamo.graph_break()
                return F.softmax(y, 0) + x

        def broken():
            return Breaks(), (torch.ones(3, 4),)
        """)
    result = astgen("compile", f"{model}:broken", "--split", "softmax")
    assert result.exit_code == 0
    graphs = rows(result, ["graph", "nodes"])
    assert [graph[0] for graph in graphs] == ["0", "1"]
    assert len({Path(graph[-1]).read_text() for graph in graphs}) == 2
    assert len(rows(result, ["graph", "capture"])) == 2
    assert len(rows(result, ["graph", "generated"])) == 2


def test_a_model_without_the_operator_is_noted(astgen, model_file):
    target = f"{model_file()}:factory"
    noted = "Note: nothing to stitch, no graph has an operator silu"
    assert noted in astgen("compile", target, "--split", "silu").stdout
    stitched = astgen("compile", target, "--split", "softmax")
    assert "nothing to stitch" not in stitched.stdout


def test_files_of_an_earlier_run_are_noted_and_left_alone(astgen, model_file, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("factory_1.py", "factory_2_mine.py", "other_1.py"):
        (out / name).write_text("kept")
    target = f"{model_file()}:factory"
    result = astgen("compile", target, "--split", "softmax", "-o", "out")
    notes = [line for line in result.stdout.splitlines() if "earlier run" in line]
    assert notes == [f"Note: {Path('out', 'factory_1.py')} is left from an earlier run"]
    assert (out / "factory_1.py").read_text() == "kept"


def test_a_factory_may_change_the_directory(astgen, model_file, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    model = model_file("""
        import os

        def moves():
            os.chdir("elsewhere")
            return factory()
        """)
    result = astgen("compile", f"{model}:moves", "--split", "softmax", "-o", "out")
    assert result.exit_code == 0
    assert (tmp_path / "out" / "moves_0.py").exists()


def test_inductor_pieces_are_compared_within_a_tolerance_that_is_shown(
    astgen, model_file
):
    target = f"{model_file()}:factory"
    result = astgen("compile", target, "--pieces", "inductor", "--split", "softmax")
    assert result.exit_code == 0, result.output
    last = result.stdout.splitlines()[-1]
    assert last.startswith("equal within tolerance: ")
    assert last.endswith("relative and absolute 0.001 (float32)")


def test_results_that_differ_are_shown_and_exit_1(astgen, model_file):
    model = model_file("""
        class Cheats(Model):
            def forward(self, x):
                result = {"logits": [super().forward(x)]}
                if torch.compiler.is_compiling():
                    result["logits"][0] = result["logits"][0] + 1
                return result

        def cheats():
            return Cheats(), (torch.ones(3, 4),)
        """)
    result = astgen("compile", f"{model}:cheats")
    assert result.exit_code == 1
    assert (
        "['result']['logits'][0]: 12 of 12 elements differ, by 1 at most"
        in result.stdout
    )
    assert result.stdout.splitlines()[-1] == "not equal: 2 of 2 runs"
    assert Path("astgen-out/cheats_0.py").exists()


def test_artifacts_know_where_the_source_comes_from(astgen, model_file):
    result = astgen("compile", f"{model_file()}:factory", "--artifacts", "-q")
    assert result.exit_code == 0
    (program,) = read_programs("astgen-out/factory_0.astgen")
    assert program.code == Path("astgen-out/factory_0.py").read_text()
    places = program.provenance.functions["execution_fn"].statements
    assert {one.source.file for one in places if one and one.source} == {"model.py"}
    again = astgen("compile", f"{model_file()}:factory", "-q")
    assert "factory_0.astgen is left from an earlier run" in again.stdout


def test_findings_of_the_checker_exit_1(astgen, model_file, monkeypatch):
    def generate(gm, **options):
        program = original(gm, **options)
        return Program(program.code + "\nimport os\n", program.submod_names)

    module = importlib.import_module("astgen.backend.backend")
    original = module.generate
    monkeypatch.setattr(module, "generate", generate)
    result = astgen("compile", f"{model_file()}:factory", "-q")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "was refused with 1 finding" in result.stderr
    assert "'os'" in result.stderr


def test_a_model_in_training_mode_stays_in_it_and_draws_the_same_numbers(
    astgen, model_file
):
    model = model_file("""
        class Drops(Model):
            def forward(self, x):
                return F.dropout(super().forward(x), training=self.training)

        def drops():
            return Drops(), (torch.ones(3, 4),)
        """)
    result = astgen("compile", f"{model}:drops", "--split", "dropout")
    assert result.exit_code == 0, result.output
    assert "Note: the model is in training mode" in result.stdout
    (path,) = Path("astgen-out").iterdir()
    assert "dropout" in path.read_text()


def test_what_a_model_changes_in_itself_and_its_arguments_is_compared(
    astgen, model_file
):
    model = model_file("""
        class Counts(nn.Module):
            wrong = 0

            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.zeros(4))
                self.calls = 0

            def forward(self, x, cache):
                self.calls += 1
                self.total += x.sum(0) * self.calls
                cache[0].add_(x)
                if torch.compiler.is_compiling():
                    cache[0].add_(self.wrong)
                return self.total * 2

        def right():
            return Counts(), (torch.ones(3, 4), [torch.ones(3, 4)])

        def wrong():
            model, args = right()
            model.wrong = 1
            return model, args
        """)
    assert astgen("compile", f"{model}:right").exit_code == 0
    result = astgen("compile", f"{model}:wrong")
    assert result.exit_code == 1
    assert "['args'][1][0]: 12 of 12 elements differ" in result.stdout


def test_a_model_without_tensor_arguments(astgen, model_file):
    model = model_file("""
        class Constant(Model):
            def forward(self, n):
                return super().forward(torch.ones(3, 4)) + n

        def constant():
            return Constant(), (2,)
        """)
    result = astgen("compile", f"{model}:constant")
    assert result.exit_code == 0, result.output
    assert "no tensors" in result.stdout


def test_inputs_that_the_model_does_not_take_are_replaced_by_the_given_ones(
    astgen, model_file
):
    model = model_file("""
        class Picky(Model):
            def forward(self, x):
                if not torch.compiler.is_compiling():
                    if (x[0] != 0).any():
                        raise ValueError("the first row is not zero")
                return super().forward(x)

        def picky():
            x = torch.ones(3, 4)
            x[0] = 0
            return Picky(), (x,)
        """)
    result = astgen("compile", f"{model}:picky")
    assert result.exit_code == 0, result.output
    assert "given, again" in result.stdout
    assert (
        "Note: the model does not take shuffled inputs: ValueError: the first row "
        "is not zero (model.py:" in result.stdout
    )


def test_colour_is_for_terminals_without_no_color(model_file, monkeypatch):
    args = ["compile", f"{model_file()}:factory", "-q"]
    green = "\x1b[32mequal\x1b[0m"
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert green in CliRunner().invoke(main, args, color=True).stdout
    assert "\x1b" not in CliRunner().invoke(main, args).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(main, args, color=True).stdout
