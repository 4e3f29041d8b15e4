"""What a report knows of a text before anything else: lines, tree, and blocks of lines.

Every line belongs to one block: that of a statement with the comments above it, of the
head of a function, or of what stands outside of functions. Everything on the page is
named by blocks.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from astgen.check import Dialect, Scan, scan
from astgen.review.programs import ReadProgram

__all__ = ["HEAD", "OUTSIDE", "Block", "Parsed", "parsed"]

HEAD, OUTSIDE = -1, -2
"""In place of a statement: the head of a function, and what is outside of them."""


@dataclass(frozen=True)
class Block:
    """Lines that belong together.

    Attributes:
        start: The first line, from 0.
        line: The first one that is no comment.
        function: The function, by its place in the text; -1 for none.
        statement: The statement, by its place in the function, or `HEAD`, `OUTSIDE`.
        node: What stands there, if the text has a tree.
    """

    start: int
    line: int
    function: int = -1
    statement: int = OUTSIDE
    node: ast.stmt | None = None


@dataclass
class Parsed:
    """A program taken apart.

    Attributes:
        program: The program.
        dialect: Its names.
        text: Its text, with line feeds only.
        lines: The lines of the text.
        scanned: What the checker says.
        functions: Its functions, in order; none if it has no tree.
        blocks: Its blocks, in order.
    """

    program: ReadProgram
    dialect: Dialect
    text: str
    lines: list[str]
    scanned: Scan
    functions: list[ast.FunctionDef] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def in_grammar(self) -> bool:
        """Whether the text has the shape of generated code."""
        return self.scanned.tree is not None and self.scanned.in_grammar

    @cached_property
    def heads(self) -> list[int]:
        """For each function, the block of its head; statements follow."""
        return [i for i, one in enumerate(self.blocks) if one.statement == HEAD]

    @cached_property
    def entry(self) -> int:
        """The function that is called, by its place; -1 if there is none."""
        names = [one.name for one in self.functions]
        return names.index(self.dialect.entry) if self.dialect.entry in names else -1

    @cached_property
    def _starts(self) -> list[int]:
        return [one.start for one in self.blocks]

    def block_of(self, line: int) -> int:
        """The block of a line.

        Args:
            line: Its number, from 1.
        """
        return max(bisect_right(self._starts, line - 1) - 1, 0)


def parsed(program: ReadProgram, namespaces: tuple[str, ...] = ()) -> Parsed:
    """Take a program apart.

    Args:
        program: The program; of any text.
        namespaces: Operator namespaces that are allowed beside the usual ones.
    """
    dialect = program.dialect(namespaces)
    names, constants = program.submod_names, program.constants
    scanned = scan(
        program.code,
        consts=None if constants is None else len(constants),
        submods=None if names is None else len(names),
        dialect=dialect,
        most=1,
    )
    text = program.code.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n")
    found = Parsed(program, dialect, text, lines, scanned)
    tree = scanned.tree
    if tree is not None:
        found.functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        found.blocks = list(_blocks(tree, len(lines)))
    found.blocks = found.blocks or [Block(i, i) for i in range(len(lines))]
    return found


def _blocks(tree: ast.Module, lines: int) -> Iterator[Block]:
    start = 0
    number = -1
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            yield Block(start, node.lineno - 1, node=node)
            start = node.end_lineno or start
            continue
        number += 1
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        yield Block(start, first - 1, number, HEAD, node)
        start = max(node.body[0].lineno - 1, first)
        for place, one in enumerate(node.body):
            yield Block(start, max(one.lineno - 1, start), number, place, one)
            start = max(one.end_lineno or start, start)
    if start < lines:
        yield Block(start, start)
