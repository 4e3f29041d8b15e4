"""Text in, findings out: what generated code may contain, and whether it does.

Nothing below this package imports torch or libcst, and nothing in it runs,
imports or unpickles what it checks.
"""

from __future__ import annotations

from astgen.check.dialect import DEFAULT_DIALECT, Dialect
from astgen.check.finding import Finding, Rule
from astgen.check.rules import RULES
from astgen.check.scan import Scan, check, scan

__all__ = [
    "DEFAULT_DIALECT",
    "RULES",
    "Dialect",
    "Finding",
    "Rule",
    "Scan",
    "check",
    "scan",
]
