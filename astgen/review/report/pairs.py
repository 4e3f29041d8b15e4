"""Two programs side by side: which blocks stand next to each other."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from astgen.errors import InvalidProgramError
from astgen.lint.advice.facts import gather
from astgen.lint.advice.shape import shape_of
from astgen.review.diff import Comparison, Difference, Place, compare_programs
from astgen.review.diff.shown import uncompared
from astgen.review.report.parsed import Parsed
from astgen.review.report.visible import visible

__all__ = ["compared"]

Row = tuple[int, int]
"""A block of the left and one of the right; -1 where there is none."""

_NONE = -1
_REFUSED = "not compared: one of them is no generated code"


def compared(left: Parsed, right: Parsed) -> dict[str, Any]:
    """Compare two programs.

    Args:
        left: One program.
        right: The other one.

    Returns:
        The differences, and the rows of the two texts side by side, as a value of
        JSON. Rows are told by two numbers each, -1 for nothing.
    """
    try:
        comparison = compare_programs(left.program, right.program)
    except InvalidProgramError:
        blocks = [range(len(one.blocks)) for one in (left, right)]
        rows = zip_longest(*blocks, fillvalue=_NONE)
        none: dict[str, Any] = {"unknown": "", "counts": {}, "differences": []}
        return {"verdict": _REFUSED, **none, **_rows(rows)}
    found = comparison.differences
    counts = Counter(one.category for one in found)
    return {
        "verdict": comparison.verdict,
        "unknown": _unknown(comparison),
        "counts": dict(counts),
        "differences": [
            {
                "category": one.category,
                "left": _block(left, one.left),
                "right": _block(right, one.right),
                "detail": visible(one.detail),
                "inside": [*map(visible, one.inside)],
            }
            for one in found
        ],
        **_rows(_Aligned(left, right, found).rows()),
    }


def _unknown(comparison: Comparison) -> str:
    """What was not compared, empty if everything was."""
    if comparison.pieces or comparison.constants:
        return uncompared(comparison.pieces, comparison.constants)
    return ""


def _rows(rows: Iterable[tuple[int, ...]]) -> dict[str, Any]:
    return {"rows": [block for row in rows for block in row]}


def _block(text: Parsed, place: Place | None) -> int:
    return _NONE if place is None else text.block_of(place.line)


@dataclass
class _Side:
    """One of the texts.

    Attributes:
        text: The text.
        alone: Blocks that have no counterpart, or not in the same order.
    """

    text: Parsed
    alone: set[int] = field(default_factory=set)

    def body(self, function: int) -> list[int]:
        """The blocks of the statements of a function."""
        head = self.text.heads[function] + 1
        return [*range(head, head + len(self.text.functions[function].body))]

    def is_line(self, block: int) -> bool:
        """Whether a block is one that comparison has as a line."""
        return not isinstance(self.text.blocks[block].node, ast.Delete)

    def outside(self) -> list[int]:
        return [i for i, one in enumerate(self.text.blocks) if one.function < 0]

    def shapes(self) -> list[object]:
        tree = self.text.scanned.tree
        if tree is None:
            return []
        return [shape_of(one) for one in gather(tree, self.text.dialect).bodies]


class _Aligned:
    """Blocks of two texts that the differences between them put side by side."""

    def __init__(
        self, left: Parsed, right: Parsed, differences: Sequence[Difference]
    ) -> None:
        self.left, self.right = _Side(left), _Side(right)
        self.told: list[tuple[int, int]] = []
        for one in differences:
            places = _block(left, one.left), _block(right, one.right)
            if one.category in ("call removed", "call added", "order changed"):
                self.left.alone.add(places[0])
                self.right.alone.add(places[1])
            if _NONE not in places:
                functions = (
                    left.blocks[places[0]].function,
                    right.blocks[places[1]].function,
                )
                self.told.append(functions)

    def rows(self) -> Iterator[Row]:
        """The rows, function by function in the order of the left, the entry last."""
        yield from zip_longest(
            self.left.outside()[: _leading(self.left.text)],
            self.right.outside()[: _leading(self.right.text)],
            fillvalue=_NONE,
        )
        for one, other in self.functions():
            if one == _NONE or other == _NONE:
                side, function = (
                    (self.left, one) if other == _NONE else (self.right, other)
                )
                for block in (side.text.heads[function], *side.body(function)):
                    yield (block, _NONE) if side is self.left else (_NONE, block)
            else:
                yield self.left.text.heads[one], self.right.text.heads[other]
                yield from self.bodies(self.left.body(one), self.right.body(other))
        yield from zip_longest(
            self.left.outside()[_leading(self.left.text) :],
            self.right.outside()[_leading(self.right.text) :],
            fillvalue=_NONE,
        )

    def functions(self) -> list[Row]:
        """Functions that stand for each other."""
        lefts, rights = self.left.text.functions, self.right.text.functions
        last = len(lefts) - 1, len(rights) - 1
        pairs = dict([last, *self.told])
        pairs[last[0]] = last[1]
        taken = {*pairs.values()}
        free: dict[object, list[int]] = {}
        shapes = self.left.shapes(), self.right.shapes()
        for place in reversed(range(len(rights))):
            if (
                place not in taken
                and self.right.text.heads[place] not in self.right.alone
            ):
                free.setdefault(shapes[1][place], []).append(place)
        for place in range(len(lefts)):
            if place not in pairs and free.get(shapes[0][place]):
                pairs[place] = free[shapes[0][place]].pop()
        taken = {*pairs.values()}
        found = [(place, pairs.get(place, _NONE)) for place in range(last[0])]
        found += [(_NONE, place) for place in range(last[1]) if place not in taken]
        return [*found, last]

    def bodies(self, left: list[int], right: list[int]) -> Iterator[Row]:
        """The rows of two functions that stand for each other."""
        lines = [
            [one for one in blocks if side.is_line(one) and one not in side.alone]
            for side, blocks in ((self.left, left), (self.right, right))
        ]
        partner = dict(zip(*lines)) if len(lines[0]) == len(lines[1]) else {}
        wanted = {*partner.values()}
        i = j = 0
        while i < len(left) and j < len(right):
            one, other = left[i], right[j]
            deleting = not self.left.is_line(one), not self.right.is_line(other)
            if partner.get(one) == other or all(deleting):
                yield one, other
                i, j = i + 1, j + 1
            elif deleting[0] or one not in partner:
                yield one, _NONE
                i += 1
            elif deleting[1] or other not in wanted:
                yield _NONE, other
                j += 1
            else:
                yield one, _NONE
                i += 1
        yield from ((one, _NONE) for one in left[i:])
        yield from ((_NONE, other) for other in right[j:])


def _leading(text: Parsed) -> int:
    """How many blocks stand in front of the first function."""
    return text.heads[0] if text.heads else len(text.blocks)
