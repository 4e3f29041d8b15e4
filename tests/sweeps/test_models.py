"""Models of the transformers library, with the tool that sweeps over all of them."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from click.testing import CliRunner

import astgen
from astgen.errors import UnsupportedGraphError
from astgen.program import Program

pytest.importorskip("transformers")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sweep() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("model_sweep")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """The tool runs on a single thread; other tests go on with theirs."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    "architecture, level, dynamic",
    [
        ("llama", "dynamo", True),
        ("bert", "aten", False),
        ("t5", "dynamo", False),
        ("resnet", "aten", True),
    ],
)
def test_all_graphs_of_a_model_are_equal(
    sweep: ModuleType, architecture: str, level: str, dynamic: bool
) -> None:
    task = sweep.Task(architecture, level, dynamic)
    found = sweep.run(task)
    assert found.is_good, sweep.report([(task, found)])
    (graph,) = found.graphs
    assert graph.equal == {"whole": True, "split": True, "inlined": True}
    assert graph.pieces > 1
    assert graph.calls == (2 if dynamic else 1)


class _Broken(torch.nn.Module):
    """A model that Dynamo captures in two graphs; the second is called twice."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.sin()
        torch._dynamo.graph_break()
        return _twice(_twice(x))


def _twice(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()
    return x + x


def test_a_model_that_breaks_the_graph_has_all_its_graphs_judged(
    sweep: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoo = importlib.import_module("model_zoo")

    class Fixed(zoo.Architecture):
        def build(self) -> torch.nn.Module:
            return _Broken()

    chosen = Fixed("none", "", {}, lambda size: {"x": torch.ones(size)})
    monkeypatch.setitem(zoo.ARCHITECTURES, "broken", chosen)
    task = sweep.Task("broken", "dynamo", False)
    found = sweep.run(task)
    assert found.is_good, sweep.report([(task, found)])
    assert found.breaks > 0
    assert [graph.calls for graph in found.graphs] == [1, 2]


def _with_text(change: Callable[[str], str]) -> Callable[..., Program]:
    def broken(gm: Any) -> Program:
        program = astgen.generate(gm)
        return dataclasses.replace(program, code=change(program.code))

    return broken


def _with_lambda(gm: Any) -> Program:
    program = astgen.generate(gm)
    return dataclasses.replace(program, consts=[*program.consts, lambda: None])


def _refuse(gm: Any) -> Program:
    raise UnsupportedGraphError("nothing can be expressed")


@pytest.mark.parametrize(
    "broken, kinds",
    [
        (
            _with_text(lambda code: code.replace(".relu(", ".leaky_relu(")),
            {"astgen differs", "stock differs"},
        ),
        (_with_text(lambda code: code.replace("    del", "     del", 1)), {"finding"}),
        (_with_text(lambda code: code.replace(", inplace", ",inplace")), {"layout"}),
        (_with_text(lambda code: code + "\n\nopen('file')\n"), {"finding"}),
        (_with_lambda, {"no pickle"}),
        (_refuse, {"refused"}),
    ],
    ids=["meaning", "syntax", "layout", "checker", "pickle", "refusal"],
)
def test_what_is_wrong_with_a_generator_is_reported(
    sweep: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    broken: Callable[..., Program],
    kinds: set[str],
) -> None:
    monkeypatch.setattr(importlib.import_module("model_judge"), "generate", broken)
    task = sweep.Task("resnet", "dynamo", False)
    found = sweep.run(task)
    assert not found.is_good
    (graph,) = found.graphs
    assert graph.equal["whole"] is False
    assert kinds <= {problem.kind for problem in graph.problems}
    assert task.command in sweep.report([(task, found)])


def test_the_command_ends_with_1_and_says_how_to_repeat_what_failed(
    sweep: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def failing(task: Any) -> Any:
        found = sweep.Capture(task.architecture, task.level, task.dynamic)
        found.error = "ValueError: no"
        return found

    monkeypatch.setattr(sweep, "run", failing)
    out = tmp_path / "out.json"
    arguments = ["--arch", "bert", "--level", "aten", "--dynamic", "--json", str(out)]
    result = CliRunner().invoke(sweep.main, arguments)
    assert result.exit_code == 1
    again = "python tools/model_sweep.py --arch bert --level aten --dynamic"
    assert f"bert: {again}\n  ValueError: no\n" in result.stdout
    assert "1 captures (1 failed)" in result.stdout
    (stored,) = json.loads(out.read_text(encoding="utf-8"))
    assert stored["error"] == "ValueError: no"


def test_the_command_says_that_transformers_is_missing(
    sweep: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(sweep.main, [])
    assert result.exit_code == 2
    assert result.stderr == (
        "model_sweep: error: transformers is not installed; install it with: "
        "pip install astgen[models]\n"
    )
