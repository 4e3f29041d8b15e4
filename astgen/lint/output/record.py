"""A finding as the JSON formats of astgen write it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from astgen.check.finding import Finding
from astgen.lint.output.describe import mendable, rule_of

__all__ = ["record"]


def record(finding: Finding) -> dict[str, Any]:
    """Everything that is known of a finding.

    Returns:
        Values that JSON can write. `fix` is None unless `--fix` mends the finding; a
        layout is mended as a whole, without edits.
        Columns count characters from 1.
    """
    rule = rule_of(finding)
    edits = [asdict(edit) for edit in finding.edits]
    return {
        "rule": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "message": finding.message,
        "hint": finding.hint,
        "path": finding.path,
        "member": finding.member,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "fix": {"edits": edits} if mendable(finding) else None,
    }
