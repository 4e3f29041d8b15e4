"""What a run comes down to: counts, a table by rule, and a closing sentence."""

from __future__ import annotations

from collections import Counter
from typing import Any

from astgen.check.finding import SEVERITIES, Severity
from astgen.lint.output.describe import mendable, rule_of
from astgen.lint.output.dumped import dumped
from astgen.lint.report import Report
from astgen.lint.rules import ALL_RULES

__all__ = ["counts", "statistics", "summary"]


def counts(report: Report) -> dict[str, int]:
    """How much of everything a report has, under the names of the JSON format."""
    results = report.results
    severities = Counter(rule_of(finding).severity for _, finding in report)
    return {
        "files": sum(not result.passed for result in results),
        "files_with_findings": sum(bool(result.findings) for result in results),
        "files_passed_over": sum(result.passed for result in results),
        "files_failed": sum(result.failed for result in results),
        "programs": sum(result.programs for result in results),
        "errors": severities["error"],
        "warnings": severities["warning"],
        "notes": severities["note"],
        "mendable": sum(mendable(finding) for _, finding in report),
        "hidden": sum(result.hidden for result in results),
        "suppressed": sum(result.suppressed for result in results),
        "known": sum(result.known for result in results),
    }


def summary(report: Report, severity: Severity = "warning") -> str:
    """The closing sentences of a run, on one line.

    Args:
        report: The report.
        severity: The lowest severity that is reported.

    Returns:
        What was found and where, and what was left out and why.
    """
    count = counts(report)
    if not report.results:
        return "Nothing to look at: no files."
    if report.findings:
        found = _and(
            _some(count[f"{severity}s"], severity)
            for severity in reversed(SEVERITIES)
            if count[f"{severity}s"]
        )
        where = f"{count['files_with_findings']} of {_some(count['files'], 'file')}"
        first = f"Found {found} in {where} ({_some(count['programs'], 'program')})."
    elif count["programs"]:
        looked = _some(count["files"], "file"), _some(count["programs"], "program")
        first = f"All clean: {', '.join(looked)}."
    elif count["files"]:
        first = f"No generated code found in {_some(count['files'], 'file')}."
    else:
        first = "No generated code found."
    return " ".join([first, *_asides(count, severity)])


def _asides(count: dict[str, int], severity: Severity) -> list[str]:
    """Sentences about what the first one does not say."""
    said = []
    if count["mendable"]:
        said.append(f"{count['mendable']} can be mended with --fix.")
    if count["hidden"]:
        below = SEVERITIES[: SEVERITIES.index(severity)]
        kind = below[0] if len(below) == 1 else "finding"
        them = _some(count["hidden"], kind)
        said.append(f"{them} not shown; see all with --severity note.")
    if count["suppressed"]:
        said.append(f"{count['suppressed']} suppressed by comments.")
    if count["known"]:
        said.append(f"{count['known']} known from the baseline.")
    if count["files_passed_over"]:
        files = _some(count["files_passed_over"], "other file")
        said.append(f"Passed over {files} without generated code.")
    if count["files_failed"]:
        said.append(f"The linter broke down on {_some(count['files_failed'], 'file')}.")
    return said


def statistics(report: Report, format: str = "full") -> str:
    """How often each rule is broken, the most frequent first.

    Args:
        report: The report.
        format: `json` and `jsonl` give JSON, other formats a table.

    Returns:
        Lines without a newline at the end; empty if there is nothing to count.
    """
    found = Counter(finding.rule for _, finding in report)
    mended = Counter(finding.rule for _, finding in report if mendable(finding))
    rows: list[dict[str, Any]] = [
        {
            "rule": code,
            "name": ALL_RULES[code].name,
            "severity": ALL_RULES[code].severity,
            "count": count,
            "mendable": mended[code],
        }
        for code, count in sorted(found.items(), key=lambda row: (-row[1], row[0]))
    ]
    if format == "json":
        return dumped(rows)
    if format == "jsonl":
        return "\n".join(map(dumped, rows))
    return _table(rows)


def _table(rows: list[dict[str, Any]]) -> str:
    digits = max((len(str(row["count"])) for row in rows), default=0)
    longest = max((len(row["name"]) for row in rows), default=0)
    lines = []
    for row in rows:
        # All of them, some of them, none of them.
        mended = row["mendable"]
        mark = "*" if mended == row["count"] else "-" if mended else " "
        lines.append(
            f"{row['count']:>{digits}}  {row['rule']}  [{mark}]  "
            f"{row['name']:<{longest}}  {row['severity']}"
        )
    return "\n".join(lines)


def _some(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def _and(things: Any) -> str:
    listed = list(things)
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if listed[1:] else listed)
