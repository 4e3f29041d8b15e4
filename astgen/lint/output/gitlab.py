"""`--output-format gitlab`: a code quality report of GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astgen.check.finding import Finding, Severity
from astgen.lint.output.describe import place, rule_of
from astgen.lint.output.dumped import dumped
from astgen.lint.output.identity import fingerprinted, relative
from astgen.lint.output.style import Style
from astgen.lint.report import Report

__all__ = ["render"]

_SEVERITIES: dict[Severity, str] = {
    "error": "critical",
    "warning": "major",
    "note": "info",
}


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report for the code quality widget of GitLab.

    Args:
        report: The report.
        style: The folder that paths are relative to: the root of the repository.

    Returns:
        Chunks of a JSON array, a line for each finding.
    """
    yield "["
    separator = "\n  "
    for _, finding, fingerprint in fingerprinted(report, style.root):
        yield f"{separator}{dumped(_issue(finding, fingerprint, style))}"
        separator = ",\n  "
    yield "\n]\n" if report.findings else "]\n"


def _issue(finding: Finding, fingerprint: str, style: Style) -> dict[str, Any]:
    rule = rule_of(finding)
    # Lines of a program inside of a file are not lines of the file.
    inside = f" (at {place(finding)})" if finding.member else ""
    hint = f"; {finding.hint}" if finding.hint else ""
    return {
        "description": f"{rule.code} {rule.name}: {finding.message}{hint}{inside}",
        "check_name": rule.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[rule.severity],
        "location": {
            "path": relative(finding.path, style.root) or finding.path,
            "lines": {
                "begin": 1 if finding.member else finding.line,
                "end": 1 if finding.member else finding.end_line,
            },
        },
    }
