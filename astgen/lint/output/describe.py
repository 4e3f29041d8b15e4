"""What all formats say of a finding: its rule, its place, whether it is mended."""

from __future__ import annotations

from astgen.check.finding import Finding, Rule
from astgen.lint.output.cells import printable_path
from astgen.lint.rules import ALL_RULES
from astgen.lint.rules.layout import NOT_FORMATTED

__all__ = ["file_of", "mendable", "place", "rule_of"]


def rule_of(finding: Finding) -> Rule:
    """The rule of a finding."""
    return ALL_RULES[finding.rule]


def mendable(finding: Finding) -> bool:
    """Whether `--fix` mends it: only texts that are a file of their own are written."""
    # The layout is mended as a whole, without edits that a finding could carry.
    is_layout = finding.rule == NOT_FORMATTED.code
    return (is_layout or bool(finding.edits)) and not finding.member


def file_of(finding: Finding) -> str:
    """The file and the program in it, for people: `model[execution_code]`."""
    member = f"[{finding.member}]" if finding.member else ""
    return printable_path(f"{finding.path}{member}")


def place(finding: Finding) -> str:
    """Where a finding is, for people: `model[execution_code]:3:28`."""
    return f"{file_of(finding)}:{finding.line}:{finding.column}"
