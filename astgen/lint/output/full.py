"""`--output-format full`: what is wrong, the code around it, and the way out."""

from __future__ import annotations

from collections.abc import Iterator

from astgen.check.finding import Finding
from astgen.lint.output.cells import printable
from astgen.lint.output.describe import mendable, place, rule_of
from astgen.lint.output.frame import frame
from astgen.lint.output.style import Style, paint
from astgen.lint.report import Report, Result

__all__ = ["render"]


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report for people at a terminal.

    Args:
        report: The report.
        style: Colour and width.

    Returns:
        A chunk for each finding, an empty line at its end.
    """
    for result, finding in report:
        yield "\n".join(_lines(result, finding, style)) + "\n\n"


def _lines(result: Result, finding: Finding, style: Style) -> Iterator[str]:
    rule = rule_of(finding)
    kind = paint(f"{rule.severity}[{rule.code}]", rule.severity, style)
    mark = f" {paint('[*]', 'mendable', style)}" if mendable(finding) else ""
    message = paint(f": {printable(finding.message)}", "strong", style)
    yield f"{kind}{mark} {rule.name}{message}"
    margin, drawn = frame(finding, result.lines, style)
    arrow = paint(f"{'':{margin}}-->", "frame", style)
    yield f"{arrow} {place(finding)}"
    yield from drawn
    if finding.hint:
        equals = paint(f"{'':{margin}} =", "frame", style)
        help_word = paint("help", "strong", style)
        yield f"{equals} {help_word}: {printable(finding.hint)}"
