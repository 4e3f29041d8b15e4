"""The checker on one page: parse, compare with the grammar, walk the names.

`scan` keeps the parsed tree, so that the very tree that was checked is the one
that is compiled. `check` is for those who only want the findings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from astgen.check.dialect import DEFAULT_DIALECT, MODULES, Dialect
from astgen.check.finding import Finding
from astgen.check.grammar import Mismatch, match
from astgen.check.scope import walk

__all__ = ["Scan", "check", "scan"]

_PLACES = {
    "module": ("AG501", "a program is imports, then functions"),
    "toplevel": ("AG501", "a program is imports, then functions"),
    "alias": ("AG102", f"only {' and '.join(MODULES)} are imported, as they are"),
    "parameters": ("AG501", "parameters are names with defaults and stars"),
    "parameter": ("AG501", "parameters are names with defaults and stars"),
    "statement": ("AG501", "a body is assignments, calls, del and return"),
    "local": ("AG501", "only plain names are assigned"),
    "deleted": ("AG501", "only plain names are deleted"),
    "call": ("AG501", "only calls stand alone"),
    "callee": ("AG503", "callees are listed paths and methods, slots and functions"),
    "slot": ("AG503", "callees are listed paths and methods, slots and functions"),
    "depth": ("AG509", "deep arguments go through temporaries"),
}
_ELSEWHERE = (
    "AG508",
    "expressions are names, literals, containers, slices and calls",
)


@dataclass(frozen=True)
class Scan:
    """What one look at a text gave.

    Attributes:
        tree: The parsed module, None if the text does not parse.
        findings: All findings, in the order of the text.
        paths: The dotted paths from `torch` or `operator` that the text names.
        pieces: The slots of pieces that the text calls.
    """

    tree: ast.Module | None
    findings: tuple[Finding, ...]
    paths: frozenset[str] = frozenset()
    pieces: frozenset[int] = frozenset()


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
) -> Scan:
    """Check a program and keep what was learned; see `check` for the arguments."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Scan(None, (_unparsable(error),))
    mismatches = match(tree)
    names = walk(
        tree,
        refused=frozenset(id(mismatch.node) for mismatch in mismatches),
        consts=consts,
        submods=submods,
        dialect=dialect,
    )
    found = [_finding(*_misfit(mismatch)) for mismatch in mismatches]
    found += [_finding(*problem) for problem in names.problems]
    lines = text.splitlines(keepends=True)
    findings = _ordered(found, lines)
    return Scan(tree, findings, frozenset(names.paths), frozenset(names.pieces))


def _misfit(mismatch: Mismatch) -> tuple[str, ast.AST, str, str]:
    rule, hint = _PLACES.get(mismatch.place, _ELSEWHERE)
    message = f"{mismatch.what} is not allowed here"
    return rule, mismatch.node, message, hint


def _finding(rule: str, node: ast.AST, message: str, hint: str) -> Finding:
    line = getattr(node, "lineno", 1)
    column = getattr(node, "col_offset", 0)
    return Finding(
        line=line,
        column=column,
        end_line=getattr(node, "end_lineno", line),
        end_column=getattr(node, "end_col_offset", column),
        rule=rule,
        message=message,
        hint=hint,
    )


def _ordered(found: Iterable[Finding], lines: list[str]) -> tuple[Finding, ...]:
    """In the order of the text, with columns as an editor counts them."""
    return tuple(
        replace(
            finding,
            column=_characters(lines, finding.line, finding.column) + 1,
            end_column=_characters(lines, finding.end_line, finding.end_column) + 1,
        )
        for finding in sorted(set(found))
    )


def _characters(lines: list[str], line: int, offset: int) -> int:
    """`ast` counts UTF-8 bytes; people count characters."""
    if not 0 < line <= len(lines) or lines[line - 1].isascii():
        return offset
    return len(
        lines[line - 1].encode("utf-8", "replace")[:offset].decode("utf-8", "replace")
    )


def _unparsable(error: Exception) -> Finding:
    line = getattr(error, "lineno", None) or 1
    column = getattr(error, "offset", None) or 1
    reason = getattr(error, "msg", None) or str(error) or "nesting is too deep to parse"
    return Finding(
        line=line,
        column=column,
        end_line=getattr(error, "end_lineno", None) or line,
        end_column=getattr(error, "end_offset", None) or column,
        rule="AG001",
        message=f"not a Python program: {reason}",
        hint="regenerate it from its graph",
    )
