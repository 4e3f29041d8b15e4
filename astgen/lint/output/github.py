"""`--output-format github`: commands that GitHub turns into annotations."""

from __future__ import annotations

from collections.abc import Iterator

from astgen.check.finding import Finding, Severity
from astgen.lint.output.cells import printable, printable_path
from astgen.lint.output.describe import place, rule_of
from astgen.lint.output.identity import relative
from astgen.lint.output.style import Style
from astgen.lint.report import Report

__all__ = ["render"]

_COMMANDS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "notice",
}


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report for the log of a GitHub workflow.

    Args:
        report: The report.
        style: The folder that paths are relative to.

    Returns:
        A line for each finding.
    """
    for _, finding in report:
        yield _command(finding, style)


def _command(finding: Finding, style: Style) -> str:
    rule = rule_of(finding)
    file = relative(finding.path, style.root) or finding.path
    properties = {"file": printable_path(file)}
    # Lines of a program inside of a file are not lines of the file.
    if not finding.member:
        properties["line"] = str(finding.line)
        properties["endLine"] = str(finding.end_line)
        # GitHub takes columns for ranges within a line only.
        if finding.line == finding.end_line:
            properties["col"] = str(finding.column)
            properties["endColumn"] = str(finding.end_column)
    properties["title"] = f"{rule.code} {rule.name}"
    listed = ",".join(f"{key}={_property(text)}" for key, text in properties.items())
    message = f"{place(finding)}: {printable(finding.message)}"
    if finding.hint:
        message += f"\nhelp: {printable(finding.hint)}"
    return f"::{_COMMANDS[rule.severity]} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
