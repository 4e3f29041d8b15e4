"""Baselines: what is known stays known, what is new is reported."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from astgen.check.finding import Finding
from astgen.errors import SettingsError
from astgen.lint import baseline
from astgen.lint.report import Report, Result


def found(line: int, message: str = "wrong") -> Finding:
    return Finding(line, 1, line, 2, "AG101", message)


def report(path: Path | str, text: str, *findings: Finding) -> Report:
    lines = {("", number): line for number, line in enumerate(text.split("\n"), 1)}
    return Report((Result(str(path), 1, findings, lines),), "1.2.3")


def counts(known: baseline.Baseline, found_: Report) -> tuple[int, int]:
    """How many findings are new, and how many are known."""
    (result,) = known.filter(found_).results
    return len(result.findings), result.known


def write(found_: Report, path: str) -> None:
    Path(path).write_text(baseline.written(found_, path), encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


def test_what_was_written_down_is_known(tmp_path: Path, file: Path) -> None:
    first = report(tmp_path / "a.py", "x\ny", found(1), found(2))
    write(first, str(file))
    known = baseline.read(str(file))
    assert counts(known, first) == (0, 2)
    assert counts(known, first) == (0, 2)


def test_findings_stay_known_when_lines_move(tmp_path: Path, file: Path) -> None:
    write(report(tmp_path / "a.py", "x\ny", found(2)), str(file))
    moved = report(tmp_path / "a.py", "x\n\n\n\t y ", found(4))
    assert counts(baseline.read(str(file)), moved) == (0, 1)


def test_a_second_equal_finding_is_new(tmp_path: Path, file: Path) -> None:
    write(report(tmp_path / "a.py", "y\ny", found(1)), str(file))
    twice = report(tmp_path / "a.py", "y\ny", found(1), found(2))
    known = baseline.read(str(file))
    assert counts(known, twice) == (1, 1)
    assert known.filter(twice).results[0].findings == (found(2),)


@pytest.mark.parametrize(
    "text, finding",
    [
        ("z", found(1)),
        ("x", found(1, "other")),
        ("x", replace(found(1), rule="AG102")),
        ("x", replace(found(1), member="m")),
    ],
)
def test_another_finding_is_new(
    text: str, finding: Finding, tmp_path: Path, file: Path
) -> None:
    write(report(tmp_path / "a.py", "x", found(1)), str(file))
    known = baseline.read(str(file))
    assert counts(known, report(tmp_path / "a.py", text, finding)) == (1, 0)
    assert counts(known, report(tmp_path / "b.py", "x", found(1))) == (1, 0)


def test_paths_count_from_the_folder_of_the_baseline(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    write(report(tmp_path / "sub" / "a.py", "x", found(1)), str(file))
    (entry,) = json.loads(file.read_text())["findings"]
    assert entry["path"] == "sub/a.py"
    monkeypatch.chdir(tmp_path / "sub")
    known = baseline.read(os.path.join("..", file.name))
    assert counts(known, report("a.py", "x", found(1))) == (0, 1)


def test_a_baseline_can_be_compared_line_by_line(tmp_path: Path, file: Path) -> None:
    a = report(tmp_path / "a.py", "x\ny", found(2), found(1), found(1)).results
    b = report(tmp_path / "b.py", "x", found(1)).results
    write(Report((*b, *a), "1.2.3"), str(file))
    text = file.read_bytes()
    write(Report((*a, *b), "9.9.9"), str(file))
    assert file.read_bytes() == text
    rows = text.decode("ascii").split("\n")
    assert sum('"rule"' in row for row in rows) == 3
    entries = json.loads(text)["findings"]
    assert [entry["path"] for entry in entries] == ["a.py", "a.py", "b.py"]
    assert sorted(entry["count"] for entry in entries) == [1, 1, 2]


def test_names_that_are_not_utf_8_are_kept(tmp_path: Path, file: Path) -> None:
    odd = report(f"{tmp_path}/caf\udce9.py", "\ud800", found(1, "bad \ud800"))
    write(odd, str(file))
    assert counts(baseline.read(str(file)), odd) == (0, 1)


def test_a_baseline_of_nothing_knows_nothing(tmp_path: Path, file: Path) -> None:
    write(Report((), "1.2.3"), str(file))
    known = baseline.read(str(file))
    assert json.loads(file.read_text()) == {"version": 1, "findings": []}
    assert counts(known, report(tmp_path / "a.py", "x", found(1))) == (1, 0)


def test_a_file_that_the_linter_broke_down_on_is_never_known(
    tmp_path: Path, file: Path
) -> None:
    (result,) = report(tmp_path / "a.py", "x", found(1)).results
    broken = Report((replace(result, failed=True),), "1.2.3")
    write(broken, str(file))
    assert json.loads(file.read_text())["findings"] == []
    write(Report((result,), "1.2.3"), str(file))
    assert counts(baseline.read(str(file)), broken) == (1, 0)


ENTRY = {
    "path": "a.py",
    "member": "",
    "rule": "AG101",
    "message": "wrong",
    "line": "0123456789abcdef",
    "count": 1,
}


@pytest.mark.parametrize(
    "content, reason",
    [
        ("{", "it is not JSON"),
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("\ufeffx", "it is not JSON"),
        ("[]", "it has no version"),
        ('{"version": 2, "findings": []}', "it is of version 2, not 1"),
        ('{"version": "1", "findings": []}', "it is of version '1', not 1"),
        ('{"version": 1}', "it has no list of findings"),
        ('{"version": 1, "findings": {}}', "it has no list of findings"),
        ('{"version": 1, "findings": [1]}', "finding 1 has other fields"),
        ('{"version": 1, "findings": [{}]}', "finding 1 has other fields"),
    ],
)
def test_a_damaged_baseline_is_refused(content: str, reason: str, file: Path) -> None:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        baseline.read(str(file))
    message = str(caught.value)
    assert str(file) in message and reason in message
    assert message.endswith("write it again with --write-baseline")


@pytest.mark.parametrize(
    "field, value, reason",
    [
        ("count", 0, "has no count"),
        ("count", True, "has no count"),
        ("count", "1", "has no count"),
        ("path", 1, "has a field that is no text"),
        ("message", None, "has a field that is no text"),
        ("more", "x", "has other fields"),
    ],
)
def test_a_damaged_finding_is_named(
    field: str, value: object, reason: str, file: Path
) -> None:
    entries = [ENTRY, {**ENTRY, field: value}]
    file.write_text(json.dumps({"version": 1, "findings": entries}))
    with pytest.raises(SettingsError, match=f"finding 2 {reason}"):
        baseline.read(str(file))


def test_bytes_that_are_no_text_are_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(SettingsError, match="it is not JSON"):
        baseline.read(str(file))


def test_a_missing_baseline_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file .*; write it first with"):
        baseline.read(str(tmp_path / "none.json"))
