"""Nodes -> edits: how a statement goes away, or another comes behind it.

Edits leave comments where they are. Where that cannot be done, or where several
statements share a line in a way that is not foreseen here, there is no edit, and the
finding stays for people to mend.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property

from astgen.check.finding import Edit
from astgen.check.report import Lines

__all__ = ["Editor"]

_SPACE = " \t\f"
_REST = re.compile(r"[ \t\f]*(#.*)?\Z")


class Editor:
    """Makes the edits of one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> Lines:
        # Most programs need no edit, and then nobody splits them.
        return Lines(self._text)

    def replace(self, node: ast.AST, text: str) -> Edit:
        """Put a text in the place of a node."""
        return Edit(*self._start(node), *self._end(node), text)

    def insert_behind(self, node: ast.AST, text: str) -> Edit:
        """Put a text right behind a node."""
        return Edit(*self._end(node), *self._end(node), text)

    def add_statement(self, node: ast.stmt, text: str) -> Edit:
        """Put a statement behind another one: on a line of its own, if that has one."""
        before, behind = self._around(node)
        line = self._end(node)[0]
        if before.strip(_SPACE) or not _REST.match(behind):
            return self.insert_behind(node, f"; {text}")
        column = len(self._lines.lines[line - 1]) + 1
        return Edit(line, column, line, column, f"\n{before}{text}")

    def drop_statement(self, node: ast.stmt, *, gap: bool = False) -> Edit | None:
        """Take a statement away.

        Args:
            node: The statement.
            gap: Whether the empty lines above it go with it.

        Returns:
            The edit; None if other statements share its lines, or comments stand in
            the middle of it.
        """
        before, behind = self._around(node)
        (line, column), (end_line, end_column) = self._start(node), self._end(node)
        lines = self._lines.lines
        if before.strip(_SPACE) or not _REST.match(behind) or self.has_comment(node):
            return None
        if behind.strip(_SPACE):
            kept = len(lines[end_line - 1]) - len(behind.lstrip(_SPACE)) + 1
            return Edit(line, column, end_line, kept, "")
        if end_line == len(lines):
            return Edit(line, column, end_line, end_column, "")
        while gap and line > 1 and not lines[line - 2].strip():
            line -= 1
        return Edit(line, 1, end_line + 1, 1, "")

    def drop_target(self, node: ast.Assign) -> Edit | None:
        """Leave the value of an assignment standing alone; None if it cannot be."""
        target, value = node.targets[0], node.value
        (line, column), (end_line, end_column) = self._end(target), self._start(value)
        between = self._lines.lines[line - 1][column - 1 : end_column - 1]
        if line != end_line or between.strip() != "=":
            # The value stands in parentheses, which have no place in the tree.
            return None
        return Edit(*self._start(node), end_line, end_column, "")

    def drop_names(self, node: ast.Delete, names: frozenset[str]) -> Edit | None:
        """Take names out of a `del`, or the whole statement; None if it cannot be."""
        kept = [
            name.id
            for target in node.targets
            for name in (target.elts if isinstance(target, ast.Tuple) else [target])
            if isinstance(name, ast.Name) and name.id not in names
        ]
        if not kept:
            return self.drop_statement(node)
        if self.has_comment(node):
            return None
        return self.replace(node, f"del {', '.join(kept)}")

    def has_comment(self, node: ast.stmt) -> bool:
        """Whether there may be a comment between the first and last character."""
        (line, column), (end_line, end_column) = self._start(node), self._end(node)
        lines = self._lines.lines[line - 1 : end_line]
        lines[-1] = lines[-1][: end_column - 1]
        lines[0] = lines[0][column - 1 :]
        return any("#" in one for one in lines)

    def _around(self, node: ast.stmt) -> tuple[str, str]:
        """What stands on the lines of a statement before and behind it."""
        (line, column), (end_line, end_column) = self._start(node), self._end(node)
        lines = self._lines.lines
        return lines[line - 1][: column - 1], lines[end_line - 1][end_column - 1 :]

    def _start(self, node: ast.AST) -> tuple[int, int]:
        line: int = getattr(node, "lineno", 1)
        return line, self._lines.column(line, getattr(node, "col_offset", 0))

    def _end(self, node: ast.AST) -> tuple[int, int]:
        line: int = getattr(node, "end_lineno", None) or 1
        offset: int = getattr(node, "end_col_offset", None) or 0
        return line, self._lines.column(line, offset)
