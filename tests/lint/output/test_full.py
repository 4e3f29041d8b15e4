"""Frames of `full`: which lines are shown, and where carets stand."""

from __future__ import annotations

from support.lint_reports import finding, render

from astgen.check.finding import Finding
from astgen.lint.report import Report, Result, lines_around


def drawn(text: str, found: Finding, width: int = 80) -> list[str]:
    """The frame of a finding in a text."""
    lines = {("", number): line for number, line in enumerate(text.split("\n"), 1)}
    report = Report((Result("a.py", 1, (found,), lines),), "1.2.3")
    return render(report, "full", width=width).split("\n")[2:-2]


def test_a_line_has_one_before_and_one_after_it() -> None:
    text = "one\ntwo\nthree\nfour\nfive"
    assert drawn(text, finding(3, 1, 5)) == [
        "  |",
        "2 | two",
        "3 | three",
        "  | ^^^^^",
        "4 | four",
        "  |",
    ]


def test_empty_lines_around_are_left_out() -> None:
    assert drawn("\none\n  \n", finding(2, 2, 1)) == ["  |", "2 | one", "  |  ^", "  |"]


def test_numbers_of_different_length_end_below_each_other() -> None:
    text = "\n".join(["x"] * 12)
    assert drawn(text, finding(10, 1, 1))[1:5] == [
        " 9 | x",
        "10 | x",
        "   | ^",
        "11 | x",
    ]


def test_a_long_range_is_shown_by_its_ends() -> None:
    text = "\n".join(f"    line_{number}" for number in range(1, 1001))
    found = drawn(text, Finding(10, 5, 900, 9, "AG101", "long"))
    assert [row for row in found if "^" not in row] == [
        "    |",
        "  9 |     line_9",
        " 10 |     line_10",
        " 11 |     line_11",
        "...",
        "899 |     line_899",
        "900 |     line_900",
        "901 |     line_901",
        "    |",
    ]
    assert sum("^" in row for row in found) == 4


def test_the_lines_that_are_wanted_are_few() -> None:
    assert lines_around(finding(7, 1, 1)) == [6, 7, 8]
    assert lines_around(Finding(7, 1, 8, 1, "AG101", "")) == [6, 7, 8, 9]
    long = lines_around(Finding(1, 1, 10**9, 1, "AG101", ""))
    assert long == [0, 1, 2, 10**9 - 1, 10**9, 10**9 + 1]


def test_a_finding_without_its_line_has_no_frame() -> None:
    report = Report((Result("m", 0, (finding(1, 1, 0, hint="look"),)),), "1.2.3")
    rows = render(report, "full").split("\n")
    assert rows == [
        "error[AG101] undefined-name: AG101 is broken",
        " --> :1:1",
        "  = help: look",
        "",
        "",
    ]


def test_an_end_before_the_start_is_no_harm() -> None:
    found = drawn("one\ntwo\nthree", Finding(2, 3, 1, 1, "AG101", "odd"))
    assert found[1:5] == ["1 | one", "2 | two", "  |   ^", "3 | three"]


def test_lines_of_another_program_of_the_file_are_not_shown() -> None:
    lines = {("one", 1): "in one", ("two", 1): "in two"}
    found = finding(1, 1, 2, path="m", member="two")
    text = render(Report((Result("m", 2, (found,), lines),), "1.2.3"), "full")
    assert "in two" in text and "in one" not in text
    assert "--> m[two]:1:1" in text


def test_a_narrow_terminal_leaves_room_for_something() -> None:
    rows = drawn("x" * 100, finding(1, 50, 3), width=1)
    assert rows[1] == "1 | …" + "x" * 18 + "…"
