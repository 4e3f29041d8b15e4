"""A finding -> the lines of code around it, with carets below what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from astgen.check.finding import Finding
from astgen.lint.output.cells import cut
from astgen.lint.output.describe import rule_of
from astgen.lint.output.style import Style, paint
from astgen.lint.report import lines_around

__all__ = ["frame"]

_LEAST_ROOM = 20


def frame(
    finding: Finding, lines: Mapping[tuple[str, int], str], style: Style
) -> tuple[int, list[str]]:
    """Draw the code around a finding.

    Args:
        finding: The finding.
        lines: Lines by member and number, as in `Result`.
        style: How wide, and with which colours.

    Returns:
        The width of the column of line numbers, and the lines to show; none if the
        line of the finding is not there.
    """
    if (finding.member, finding.line) not in lines:
        return 1, []
    rows = {}
    for number in lines_around(finding):
        line = lines.get((finding.member, number), "")
        if line.strip() or number == finding.line:
            rows[number] = line
    gutter = len(str(max(rows)))
    return gutter, list(_drawn(finding, rows, gutter, style))


def _drawn(
    finding: Finding, rows: Mapping[int, str], gutter: int, style: Style
) -> Iterator[str]:
    room = max(style.width - gutter - len(" | "), _LEAST_ROOM)
    blank = paint(f"{'':{gutter}} |", "frame", style)
    yield blank
    previous = min(rows)
    for number, line in rows.items():
        if number > previous + 1:
            yield paint("...", "frame", style)
        previous = number
        part = cut(line, *_marked(number, line, finding), room)
        head = paint(f"{number:>{gutter}} |", "frame", style)
        yield f"{head} {part.shown}".rstrip()
        if finding.line <= number <= max(finding.line, finding.end_line):
            carets = paint("^" * part.marked, rule_of(finding).severity, style)
            yield f"{blank} {'':{part.before}}{carets}"
    yield blank


def _marked(number: int, line: str, finding: Finding) -> tuple[int, int]:
    """The indices that carets stand below; context is shown from its beginning."""
    if not finding.line <= number <= max(finding.line, finding.end_line):
        return 0, 0
    indent = len(line) - len(line.lstrip())
    start = finding.column - 1 if number == finding.line else indent
    if number >= finding.end_line:
        return start, finding.end_column - 1
    return start, len(line.rstrip())
