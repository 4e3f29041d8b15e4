"""Repeated layers shown once.

What is left is for reading: its first line sees to it that nobody runs it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import partial

from astgen.check import Dialect
from astgen.lint.advice.facts import gather
from astgen.lint.advice.shape import shape_of
from astgen.review.dump.repeats import repeats
from astgen.review.dump.rows import equal_rows
from astgen.review.shapes import Shaped, shaped

__all__ = ["FOLDED", "folded"]

FOLDED = "folded, for reading: this text does not run"
"""The first line of every folded text; Python cannot read it."""

_NUMBER = re.compile(r"[0-9]+")
_LISTED = 4
_FIRST = 3
_WIDTH = 88


def folded(
    text: str,
    tree: ast.Module,
    dialect: Dialect,
    constants: Sequence[object] | None = None,
) -> str:
    """Show repeated functions, statements and parameters once.

    Args:
        text: A text that the grammar lets through; no two statements share a line.
        tree: Its tree.
        dialect: The names that have a meaning of their own.
        constants: The constants, as something that is equal for equal ones; None if
            they are not known.

    Returns:
        The folded text, without `FOLDED` in front; the same text if nothing is
        repeated.
    """
    lines = text.split("\n")
    equal = _equal_functions(tree, dialect)
    first = {name: names[0] for names in equal for name in names}
    alike = {names[0]: names for names in equal}
    found: list[str] = []
    end = 0
    for node in tree.body:
        behind = node.end_lineno or end
        part = lines[end:behind]
        if not isinstance(node, ast.FunctionDef):
            found += part
        elif node.name not in first:
            statements = shaped(node, dialect, first, constants)
            found += _Function(lines, end, node, statements).shown()
        elif node.name in alike:
            found += _marked(part, node.lineno - end - 1, alike[node.name])
        end = behind
    return "\n".join([*found, *lines[end:]])


def _equal_functions(tree: ast.Module, dialect: Dialect) -> list[list[str]]:
    """The inlined functions, those together that do the same."""
    found: dict[object, list[str]] = {}
    for name, body in gather(tree, dialect).functions.items():
        if dialect.is_inlined(name):
            found.setdefault(shape_of(body), []).append(name)
    return list(found.values())


def _marked(part: list[str], head: int, names: list[str]) -> list[str]:
    """The lines of a function, with a comment that says which others are equal."""
    if len(names) < 2:
        return part
    note = f"# {len(names)} functions, equal up to names: {_listed(names)}"
    return [*part[:head], note, *part[head:]]


def _listed(names: Sequence[str]) -> str:
    if len(names) > _LISTED:
        names = [*names[:_FIRST], "...", names[-1]]
    if len(", ".join(names)) > _WIDTH and len(names) > 2:
        names = [names[0], "...", names[-1]]
    return ", ".join(names)


class _Function:
    """A function whose parameters and statements are folded.

    Args:
        lines: The lines of the text.
        end: How many of them are in front of the function and what belongs to it.
        node: The function.
        statements: Its statements.
    """

    def __init__(
        self,
        lines: list[str],
        end: int,
        node: ast.FunctionDef,
        statements: list[Shaped],
    ) -> None:
        self.lines = lines
        self.node = node
        self.statements = statements
        self.head = end
        # Where the lines of each statement end; comments belong to the one below.
        self.ends = [one.end_lineno or 0 for one in node.body]

    def shown(self) -> list[str]:
        """The lines that are left."""
        return [*self._signature(), *self._body(0, len(self.statements))]

    def _part(self, start: int, end: int) -> list[str]:
        """The lines of some statements."""
        if start >= end:
            return []
        first = self.ends[start - 1] if start else self._body_begins()
        return self.lines[first : self.ends[end - 1]]

    def _body_begins(self) -> int:
        return self.node.body[0].lineno - 1

    def _signature(self) -> list[str]:
        """The lines up to the body, with rows of like parameters folded."""
        spec = self.node.args
        parameters = [*spec.posonlyargs, *spec.args]
        lines = [one.lineno for one in parameters]
        end = self._body_begins()
        if len(set(lines)) < len(lines) or self.node.lineno in lines:
            return self.lines[self.head : end]
        found: list[str] = []
        done = self.head
        for row in repeats([_NUMBER.sub("#", one.arg) for one in parameters]):
            shown = lines[row.start + row.period] - 1
            first = lines[row.start] - 1
            indent = " " * parameters[row.start].col_offset
            names = [
                parameters[row.start + i * row.period].arg for i in range(row.count)
            ]
            note = _note("parameter", row.period, row.count, "equal up to numbers")
            found += self.lines[done:first]
            found += [f"{indent}{note}", f"{indent}# {_listed(names)}"]
            found += [*self.lines[first:shown], f"{indent}{_rest(row.count)}"]
            done = lines[row.end - 1]
        return [*found, *self.lines[done:end]]

    def _body(self, start: int, end: int) -> list[str]:
        """The lines of some statements, with rows of like statements folded."""
        keys = [one.shape for one in self.statements[start:end]]
        found: list[str] = []
        done = start
        for row in repeats(keys, partial(self._agree, start)):
            first = start + row.start
            found += self._part(done, first)
            indent = " " * self.node.body[first].col_offset
            note = _note("statement", row.period, row.count, "equal up to names")
            places = range(first, start + row.end, row.period)
            names = [self._label(place, place + row.period) for place in places]
            found += [f"{indent}{note}", f"{indent}# {_listed(names)}"]
            # What stands in a row may be a row of rows.
            found += self._body(first, first + row.period)
            found.append(f"{indent}{_rest(row.count)}")
            done = start + row.end
        return [*found, *self._part(done, end)]

    def _agree(self, offset: int, start: int, period: int, count: int) -> int:
        return equal_rows(self.statements, offset + start, period, count)

    def _label(self, start: int, end: int) -> str:
        """What people know a row by: its first call of a piece or function."""
        row = self.statements[start:end]
        named = (one.binds or one.callee for one in row if one.callee)
        bound = (one.binds for one in row if one.binds)
        line = f"line {self.node.body[start].lineno}"
        return next(named, None) or next(bound, line)


def _note(what: str, period: int, count: int, how: str) -> str:
    return f"# {period} {what}{'s' * (period > 1)}, {count} times, {how}:"


def _rest(count: int) -> str:
    times = "time" if count == 2 else "times"
    return f"# ... and {count - 1} more {times}"
