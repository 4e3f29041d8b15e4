"""Many files: the same results on any number of processes, whatever happens to one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from astgen.lint import engine, pool, processes
from astgen.lint.engine import Job, lint_file
from astgen.lint.report import Result

TEXT = "def execution_fn(x, *, __vllm_submods__):\n    return x + n{}\n"


def files(folder: Path, count: int) -> list[tuple[str, bool]]:
    found = []
    for number in range(count):
        path = folder / f"{number:03}.py"
        path.write_text(TEXT.format(number), encoding="utf-8")
        found.append((str(path), True))
    return found


def test_processes_change_nothing(tmp_path: Path) -> None:
    found = files(tmp_path, 50)
    alone = list(pool.lint_files(found, Job(), 1))
    assert list(pool.lint_files(found, Job(), 3)) == alone
    assert [result.path for result in alone] == [path for path, _ in found]
    assert all(len(result.findings) == 1 for result in alone)


def _killed(path: str, explicit: bool, job: Job) -> Result:
    if path.endswith("013.py"):
        os.kill(os.getpid(), signal.SIGKILL)
    return lint_file(path, explicit, job)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forked")
def test_a_process_that_is_killed_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = files(tmp_path, 40)
    monkeypatch.setattr(processes, "lint_file", _killed)
    results = list(pool.lint_files(found, Job(), 2))
    assert [result.failed for result in results] == [n == 13 for n in range(40)]
    assert results[13].findings[0].rule == "AG902"
    assert "was killed" in results[13].findings[0].message


def test_a_mistake_of_the_linter_is_a_finding_about_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise KeyError("gone\x1b[31m")

    monkeypatch.setattr(engine, "judge", fail)
    ((path, _),) = files(tmp_path, 1)
    result = lint_file(path, True, Job())
    assert result.failed
    (finding,) = result.findings
    assert (finding.rule, finding.path) == ("AG902", path)
    assert "KeyError" in finding.message and "\x1b" not in finding.message
