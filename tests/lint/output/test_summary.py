"""The closing sentences, and the table by rule."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.lint_reports import awkward, clean, finding, stand_ins

from astgen.check.finding import Edit, Finding, Severity
from astgen.lint.output import Style, renderer, statistics, summary
from astgen.lint.report import Report, Result


def said(*results: Result, severity: Severity = "warning") -> str:
    """The summary of a report."""
    with stand_ins():
        return summary(Report(results, "1.2.3"), severity)


ERROR = finding(1, 1, 1)
WARNING = finding(1, 1, 1, "AG203")
NOTE = finding(1, 1, 1, "AG605")
A = Result("a.py", 1)


def test_a_clean_run_says_what_was_looked_at() -> None:
    assert said(*clean().results) == "All clean: 2 files, 4 programs."
    assert said(A) == "All clean: 1 file, 1 program."


def test_a_run_over_nothing_is_not_called_clean() -> None:
    assert said() == "Nothing to look at: no files."
    assert said(Result("notes.txt", passed=True)) == (
        "No generated code found. Passed over 1 other file without generated code."
    )


def test_files_without_programs_are_not_called_clean() -> None:
    empty = Result("notes.py", 0, suppressed=1)
    assert said(empty) == (
        "No generated code found in 1 file. 1 suppressed by comments."
    )
    assert said(empty, empty).startswith("No generated code found in 2 files.")
    assert said(empty, A).startswith("All clean: 2 files, 1 program.")


@pytest.mark.parametrize(
    "findings, expected",
    [
        ((ERROR,), "Found 1 error in"),
        ((ERROR, ERROR), "Found 2 errors in"),
        ((WARNING, ERROR), "Found 1 error and 1 warning in"),
        ((NOTE, WARNING, ERROR), "Found 1 error, 1 warning and 1 note in"),
        ((NOTE,), "Found 1 note in"),
        ((ERROR,) * 1234, "Found 1,234 errors in"),
    ],
)
def test_findings_are_counted_by_severity(
    findings: tuple[Finding, ...], expected: str
) -> None:
    text = said(replace(A, findings=findings), A)
    assert text == f"{expected} 1 of 2 files (2 programs)."


def test_what_is_not_shown_is_counted_and_the_way_to_it_named() -> None:
    hidden = replace(A, hidden=12)
    assert said(hidden).endswith(" 12 notes not shown; see all with --severity note.")
    assert said(replace(A, hidden=1)).count("1 note not shown") == 1
    assert "12 findings not shown" in said(hidden, severity="error")


def test_mended_suppressed_and_known_ones_are_mentioned() -> None:
    edits = (Edit(1, 1, 1, 1, "x"),)
    found = (replace(ERROR, edits=edits), replace(ERROR, edits=edits, member="m"))
    assert " 1 can be mended with --fix." in said(replace(A, findings=found))
    assert said(replace(A, suppressed=2)).endswith(" 2 suppressed by comments.")
    assert said(replace(A, known=3)).endswith(" 3 known from the baseline.")


def test_a_layout_is_mended_without_edits() -> None:
    layout = finding(1, 1, 1, "AG002")
    found = (layout, replace(layout, member="m"))
    report = Report((replace(A, findings=found),), "1.2.3")
    assert " 1 can be mended with --fix." in summary(report, "note")
    for name in ("full", "concise"):
        text = "".join(renderer(name)(report, Style()))
        assert text.count("[*]") == 1
    log = json.loads("".join(renderer("sarif")(report, Style())))
    # An empty list of replacements is no valid SARIF.
    assert ["fixes" in one for one in log["runs"][0]["results"]] == [False, False]


def test_a_file_that_the_linter_broke_down_on_is_mentioned() -> None:
    assert said(replace(A, findings=(ERROR,), failed=True)).endswith(
        " The linter broke down on 1 file."
    )


def test_statistics_name_the_most_frequent_rule_first() -> None:
    with stand_ins():
        rows = statistics(awkward()).split("\n")
        listed = json.loads(statistics(awkward(), "json"))
        lines = statistics(awkward(), "jsonl").split("\n")
    assert rows[0].split() == ["5", "AG101", "[", "]", "undefined-name", "error"]
    assert rows[1].split() == ["2", "AG203", "[-]", "missing-del", "warning"]
    assert rows[2].split() == ["1", "AG605", "[*]", "legacy-artifact", "note"]
    assert [row["count"] for row in listed] == [5, 2, 1, 1]
    assert [row["rule"] for row in listed] == ["AG101", "AG203", "AG605", "AG902"]
    assert [json.loads(line) for line in lines] == listed


def test_statistics_of_nothing_are_empty() -> None:
    assert statistics(clean()) == ""
    assert json.loads(statistics(clean(), "json")) == []
