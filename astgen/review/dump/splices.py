"""Replacements in a text, at the places where its syntax tree has them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import accumulate

__all__ = ["Offsets", "Splice", "spliced"]

Splice = tuple[int, int, str]
"""The first byte, the byte behind the last one, and the text that goes there."""


class Offsets:
    """Where in the bytes of a text something stands.

    Args:
        text: The text; only a newline ends a line.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._data = text.encode("utf-8", "surrogatepass")
        sizes = (len(line.encode("utf-8", "surrogatepass")) + 1 for line in self._lines)
        self._starts = [0, *accumulate(sizes)]

    def span(self, node: ast.expr | ast.arg) -> tuple[int, int]:
        """The first byte of a node, and the byte behind its last one."""
        start = self._starts[node.lineno - 1] + node.col_offset
        if node.end_lineno is None or node.end_col_offset is None:
            return start, start
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def of_character(self, line: int, column: int) -> int:
        """The byte of a character: its line from 1, its column from 0."""
        before = self._lines[line - 1][:column]
        return self._starts[line - 1] + len(before.encode("utf-8", "surrogatepass"))

    def part(self, start: int, end: int) -> str:
        """The text between two bytes."""
        return self._data[start:end].decode("utf-8", "surrogatepass")


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Replace parts of a text.

    Args:
        text: The text.
        splices: What goes where, in any order; no two of them meet.
    """
    data = text.encode("utf-8", "surrogatepass")
    parts: list[bytes] = []
    end = 0
    for start, behind, wanted in sorted(splices):
        parts += (data[end:start], wanted.encode())
        end = behind
    parts.append(data[end:])
    return b"".join(parts).decode("utf-8", "surrogatepass")
