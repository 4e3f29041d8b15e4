"""`--output-format jsonl`: one JSON object a line, for streams and `grep`."""

from __future__ import annotations

from collections.abc import Iterator

from astgen.lint.output.dumped import dumped
from astgen.lint.output.record import record
from astgen.lint.output.style import Style
from astgen.lint.report import Report

__all__ = ["render"]


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report as lines of JSON.

    Args:
        report: The report.
        style: Nothing of it counts here.

    Returns:
        A line for each finding.
    """
    for _, finding in report:
        yield f"{dumped(record(finding))}\n"
