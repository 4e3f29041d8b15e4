"""What the checker refuses is never executed, and well-formed text is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile.programs import CANARY, HOSTILE, Hostile

from astgen.codegen import compile_execution_fn
from astgen.errors import InvalidProgramError

_events: list[str] = []
_watching: list[bool] = []
_WATCHED = ("exec", "os.system", "subprocess.Popen", "socket.connect", "ctypes.dlopen")


def _audit(event: str, args: tuple[Any, ...]) -> None:
    writes = event == "open" and any(mode in str(args[1]) for mode in "wax+")
    if _watching and (event in _WATCHED or writes):
        _events.append(event)


@pytest.fixture(autouse=True, scope="module")
def audit() -> None:
    sys.addaudithook(_audit)


def _executions(text: str) -> list[str]:
    """What was executed, written or started while a text was compiled."""
    _events.clear()
    _watching.append(True)
    try:
        compile_execution_fn(text, {"a": print}, ["a"], [print])
    finally:
        _watching.clear()
    return [*_events]


def test_a_valid_program_is_executed_once() -> None:
    text = "import torch\ndef execution_fn(x, *, __vllm_submods__):\n    return x\n"
    assert _executions(text) == ["exec"]


def test_the_watch_sees_files_and_processes(tmp_path: Path) -> None:
    _events.clear()
    _watching.append(True)
    try:
        (tmp_path / CANARY).write_text("")
        subprocess.run([sys.executable, "-c", ""], check=True)
    finally:
        _watching.clear()
    assert _events == ["open", "subprocess.Popen"]


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_program_is_never_executed(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidProgramError) as caught:
        _executions(program.text)
    assert _events == []
    # The number of slots is known here: one more rule sees a text, none fewer.
    assert [finding.rule for finding in caught.value.findings] == program.rules.split()
    assert not (tmp_path / CANARY).exists()
