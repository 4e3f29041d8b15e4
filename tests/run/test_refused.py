"""What the checker refuses is never executed, and well-formed text is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from support.hostile import CANARY, HOSTILE, Hostile

from astgen.codegen import compile_execution_fn
from astgen.errors import InvalidProgramError

_executed: list[Any] = []
_watching: list[bool] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "exec" and _watching:
        _executed.append(args)


@pytest.fixture(autouse=True, scope="module")
def audit() -> None:
    sys.addaudithook(_audit)


def _executions(text: str) -> int:
    """How often something was executed while a text was compiled."""
    _executed.clear()
    _watching.append(True)
    try:
        compile_execution_fn(text, {"a": print}, ["a"], [print])
    finally:
        _watching.clear()
    return len(_executed)


def test_a_valid_program_is_executed_once() -> None:
    text = "import torch\ndef execution_fn(x, *, __vllm_submods__):\n    return x\n"
    assert _executions(text) == 1


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_program_is_never_executed(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidProgramError) as caught:
        _executions(program.text)
    assert _executed == []
    assert [finding.rule for finding in caught.value.findings] == program.rules.split()
    assert not (tmp_path / CANARY).exists()
