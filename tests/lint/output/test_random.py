"""Frames around random places in random text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.lint_reports import finding, render

from astgen.lint.output.cells import cells, cut
from astgen.lint.report import Report, Result

TEXT = st.text(st.characters(), max_size=300) | st.text(
    "ab\u0301量\t\x1b", max_size=300
)


def width(text: str) -> int:
    return sum(cell for _, cell in cells(text))


@given(TEXT, st.integers(-3, 310), st.integers(-3, 310), st.integers(20, 120))
def test_a_cut_fits_and_marks_what_it_should(
    line: str, start: int, end: int, room: int
) -> None:
    found = cut(line, start, end, room)
    assert found.shown.isprintable()
    assert width(found.shown) <= room
    # Where what is marked is of no width, the caret stands behind it.
    assert 0 <= found.before <= width(found.shown)
    assert 1 <= found.marked
    assert found.before + found.marked <= max(width(found.shown), found.before + 1)


@given(TEXT, st.integers(0, 300), st.integers(1, 300))
def test_carets_stand_below_the_characters_that_are_marked(
    line: str, start: int, length: int
) -> None:
    start = min(start, len(line))
    marked = "".join(text for text, _ in cells(line))
    found = cut(line, start, start + length, max(20, width(line)))
    assert found.shown == marked
    before = [cell for _, cell in cells(line)][:start]
    assert found.before == sum(before)


@given(
    st.lists(TEXT.map(lambda line: line.replace("\n", "")), min_size=1, max_size=4),
    st.integers(-1, 10**7),
    st.integers(-1, 10**7),
    st.integers(1, 5),
    st.integers(1, 200),
)
def test_no_report_breaks_a_terminal_or_is_wider_than_it(
    lines: list[str], column: int, length: int, line: int, columns: int
) -> None:
    found = finding(line, column, length, path="a.py", message=lines[0])
    known = {("", number): text for number, text in enumerate(lines, 1)}
    report = Report((Result("a.py", 1, (found,), known),), "1.2.3")
    drawn = render(report, "full", width=columns).split("\n")
    assert all(row.isprintable() for row in drawn)
    frame = [row for row in drawn if "|" in row[:4]]
    assert all(width(row) <= max(columns, 24) for row in frame if "^" not in row[4:])
