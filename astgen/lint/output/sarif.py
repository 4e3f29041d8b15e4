"""`--output-format sarif`: SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from astgen.check.finding import Edit, Finding, Rule, Sample, Severity
from astgen.lint.output.describe import mendable, place, rule_of
from astgen.lint.output.dumped import dumped
from astgen.lint.output.identity import fingerprinted, uri
from astgen.lint.output.style import Style
from astgen.lint.report import Report
from astgen.lint.rules import ALL_RULES

__all__ = ["render"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)
_BASE = "%SRCROOT%"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}
_PROBLEMS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "recommendation",
}
"""What GitHub calls severities in the properties of rules."""


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report as one SARIF log.

    Args:
        report: The report.
        style: The folder that paths are relative to.

    Returns:
        Chunks of the JSON object, a line for each finding.
    """
    broken = {finding.rule for _, finding in report}
    rules = [rule for code, rule in ALL_RULES.items() if code in broken]
    index = {rule.code: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": _driver(report, rules)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _BASE: {"description": {"text": "The folder that astgen was started in."}}
        },
        "invocations": [
            {"executionSuccessful": not any(one.failed for one in report.results)}
        ],
    }
    head = {"$schema": _SCHEMA, "version": "2.1.0"}
    yield f'{dumped(head)[:-1]}, "runs": [\n{dumped(run)[:-1]}, "results": ['
    separator = "\n  "
    for _, finding, fingerprint in fingerprinted(report, style.root):
        result = _result(finding, index[finding.rule], fingerprint, style)
        yield f"{separator}{dumped(result)}"
        separator = ",\n  "
    yield "\n]}]}\n" if report.findings else "]}]}\n"


def _driver(report: Report, rules: list[Rule]) -> dict[str, Any]:
    return {
        "name": "astgen",
        "version": report.version,
        "rules": [_descriptor(rule) for rule in rules],
    }


def _descriptor(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.reason},
        "help": {
            "text": f"{rule.reason} See `astgen rule {rule.code}` for examples.",
            "markdown": _page(rule),
        },
        "defaultConfiguration": {
            "enabled": rule.default,
            "level": _LEVELS[rule.severity],
        },
        "properties": {"problem.severity": _PROBLEMS[rule.severity]},
    }


def _page(rule: Rule) -> str:
    parts = [rule.reason]
    for title, examples in (("Wrong", rule.bad), ("Right", rule.good)):
        for example in examples[:1]:
            if isinstance(example, Sample):
                kind, text = "text", example.shown
            else:
                kind, text = "python", example
            parts.append(f"{title}:\n\n```{kind}\n{text.rstrip()}\n```")
    return "\n\n".join(parts)


def _result(
    finding: Finding, index: int, fingerprint: str, style: Style
) -> dict[str, Any]:
    severity = rule_of(finding).severity
    hint = f" ({finding.hint})" if finding.hint else ""
    inside = f"{place(finding)}: " if finding.member else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[severity],
        "message": {"text": f"{inside}{finding.message}{hint}"},
        "locations": [_location(finding, style)],
        "partialFingerprints": {"astgen/v1": fingerprint},
    }
    if mendable(finding) and finding.edits:
        change = {
            "artifactLocation": _artifact(finding, style),
            "replacements": [
                {
                    "deletedRegion": _region(edit),
                    "insertedContent": {"text": edit.text},
                }
                for edit in finding.edits
            ],
        }
        text = finding.hint or finding.message
        result["fixes"] = [{"description": {"text": text}, "artifactChanges": [change]}]
    return result


def _location(finding: Finding, style: Style) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(finding, style)}
    if not finding.member:
        physical["region"] = _region(finding)
        return {"physicalLocation": physical}
    # A region would be one of the file, and the program has lines of its own.
    logical = {
        "name": finding.member,
        "fullyQualifiedName": f"{finding.path}[{finding.member}]",
        "kind": "resource",
    }
    return {
        "physicalLocation": physical,
        "logicalLocations": [logical],
        "properties": {"memberRegion": _region(finding)},
    }


def _artifact(finding: Finding, style: Style) -> dict[str, Any]:
    where, below = uri(finding.path, style.root)
    return {"uri": where, "uriBaseId": _BASE} if below else {"uri": where}


def _region(place: Finding | Edit) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
