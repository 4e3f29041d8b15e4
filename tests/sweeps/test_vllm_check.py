"""The check of vLLM on astgen, as far as it goes without vLLM: what it takes for a fault."""

from __future__ import annotations

import dataclasses
import json
import operator
import sys
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx, nn

import astgen.codegen

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import vllm_cases  # noqa: E402
import vllm_check  # noqa: E402
import vllm_jobs  # noqa: E402
import vllm_judge  # noqa: E402
import vllm_models  # noqa: E402
import vllm_run  # noqa: E402
import vllm_setup  # noqa: E402
import vllm_stubs  # noqa: E402
import vllm_table  # noqa: E402
import vllm_watch  # noqa: E402
from vllm_cases import Case  # noqa: E402
from vllm_jobs import Ended, Job, Server  # noqa: E402
from vllm_setup import SetupError  # noqa: E402

ALL = [
    chain
    for quick in (True, False)
    for chain in vllm_cases.chains(quick) + vllm_cases.alone(quick)
]
RESULTS = {
    "tokens": [[1, 2]],
    "logprobs": [[{str(token): float(-token).hex() for token in range(1, 30)}]],
    "astgen": ["astgen", "astgen.emit", "astgen.vllm"],
    "processor": 4.0,
    "stitching": {"astgen": 1.0, "vllm": 2.0, "ratio": 0.5},
}
OURS = Case("llama", "inductor", "astgen", ours=True, text="astgen", state=("loaded",))
STOCK = Case("llama", "inductor", "vLLM", state=("loaded",))
PLUGIN = vllm_table.Start(0.5, ())
SERVER = """\
#!{python}
import json, os, sys, time
print("ready", flush=True)
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if not child:
        os.setsid()
        open(job["log"], "w").write("noise\\n" * 3000 + "the end")
        open(job["events"] + "/1.jsonl", "w").write('{{"what": "load"}}\\n')
        if job["model"] == "sleeps":
            time.sleep(60)
        open(job["result"], "w").write('{{"tokens": [7]}}')
        os._exit(3)
    if job["model"] == "dies":
        print("gone wrong", file=sys.stderr)
        sys.exit(1)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def call(case: Case, **changes: Any) -> dict[str, Any]:
    blank = 2 if case.text == "astgen" else 1
    lines = "\n" * blank
    event = {
        "what": "call",
        "process": 1,
        "file": "<astgen 0123>" if case.ours else "<string>",
        "name": "execution_fn",
        "head": f"import torch\nimport operator\n{lines}def execution_fn(",
    }
    return {**event, **changes}


def load(found: bool, loaded: bool, process: int = 1) -> dict[str, Any]:
    return {"what": "load", "process": process, "found": found, "loaded": loaded}


def ended(case: Case, **changes: Any) -> Ended:
    found = {**RESULTS, "astgen": RESULTS["astgen"] if case.ours else []}
    events = (load(True, True), call(case))
    return dataclasses.replace(
        Ended(0, 9.0, found, events, "noise\nthe log says astgen"), **changes
    )


def faults(case: Case, run: Ended, oracle: Any = RESULTS) -> str:
    row = vllm_judge.judge(case, run, oracle)
    assert (row.log == "the log says astgen") is bool(row.faults)
    return "; ".join(row.faults)


@pytest.mark.parametrize("case", [OURS, STOCK], ids=["astgen", "vLLM"])
def test_what_is_as_it_has_to_be_has_no_faults(case: Case) -> None:
    row = vllm_judge.judge(case, ended(case), RESULTS)
    assert row.faults == () and row.equal is True and row.state == "loaded"
    assert row.text == row.compiled == ("astgen" if case.ours else "vllm")


def test_results_that_differ_in_a_bit_are_a_fault() -> None:
    other = json.loads(json.dumps(RESULTS))
    other["logprobs"][0][0]["7"] = (-7.000000000000001).hex()
    assert faults(OURS, ended(OURS), other) == "results differ"
    assert faults(OURS, ended(OURS), {}) == "there is nothing to compare with"


def test_results_that_say_nothing_are_a_fault() -> None:
    flat = {**RESULTS, "logprobs": [[dict.fromkeys("abcdefgh", (-1.0).hex())]]}
    assert "equally likely" in faults(OURS, ended(OURS, found=flat), flat)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"file": "<string>"}, "compiled by vllm, not by astgen"),
        ({"head": "import torch\nimport operator\n\ndef"}, "text written by vllm"),
        ({"name": "forward"}, "1 functions had to run, and ['forward'] did"),
    ],
)
def test_a_generator_that_was_not_to_run_is_a_fault(
    changes: dict[str, str], said: str
) -> None:
    events = (load(True, True), call(OURS, **changes))
    assert said in faults(OURS, ended(OURS, events=events))


@pytest.mark.parametrize("what", ["astgen.vllm.start", "astgen.codegen"])
def test_what_the_plugin_imports_when_off_is_a_fault(what: str) -> None:
    off = dataclasses.replace(STOCK, is_installed=True)
    found = {**RESULTS, "astgen": ["astgen", "astgen.errors", "astgen.vllm"]}
    assert faults(off, ended(off, found=found)) == ""
    assert "not loaded the plugin" in faults(off, ended(off))
    assert "modules of astgen" in faults(STOCK, ended(STOCK, found=found))
    found["astgen"] = [*found["astgen"], what]
    assert what in faults(off, ended(off, found=found))


@pytest.mark.parametrize(
    ("events", "state"),
    [
        ([load(True, True)], "loaded"),
        ([load(False, False), {"what": "generate", "process": 1}], "compiled"),
        ([load(True, False), {"what": "generate", "process": 1}], "refused"),
        ([load(True, True), {"what": "generate", "process": 1}], "loaded, generated"),
        (
            [load(True, True), load(False, False, 2)]
            + [{"what": "generate", "process": 2}],
            "compiled + loaded",
        ),
        ([], "-"),
    ],
)
def test_what_was_done_about_the_cache_is_seen(
    events: list[dict[str, Any]], state: str
) -> None:
    assert vllm_judge.cache_state(events) == state


def test_a_warm_start_that_compiles_is_a_fault() -> None:
    again = (load(True, False), {"what": "generate", "process": 1}, call(OURS))
    assert faults(OURS, ended(OURS, events=again)) == "cache: refused, not loaded"


def test_what_the_log_does_not_say_is_a_fault() -> None:
    case = dataclasses.replace(OURS, said="refused: line 1")
    assert "does not say 'refused: line 1'" in faults(case, ended(case))
    assert faults(case, ended(case, log="ERROR refused: line 1")) == ""


def test_functions_that_are_not_dumped_are_a_fault() -> None:
    case = dataclasses.replace(OURS, dumped=2)
    assert "1 functions were dumped, not 2" in faults(case, ended(case, dumped=1))


def test_a_run_that_ends_badly_is_a_fault_with_its_log() -> None:
    for status, said in ((1, "ended with 1"), (None, "killed after 9 s")):
        row = vllm_judge.judge(OURS, ended(OURS, status=status, found={}), RESULTS)
        assert said in row.faults and row.equal is None
        assert row.log.endswith("the log says astgen")


def test_a_kill_has_to_leave_half_an_artifact() -> None:
    case = dataclasses.replace(OURS, killed=0)

    def said(status: int | None, *left: str) -> str:
        run = ended(case, status=status, found={}, events=(), left=left)
        return "; ".join(vllm_judge.judge(case, run, {}).faults)

    assert said(-9, "model.77.tmp") == said(1, "model.77.tmp") == ""
    assert "while it saved" in said(-9)
    assert "had to be killed" in said(0, "model.77.tmp")
    assert "had to be killed" in said(None, "model.77.tmp")
    assert "saving it was not over" in said(-9, "model", "model.77.tmp")


@pytest.mark.parametrize("chain", ALL, ids=lambda chain: chain[0].name)
def test_caches_are_written_before_they_are_loaded(chain: list[Case]) -> None:
    written: dict[str, Case] = {}
    for case in chain:
        before = written.get(case.cache)
        if case.state == ("compiled",) and case.killed is None:
            assert before is None or before.killed is not None
            assert case.text == ("astgen" if case.ours else "vllm")
        else:
            assert case.killed is not None or before is not None
        if case.state == ("loaded",) and before is not None:
            assert case.text == before.text and before.ranks == case.ranks
        written.setdefault(case.cache, case)
        if case.killed is None:
            written[case.cache] = case


@pytest.mark.parametrize("quick", [True, False])
def test_every_case_has_one_oracle(quick: bool) -> None:
    cases = [
        case
        for chain in vllm_cases.chains(quick) + vllm_cases.alone(quick)
        for case in chain
    ]
    oracles = [vllm_judge.oracle_key(case) for case in cases if case.is_oracle]
    assert len(set(oracles)) == len(oracles)
    assert {vllm_judge.oracle_key(case) for case in cases} == set(oracles)
    names = [(*vllm_judge.oracle_key(case), case.name) for case in cases]
    assert len(set(names)) == len(names)


def test_a_model_is_a_configuration(tmp_path: Path) -> None:
    for name in vllm_models.MODELS:
        folder = vllm_models.write_model(name, tmp_path)
        config = json.loads((folder / "config.json").read_text())
        assert config["model_type"] == name and config["num_hidden_layers"] == 2


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    script = tmp_path / "python"
    script.write_text(SERVER.format(python=sys.executable))
    script.chmod(0o755)
    server = Server(script, {}, tmp_path / "server.log")
    yield server
    server.close()


def job(folder: Path, model: str) -> Job:
    def path(name: str) -> str:
        return str(folder / model / name)

    return Job(model, "eager", 1, "fork", path("events"), path("log"), path("result"))


def test_a_server_runs_jobs_one_after_the_other(server: Server, tmp_path: Path) -> None:
    server.wait_until_ready()
    for model in ("one", "two"):
        run = server.run(job(tmp_path, model), limit=30)
        assert (run.status, run.found) == (3, {"tokens": [7]})
        assert run.events == ({"what": "load"},)
        assert run.log.endswith("the end")


def test_memory_that_workers_leave_is_freed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vllm_jobs, "_MEMORY", tmp_path)
    for name in ("vllm_dist_07-tp:0", "vllm_dist_07-tp:1", "vllm_dist_08-tp:0"):
        (tmp_path / name).touch()
    vllm_jobs._free(["vllm_dist_07", "vllm_dist_07"])
    assert [file.name for file in tmp_path.iterdir()] == ["vllm_dist_08-tp:0"]


def test_a_job_that_takes_too_long_is_killed(server: Server, tmp_path: Path) -> None:
    server.wait_until_ready()
    run = server.run(job(tmp_path, "sleeps"), limit=0.5)
    assert run.status is None and run.found == {}
    assert server.run(job(tmp_path, "next"), limit=30).status == 3


def test_a_server_that_is_gone_is_reported(server: Server, tmp_path: Path) -> None:
    server.wait_until_ready()
    with pytest.raises(SetupError, match="(?s)ended.*gone wrong"):
        server.run(job(tmp_path, "dies"), limit=30)


def test_vllm_starts_without_settings_of_the_caller(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASTGEN_VLLM", "1")
    monkeypatch.setenv("VLLM_USE_AOT_COMPILE", "0")
    variables = vllm_jobs.environment(tmp_path)
    assert not {"ASTGEN_VLLM", "VLLM_USE_AOT_COMPILE"} & set(variables)
    assert variables["TMPDIR"].startswith(str(tmp_path))


def test_what_keeps_vllm_from_being_set_up_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").touch()
    arguments = ["--venv", str(tmp_path)]
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CXX", "true")
    assert vllm_check.main(arguments) == 2
    assert "is there, but no environment" in capsys.readouterr().err
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert vllm_check.main(arguments) == 2
    assert "C++ compiler" in capsys.readouterr().err
    monkeypatch.setattr(sys, "platform", "darwin")
    assert vllm_check.main(arguments) == 2
    assert "Linux" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("installed", "said"),
    [({"astgen": "0.1.0"}, "astgen is in"), ({"torch": "2.0.0"}, "wanted")],
)
def test_an_environment_that_is_another_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    installed: dict[str, str],
    said: str,
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CXX", "true")
    monkeypatch.setattr(vllm_setup, "_installed", lambda python: installed)
    monkeypatch.setattr(vllm_setup, "_call", lambda *command: "")
    monkeypatch.setattr(vllm_setup, "_install_vllm", lambda *given: None)
    with pytest.raises(SetupError, match=said):
        vllm_setup.make_environment(tmp_path)


def test_a_command_that_fails_says_what_it_printed() -> None:
    with pytest.raises(SetupError, match="(?s)ended with 3.*why"):
        vllm_setup._call(sys.executable, "-c", "print('why'); exit(3)")


@pytest.mark.parametrize(
    ("run", "plugin", "status", "said"),
    [
        (ended(OURS), PLUGIN, 0, "1 starts of vLLM, 0 not"),
        (ended(OURS, status=1), PLUGIN, 1, "llama inductor: astgen: ended with 1"),
        (ended(OURS), vllm_table.Start(1.0, ("torch",)), 1, "imports torch"),
    ],
)
def test_the_status_says_whether_there_are_faults(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    run: Ended,
    plugin: vllm_table.Start,
    status: int,
    said: str,
) -> None:
    rows = [vllm_judge.judge(OURS, run, RESULTS)]
    monkeypatch.setattr(vllm_check, "make_environment", lambda folder: folder)
    monkeypatch.setattr(vllm_check, "_check", lambda python, given: (rows, plugin))
    report = tmp_path / "report.json"
    assert vllm_check.main(["--json", str(report)]) == status
    printed = capsys.readouterr().out
    assert said in printed and "ratio 0.500" in printed
    assert ("  | noise" in printed) is (run.status == 1)
    written = json.loads(report.read_text())
    assert written["rows"][0]["case"]["model"] == "llama"
    assert written["rows"][0]["faults"] == list(rows[0].faults)


def test_stitching_is_timed_without_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    class Piece(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            raise AssertionError("a piece ran")

    for name in ("vllm", "vllm.compilation"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "vllm.compilation.codegen", astgen.codegen)
    monkeypatch.setattr(vllm_stubs, "_PAIRS", 3)
    library = torch.library.Library("vllm", "FRAGMENT")
    library.define("never(Tensor x) -> ()")
    library.impl("never", _fail, "CompositeExplicitAutograd")
    inner = fx.Graph()
    inner.call_function(torch.ops.vllm.never, (inner.placeholder("x"),))
    inner.output(())
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.call_module("attention", (x,))
    results = graph.call_module("piece", (x,))
    graph.output(graph.call_function(operator.getitem, (results, 1)))
    found = vllm_stubs.measure(
        fx.GraphModule(
            {"piece": Piece(), "attention": fx.GraphModule({}, inner)}, graph
        ),
        [torch.ones(1)],
    )
    del torch.ops.vllm.never
    with pytest.raises(AssertionError, match="an operator ran"):
        torch.ops.vllm.never(torch.ones(1))
    assert set(found) == {"astgen", "vllm", "ratio"}
    assert all(value > 0 for value in found.values())


def _fail(x: torch.Tensor) -> None:
    raise AssertionError("an operator ran")


def test_stitching_that_cannot_be_timed_spoils_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vllm_watch, "seen", {})
    found = {**RESULTS, "stitching": vllm_run._measured()}
    row = vllm_judge.judge(OURS, ended(OURS, found=found), RESULTS)
    assert row.faults == ()
    printed = "\n".join(vllm_table.table([row], PLUGIN))
    assert "llama: the stitching is not timed: KeyError: 'graph'" in printed


def test_the_plugin_is_loaded_where_it_is_off(tmp_path: Path) -> None:
    package = tmp_path / "fake-0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: fake\nVersion: 0\n")
    entry = "[vllm.general_plugins]\nastgen = fake_plugin:register\n"
    (package / "entry_points.txt").write_text(entry)
    (tmp_path / "fake_plugin.py").write_text(textwrap.dedent("""\
            import sys, types

            def register():
                sys.modules["black"] = types.ModuleType("black")
            """))
    isolated = tmp_path / "python"
    isolated.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -S -c "import sys; '
        f'sys.path.insert(0, \'{tmp_path}\'); exec(sys.argv[1])" "$2"\n'
    )
    isolated.chmod(0o755)
    found = vllm_table.start_of_plugin(isolated, tmp_path)
    assert found.heavy == ("black",) and found.milliseconds > 0
