"""The rules of the checker: one module a family, one value a rule.

A rule carries what people need to know of it, and its examples are its tests
and its documentation. What finds a violation is elsewhere: the modules that
walk over a program import the rules that they report.
"""

from __future__ import annotations

from astgen.check.finding import Rule
from astgen.check.rules import liveness, namespace, parsing, pieces, slots, syntax

__all__ = ["RULES"]

_FAMILIES = (parsing, namespace, liveness, slots, pieces, syntax)

RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in sorted(
        (rule for family in _FAMILIES for rule in family.RULES),
        key=lambda rule: rule.code,
    )
}
"""All rules by code, in the order of their codes."""
