"""The linter survives what the fuzzer makes; the fuzzer sees what does not survive."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from support import lint_faults

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield importlib.import_module("lint_fuzz")


def test_the_linter_survives_a_hundred_inputs(tool: ModuleType) -> None:
    result = CliRunner().invoke(tool.main, ["--count", "100", "--jobs", "2"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("100 inputs (")
    assert result.output.endswith("0 found\n")


def test_an_input_is_the_same_for_the_same_number(tool: ModuleType) -> None:
    inputs = importlib.import_module("lint_fuzz_inputs")
    drawn = [inputs.make(number) for number in range(60)]
    assert drawn == [inputs.make(number) for number in range(60)]
    assert {one.kind for one in drawn} == set(inputs.KINDS)
    assert [one.kind for one in drawn] == [inputs.kind(n) for n in range(60)]


@pytest.mark.parametrize(
    ("fault", "what", "reason"),
    [
        (lint_faults.dies, "crash", "the process ended with 3"),
        (lint_faults.fails, "crash", "went wrong"),
        (lint_faults.hangs, "hang", "killed after 0.8 s"),
        (lint_faults.grows, "memory", "MB"),
    ],
)
def test_a_fault_is_found(
    tool: ModuleType, fault: object, what: str, reason: str
) -> None:
    tally = tool.fuzz(iter([5, 6]), 1, fault, 0.2 if what == "hang" else 60.0)
    assert [(found.number, found.what) for found in tally.found] == [
        (5, what),
        (6, what),
    ]
    assert all(reason in found.reason for found in tally.found)


def test_an_input_that_does_harm_is_saved(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tool.Tally(found=[tool.Found(7, "crash", "why")])
    monkeypatch.setattr(tool, "fuzz", lambda numbers, jobs: found)
    folder = tmp_path / "found"
    result = CliRunner().invoke(tool.main, ["--count", "1", "--save", str(folder)])
    assert result.exit_code == 1
    assert "crash on 7: why" in result.output
    (saved,) = folder.iterdir()
    drawn = importlib.import_module("lint_fuzz_inputs").make(7)
    assert saved.name == f"crash-7-{drawn.name}"
    assert saved.read_bytes() == drawn.data
