"""`--output-format concise`: one line a finding."""

from __future__ import annotations

from collections.abc import Iterator

from astgen.lint.output.cells import printable
from astgen.lint.output.describe import file_of, mendable, rule_of
from astgen.lint.output.style import Style, paint
from astgen.lint.report import Report

__all__ = ["render"]


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report for people who know the rules, and for editors.

    Args:
        report: The report.
        style: Colour.

    Returns:
        A line for each finding.
    """
    for _, finding in report:
        file = paint(file_of(finding), "strong", style)
        code = paint(finding.rule, rule_of(finding).severity, style)
        mark = f" {paint('[*]', 'mendable', style)}" if mendable(finding) else ""
        message = printable(finding.message)
        yield f"{file}:{finding.line}:{finding.column}: {code}{mark} {message}\n"
