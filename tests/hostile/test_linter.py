"""Hostile programs as files: the linter finds what the checker finds, and runs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.programs import CANARY, HOSTILE, Hostile
from hostile.watching import nothing_happens

from astgen.lint.engine import Job, lint_bytes

ERRORS = Job({"severity": "error"}, isolated=True)
WARNINGS = Job({"severity": "warning"}, isolated=True)


@pytest.fixture(scope="module", autouse=True)
def _everything_is_imported() -> None:
    # Modules and lists are read when they are first needed.
    for program in HOSTILE[::20]:
        lint_bytes(program.text.encode("utf-8", "surrogatepass"), "a.py", WARNINGS)
    # A pickle can begin like this, too.
    lint_bytes(b"(a)", "a.py", WARNINGS)


def _codes(program: Hostile, job: Job) -> set[str]:
    data = program.text.encode("utf-8", "surrogatepass")
    with nothing_happens():
        result = lint_bytes(data, "a.py", job)
    assert not result.failed, result.findings
    return {finding.rule for finding in result.findings}


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_file_is_refused_and_nothing_runs(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = set(program.rules.split())
    found = _codes(program, ERRORS)
    # A file has an encoding that a text has not, and one without code is no program.
    if found != wanted and found != {"AG003"}:
        assert found == set() and wanted <= {"AG001", "AG405"}
        assert _codes(program, WARNINGS) == {"AG006"}
    assert not (tmp_path / CANARY).exists()


def test_most_hostile_files_are_refused_for_the_same_reason() -> None:
    same = [p for p in HOSTILE if _codes(p, ERRORS) == set(p.rules.split())]
    assert len(same) > len(HOSTILE) - 20
