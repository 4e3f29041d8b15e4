"""The benchmark: its statistics, its peers, and all of its rows at the smallest size."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result
from torch import fx, nn

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import bench  # noqa: E402
import bench_floor  # noqa: E402
import bench_graphs  # noqa: E402
import bench_pairs  # noqa: E402
import bench_peers  # noqa: E402
import bench_report  # noqa: E402
import bench_rows  # noqa: E402
import bench_scale  # noqa: E402

# Another generator: FX's own text, in vLLM's two functions.
UPSTREAM = """
import torch


def generate_execution_code(split_gm):
    kept["gm"] = split_gm
    return split_gm.code, [name for name, _ in split_gm.named_children()], []


def compile_execution_fn(code, callables, names, consts=None):
    namespace = {"torch": torch, "device": torch.device}
    exec(code, namespace)

    class Pieces:
        pass

    pieces = Pieces()
    for name, child in kept["gm"].named_children():
        setattr(pieces, name, callables.get(name, child))
    return lambda *args: namespace["forward"](pieces, *args)


kept = {}
"""
SMALL = ["--pairs", "2", "--scale", "8,12", "--graphs", "chain:8"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(bench.main, arguments)


def rows_of(path: Path) -> list[tuple[str, str, str, str]]:
    found = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return [(row["group"], row["what"], row["graph"], row["peer"]) for row in found]


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    path = tmp_path / "codegen.py"
    path.write_text(UPSTREAM, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_peers, "_installed", lambda: None)


@pytest.fixture(scope="module")
def subjects() -> dict[str, bench_graphs.Subject]:
    graphs = {
        "pure80": bench_graphs.pure80(),
        "stitching80": bench_graphs.stitching80(),
        "inlined80x50": bench_graphs.inlined80x50(),
        "chain": bench_graphs.chain(20),
    }
    return {name: bench_graphs.subject_of(name, gm) for name, gm in graphs.items()}


def test_a_spread_is_what_statistics_say_of_known_numbers() -> None:
    found = bench_pairs.spread([4.0, 1.0, 10.0, 3.0, 2.0])
    assert (found.median, found.mean, found.count) == (3.0, 4.0, 5)
    assert (found.low_quartile, found.high_quartile) == (2.0, 4.0)
    assert (found.least, found.most) == (1.0, 10.0)
    assert bench_pairs.spread([7.0]).median == bench_pairs.spread([7.0]).most == 7.0


def test_a_ratio_is_the_median_of_the_ratios_of_the_pairs() -> None:
    # The machine was ten times slower in the second pair; both sides felt it.
    found = bench_pairs.compare([1.0, 20.0, 3.0], [2.0, 10.0, 1.0])
    assert found.ratio.median == 2.0
    assert (found.ratio.least, found.ratio.most) == (0.5, 3.0)
    assert found.ratio_of_means == pytest.approx(24 / 13)
    assert (found.ours.median, found.peer.median) == (3.0, 2.0)
    with pytest.raises(ValueError):
        bench_pairs.compare([1.0], [1.0, 2.0])


def test_sides_take_turns_in_coming_first() -> None:
    order: list[str] = []

    def side(name: str) -> Callable[[], int]:
        def take() -> int:
            order.append(name)
            return len(order)

        return take

    found = bench_pairs.in_turns(side("a"), side("b"), 3)
    assert "".join(order) == "abbaab"
    assert found == ([1, 4, 5], [2, 3, 6])


def test_a_figure_is_the_time_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    given: list[tuple[Any, ...]] = []

    def function(*args: Any) -> None:
        given.append(args)
        now[0] += 0.002

    monkeypatch.setattr(time, "process_time", lambda: now[0])
    figure = bench_pairs.stopwatch(function, (1, 2), seconds=0.01)
    before = len(given)
    assert figure() == pytest.approx(2.0)
    # Enough calls for ten milliseconds.
    assert len(given) - before >= 5
    assert set(given) == {(1, 2)}


@pytest.mark.parametrize("name", ["pure80", "stitching80", "inlined80x50", "chain"])
def test_all_sides_compute_what_the_interpreter_computes(
    subjects: dict[str, bench_graphs.Subject], name: str
) -> None:
    for side in [bench_rows.OURS, *bench_rows.sides(None)]:
        assert bench_rows.held_against(subjects[name], side) is None, side.name


def test_graphs_have_the_shape_that_they_are_named_after(
    subjects: dict[str, bench_graphs.Subject],
) -> None:
    nodes = {name: list(one.gm.graph.nodes) for name, one in subjects.items()}
    weights = [
        node
        for node in nodes["pure80"]
        if isinstance(node.meta.get("example_value"), nn.Parameter)
    ]
    assert len(weights) == 480 and {len(node.name) for node in weights} == {80}
    assert len(subjects["pure80"].results) == 161
    assert len(subjects["stitching80"].results) == 81
    assert not subjects["inlined80x50"].results
    children = list(subjects["inlined80x50"].gm.children())
    assert len(children) == 80
    assert all(isinstance(child, fx.GraphModule) for child in children)
    assert len(nodes["chain"]) == 20 + 2


class Every(nn.Module):
    """What the floor has to spell: constants, containers, methods, attributes."""

    offset: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("offset", torch.arange(4.0))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        both = torch.cat([x, y], dim=0).to(torch.float64)
        part = both[1:3].clamp(max=float("inf"))
        return {"a": (part,), "b": [part.add(self.offset[:2], alpha=2), x.shape]}


def test_the_floor_knows_all_that_graphs_hold() -> None:
    gm = fx.symbolic_trace(Every())
    args = (torch.randn(3), torch.randn(2))
    found = bench_floor.floor(gm, {})(*args)
    expected = fx.Interpreter(gm).run(*args)
    assert torch.equal(found["a"][0], expected["a"][0])
    assert torch.equal(found["b"][0], expected["b"][0])
    assert found["b"][1] == expected["b"][1]


def test_the_floor_refuses_inputs_that_it_does_not_know() -> None:
    graph = fx.Graph()
    graph.output((graph.placeholder("x", default_value=1),))
    with pytest.raises(ValueError, match="defaults"):
        bench_floor.floor(fx.GraphModule(nn.Module(), graph), {})


def test_the_floor_frees_values_but_no_weights() -> None:
    gm = bench_graphs.chain(8)
    entry = bench_floor._Text(bench_graphs.piece_stubs(gm))
    name = entry.function(gm)
    assert [line.strip() for line in entry.lines] == [
        f"def {name}(v0, v1, v5):",
        *("v2 = c0(v0, v1)", "del v0", "v2[0]", "v4 = v2[1]", "del v2"),
        *("v6 = c1(v4, v5)", "del v4", "v6[0]", "v8 = v6[1]", "del v6"),
        "return (v8,)",
    ]


def test_all_rows_are_there_with_another_generator(
    tmp_path: Path, upstream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_scale, "_MOST_PAIRS", 1)
    out = tmp_path / "bench.json"
    result = run(*SMALL, "--upstream", str(upstream), "--json", str(out))
    assert result.exit_code == 0, result.output
    rows = rows_of(out)
    peers = ("upstream", "floor", "GraphModule", "Interpreter")
    starts = ("astgen --version", "astgen lint")
    assert {*rows} >= {
        *(("call", "call", "chain:8", peer) for peer in peers),
        ("warm", "text to callable", "chain:8", "upstream"),
        ("cold", "graph to text", "chain:8", "upstream"),
        ("cold", "graph to callable", "chain:8", "upstream"),
        ("storage", "file to callable", "chain:8", "upstream"),
        ("storage", "file to program", "chain:8", "upstream"),
        ("check", "check", "chain:8", "parse + compile"),
        ("scale", "graph to callable", "chain:8", "upstream"),
        ("scale", "graph to callable", "chain:12", "upstream"),
        ("growth", "time per node, over that of chain:8", "chain:12", "upstream"),
    }
    assert {what for group, what, *_ in rows if group == "import"} == {*starts}
    if sys.platform == "linux":
        assert ("memory", "peak", "chain:12", "upstream") in rows
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["notes"] == [] and found["machine"]["torch"] == torch.__version__
    assert all(row["found"]["ratio"]["median"] > 0 for row in found["rows"])
    for group, title in bench_report._TITLES.items():
        assert (title in result.stdout) == (group in {row[0] for row in rows})


def test_without_another_generator_its_rows_are_left_out(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    result = run(*SMALL, "--only", "call,warm,cold,check", "--json", str(out))
    assert result.exit_code == 0, result.output
    assert rows_of(out) == [
        *(
            ("call", "call", "chain:8", peer)
            for peer in ("floor", "GraphModule", "Interpreter")
        ),
        ("check", "check", "chain:8", "parse + compile"),
    ]
    assert "there is no vLLM here" in result.stdout


def test_a_generator_that_is_wrong_is_not_timed(tmp_path: Path, upstream: Path) -> None:
    text = UPSTREAM.replace("(pieces, *args)", "(pieces, *args[:-1], args[-1] + 1)")
    upstream.write_text(text, encoding="utf-8")
    out = tmp_path / "bench.json"
    arguments = ["--only", "call,cold", "--upstream", str(upstream)]
    result = run(*SMALL, *arguments, "--json", str(out))
    assert result.exit_code == 0, result.output
    assert "upstream" not in {peer for *_, peer in rows_of(out)}
    assert "upstream is left out on chain:8: its result[0] differs" in result.stdout


def test_astgen_must_be_right_before_it_is_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(gm: fx.GraphModule, stubs: Any) -> Any:
        return lambda *args: (args[0],)

    monkeypatch.setattr(bench, "OURS", bench_rows.Side("astgen", wrong))
    result = run(*SMALL, "--only", "call")
    assert result.exit_code == 2
    assert "bench: error: astgen is wrong on chain:8: its result[0]" in result.stderr


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "is not a file; pass the path of vLLM's codegen.py"),
        ("x = 1", "has no generate_execution_code and no compile_execution_fn;"),
        ("import no_such_module", "cannot be loaded: ModuleNotFoundError: No module"),
        ("def", "cannot be loaded: SyntaxError: "),
    ],
)
def test_a_file_that_is_no_generator_is_said_plainly(
    tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "other.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    result = run(*SMALL, "--upstream", str(path))
    assert result.exit_code == 2
    assert f"bench: error: {path} {message}" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--graphs", "pure81"], "'pure81' is none of pure80, stitching80"),
        (["--graphs", "chain:3"], "'chain:3' is none of"),
        (["--only", "call,hot"], "'hot' is none of call, warm, cold"),
        (["--scale", "10,many"], "'many' is none of numbers of nodes"),
        (["--pairs", "1"], "Invalid value for '--pairs'"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    arguments: list[str], message: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_report_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    out = tmp_path / "missing" / "bench.json"
    result = run(*SMALL, "--only", "check", "--json", str(out))
    assert result.exit_code == 2
    assert f"bench: error: {out} cannot be written: No such file" in result.stderr
    # It is known before anything is measured.
    assert "parse + compile" not in result.stdout


def test_a_process_that_fails_ends_the_run(tmp_path: Path, upstream: Path) -> None:
    text = UPSTREAM.replace("exec(code, namespace)", "raise KeyError('lost')")
    upstream.write_text(text, encoding="utf-8")
    result = run(*SMALL, "--only", "scale", "--upstream", str(upstream))
    assert result.exit_code == 2
    assert "failed: KeyError: 'lost'" in result.stderr


def test_the_built_in_model_is_captured_and_split() -> None:
    from bench_model import demo

    subject = demo()
    called = {n.target for n in subject.gm.graph.find_nodes(op="call_module")}
    assert called == {*subject.results} and len(called) == 9
    assert bench_rows.held_against(subject, bench_rows.OURS) is None
