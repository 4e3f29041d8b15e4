"""`--output-format json`: one object with the findings and the counts."""

from __future__ import annotations

from collections.abc import Iterator

from astgen.lint.output.dumped import dumped
from astgen.lint.output.record import record
from astgen.lint.output.style import Style
from astgen.lint.output.summary import counts
from astgen.lint.report import Report

__all__ = ["render"]

_FORMAT = 1


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report as one JSON object.

    Args:
        report: The report.
        style: Nothing of it counts here.

    Returns:
        Chunks of the object, a line for each finding.
    """
    head = {"format": _FORMAT, "version": report.version, "counts": counts(report)}
    yield f'{dumped(head)[:-1]}, "findings": ['
    separator = "\n  "
    for _, finding in report:
        yield f"{separator}{dumped(record(finding))}"
        separator = ",\n  "
    yield "\n]}\n" if report.findings else "]}\n"
