"""Edits are applied where they belong, together or not at all."""

from __future__ import annotations

import pytest

from astgen.check.finding import Edit, Finding
from astgen.lint.fix import diff, fix


def finding(*edits: Edit) -> Finding:
    return Finding(1, 1, 1, 1, "AG203", "message", edits=edits)


def at(line: int, column: int, end_column: int, text: str) -> Edit:
    return Edit(line, column, line, end_column, text)


def test_edits_replace_insert_and_remove() -> None:
    text = "abc\ndef\nghi\n"
    edits = [at(1, 1, 2, "X"), at(2, 4, 4, "Y"), Edit(3, 1, 4, 1, "")]
    findings = [finding(edit) for edit in edits]
    fixed = fix(text, findings)
    assert fixed.text == "Xbc\ndefY\n"
    assert fixed.applied == tuple(findings)


def test_positions_are_characters() -> None:
    assert fix("é = ü\n", [finding(at(1, 5, 6, "x"))]).text == "é = x\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_ends_of_lines_are_those_of_the_text(newline: str) -> None:
    text = newline.join(["abc", "def", ""])
    wanted = newline.join(["abc", "new", "def", ""])
    assert fix(text, [finding(at(1, 4, 4, "\nnew"))]).text == wanted


def test_lines_end_where_python_ends_them() -> None:
    text = "a\x0cb\u2028c\nd\n"
    assert fix(text, [finding(at(2, 1, 2, "e"))]).text == "a\x0cb\u2028c\ne\n"


def test_a_missing_newline_at_the_end_stays_missing() -> None:
    assert fix("abc\ndef", [finding(at(2, 1, 2, "x"))]).text == "abc\nxef"


@pytest.mark.parametrize(
    "first, second",
    [
        (at(1, 1, 3, "X"), at(1, 2, 4, "Y")),
        (at(1, 1, 4, "X"), at(1, 2, 3, "Y")),
        (at(1, 2, 3, "X"), at(1, 1, 4, "Y")),
        (at(1, 2, 2, "X"), at(1, 2, 2, "Y")),
        (at(1, 1, 4, "X"), at(1, 2, 2, "Y")),
        (at(1, 1, 2, "X"), at(1, 1, 2, "X")),
    ],
)
def test_where_edits_meet_the_first_finding_wins(first: Edit, second: Edit) -> None:
    findings = [finding(first), finding(second)]
    fixed = fix("abc\n", findings)
    assert fixed.applied == (findings[0],)
    assert fixed.text == fix("abc\n", findings[:1]).text


@pytest.mark.parametrize(
    "first, second, wanted",
    [
        (at(1, 1, 2, "X"), at(1, 2, 3, "Y"), "XYc\n"),
        (at(1, 2, 3, "Y"), at(1, 1, 2, "X"), "XYc\n"),
        (at(1, 2, 2, "X"), at(1, 2, 3, "Y"), "aXYc\n"),
        (at(1, 2, 3, "Y"), at(1, 3, 3, "X"), "aYXc\n"),
    ],
)
def test_edits_that_only_touch_are_both_applied(
    first: Edit, second: Edit, wanted: str
) -> None:
    assert fix("abc\n", [finding(first), finding(second)]).text == wanted


def test_the_edits_of_a_finding_belong_together() -> None:
    one = finding(at(1, 1, 2, "X"))
    both = finding(at(2, 1, 2, "Y"), at(1, 1, 3, "Z"))
    later = finding(at(2, 1, 2, "W"))
    fixed = fix("abc\ndef\n", [one, both, later])
    assert fixed.text == "Xbc\nWef\n"
    assert fixed.applied == (one, later)


@pytest.mark.parametrize(
    "edit",
    [
        at(9, 1, 1, "X"),
        at(0, 1, 1, "X"),
        at(1, 0, 1, "X"),
        at(1, 3, 2, "X"),
        at(2, 1, 99, "X"),
        Edit(2, 1, 1, 1, "X"),
    ],
)
def test_an_edit_outside_of_the_text_is_none(edit: Edit) -> None:
    fixed = fix("abc\n", [finding(at(1, 1, 2, "Y"), edit)])
    assert fixed.text == "abc\n" and fixed.applied == ()


def test_a_finding_without_edits_mends_nothing() -> None:
    fixed = fix("abc\n", [finding()])
    assert fixed.text == "abc\n" and fixed.applied == ()


def test_a_diff_is_one_that_patch_reads() -> None:
    assert diff("a\nb\n", "a\nc\n", "x.py") == (
        "--- x.py\n+++ x.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )


def test_a_diff_shows_that_the_last_newline_is_missing() -> None:
    assert diff("a", "a\n", "x.py") == (
        "--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )


def test_a_diff_keeps_carriage_returns() -> None:
    assert "-a\r\n+b\r\n" in diff("a\r\n", "b\r\n", "x.py")


def test_texts_that_are_equal_have_no_diff() -> None:
    assert diff("a\n", "a\n", "x.py") == ""
