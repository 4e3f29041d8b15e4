"""The checker on one page: parse, walk through grammar and names, locate what is wrong.

`scan` keeps the parsed tree, so that the very tree that was checked is the one
that is compiled. `check` is for those who only want the findings.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from astgen.check.dialect import DEFAULT_DIALECT, Dialect
from astgen.check.finding import Finding
from astgen.check.misfit import misfit
from astgen.check.parse import parse
from astgen.check.report import locate
from astgen.check.scope import Reference
from astgen.check.walk import walk

__all__ = ["Scan", "check", "scan"]


@dataclass(frozen=True)
class Scan:
    """What one look at a text gave.

    Attributes:
        tree: The parsed module, None if the text does not parse.
        findings: All findings, in the order of the text.
        paths: The listed paths from `torch` or `operator` that the text names.
        pieces: The slots of pieces that the text calls.
        in_grammar: Whether every node of the tree has its place in the grammar.
        references: Where the text names paths and slots; complete if there are no
            findings.
    """

    tree: ast.Module | None
    findings: tuple[Finding, ...]
    paths: frozenset[str] = frozenset()
    pieces: frozenset[int] = frozenset()
    in_grammar: bool = False
    references: list[Reference] = field(default_factory=list)


def check(
    text: str,
    *,
    consts: int | None = None,
    submods: int | None = None,
    dialect: Dialect = DEFAULT_DIALECT,
    path: str = "",
) -> tuple[Finding, ...]:
    """Check a program without running, importing or resolving anything of it.

    Args:
        text: The source text.
        consts: Number of constant slots, if known; a higher index is a finding.
        submods: Number of piece slots, if known; a higher index is a finding.
        dialect: The names and operator namespaces that are allowed.
        path: Where the text came from, for the findings.

    Returns:
        All findings, in the order of the text; empty if the text may be run.
    """
    found = scan(text, consts=consts, submods=submods, dialect=dialect).findings
    return tuple(replace(finding, path=path) for finding in found) if path else found


def scan(
    text: str,
    *,
    consts: int | None = None,
    submods: int | None = None,
    dialect: Dialect = DEFAULT_DIALECT,
    most: int | None = None,
) -> Scan:
    """Check a program and keep what was learned.

    Args:
        text: The source text; see `check` for the other arguments.
        most: How many problems become findings, the first ones; None for all.
    """
    tree = parse(text)
    if isinstance(tree, Finding):
        return Scan(None, (tree,))
    seen = walk(tree, consts=consts, submods=submods, dialect=dialect)
    problems = [*map(misfit, seen.mismatches), *seen.problems]
    return Scan(
        tree,
        locate(problems, text, most),
        seen.paths,
        seen.pieces,
        not seen.mismatches,
        seen.references,
    )
