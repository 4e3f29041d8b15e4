"""Where the names of a text are bound, read and deleted, and what slots it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from astgen.review.report.parsed import HEAD, Parsed
from astgen.review.report.visible import visible

__all__ = ["Names", "Slot", "names_of"]

Places: TypeAlias = tuple[list[int], list[int], list[int]]
"""The blocks that bind, read and delete a name."""

_LOCAL, _FUNCTION = "v", "F"
_KINDS = {"piece": ("p", "P"), "constant": ("c", "C")}


@dataclass
class Slot:
    """Where a slot is used.

    Attributes:
        blocks: The blocks that do, in order.
        calls: The calls of it, if it is one of a piece, each with its block.
    """

    blocks: list[int] = field(default_factory=list)
    calls: list[tuple[int, ast.Call]] = field(default_factory=list)


@dataclass
class Names:
    """The names of a text.

    Attributes:
        marks: What stands at a place of the text: `v` a parameter or local, `F` a
            function of the text, `p` and `c` the pools of pieces and constants, `P`
            and `C` numbers of their slots.
        bound: For each function and each of its names the blocks that bind, read and
            delete it.
        pieces: The slots of pieces that the text takes.
        constants: Those of constants.
        callers: For each function of the text the calls of it, each with its block.
    """

    marks: dict[int, str] = field(default_factory=dict)
    bound: list[dict[str, Places]] = field(default_factory=list)
    pieces: dict[int, Slot] = field(default_factory=dict)
    constants: dict[int, Slot] = field(default_factory=dict)
    callers: dict[str, Slot] = field(default_factory=dict)

    def data(self) -> list[dict[str, Any]]:
        """The names of each function, as a value of JSON."""
        return [
            {visible(name): [*map(_once, places)] for name, places in one.items()}
            for one in self.bound
        ]


def names_of(text: Parsed) -> Names:
    """Find the names of a text.

    Args:
        text: The text; nothing is found if it has no tree.
    """
    reader = _Reader(text)
    for place, block in enumerate(text.blocks):
        if block.node is None or block.function < 0:
            continue
        if block.statement == HEAD:
            node = block.node
            found: dict[str, Places] = {name: ([], [], []) for name in _bound_in(node)}
            reader.found.bound.append(found)
            if isinstance(node, ast.FunctionDef):
                reader.read(place, node.args, block.function)
        else:
            reader.read(place, block.node, block.function)
    return reader.found


def _once(blocks: list[int]) -> list[int]:
    return list(dict.fromkeys(blocks))


def _bound_in(function: ast.stmt) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


class _Reader:
    def __init__(self, text: Parsed) -> None:
        self.text = text
        self.found = Names()
        self.functions = {one.name for one in text.functions}
        self.pools = {text.dialect.submods: "piece", text.dialect.consts: "constant"}
        self.starts = [0]
        for line in text.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def read(self, block: int, root: ast.AST, function: int) -> None:
        bound = self.found.bound[function]
        for node in ast.walk(root):
            if isinstance(node, ast.Name):
                self.name(block, node, bound)
            elif isinstance(node, ast.arg) and node.arg in bound:
                bound[node.arg][0].append(block)
                self.mark(node, _LOCAL)
            elif isinstance(node, ast.Subscript):
                self.slot(block, node)
            elif isinstance(node, ast.Call):
                self.call(block, node)

    def name(self, block: int, node: ast.Name, bound: dict[str, Places]) -> None:
        if node.id in self.pools:
            self.mark(node, _KINDS[self.pools[node.id]][0])
        elif node.id in bound:
            which = {ast.Store: 0, ast.Load: 1, ast.Del: 2}[type(node.ctx)]
            bound[node.id][which].append(block)
            self.mark(node, _LOCAL)
        elif node.id in self.functions:
            self.mark(node, _FUNCTION)

    def slot(self, block: int, node: ast.Subscript) -> None:
        match node:
            case ast.Subscript(
                value=ast.Name(id=pool), slice=ast.Constant(value=int(index))
            ) if (pool in self.pools):
                kind = self.pools[pool]
                slots = self.found.pieces if kind == "piece" else self.found.constants
                slots.setdefault(index, Slot()).blocks.append(block)
                self.mark(node.slice, _KINDS[kind][1])

    def call(self, block: int, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name in self.functions:
                self.found.callers.setdefault(name, Slot()).calls.append((block, node))
            case ast.Subscript(
                value=ast.Name(id=self.text.dialect.submods),
                slice=ast.Constant(value=int(index)),
            ):
                self.found.pieces.setdefault(index, Slot()).calls.append((block, node))

    def mark(self, node: ast.expr | ast.arg, mark: str) -> None:
        """Note what stands where a node begins; columns of trees count bytes."""
        line = self.text.lines[node.lineno - 1]
        column = node.col_offset
        if not line.isascii():
            data = line.encode("utf-8", "surrogatepass")[:column]
            column = len(data.decode("utf-8", "replace"))
        self.found.marks[self.starts[node.lineno - 1] + column] = mark
