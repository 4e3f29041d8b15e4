"""All rules of the linter: those of the checker, and those of one module a family here."""

from __future__ import annotations

from astgen.check.finding import Rule
from astgen.check.rules import RULES
from astgen.lint.rules import (
    artifacts,
    constants,
    engine,
    files,
    imports,
    indexes,
    layout,
    lifetimes,
    operators,
    performance,
    pickles,
    suppression,
)

__all__ = ["ALL_RULES"]

_FAMILIES = (
    files,
    layout,
    engine,
    imports,
    lifetimes,
    indexes,
    constants,
    operators,
    artifacts,
    pickles,
    performance,
    suppression,
)

ALL_RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in sorted(
        (*RULES.values(), *(rule for family in _FAMILIES for rule in family.RULES)),
        key=lambda rule: rule.code,
    )
}
"""All rules by code, in the order of their codes."""
