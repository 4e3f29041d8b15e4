"""The layer tree of a function of which only the text is known: rows that repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

from astgen.review.dump.repeats import Repeat, repeats
from astgen.review.dump.rows import equal_rows
from astgen.review.report.node import Node, numbered
from astgen.review.shapes import Shaped

__all__ = ["row_nodes"]

_DEEPEST = 4


def row_nodes(statements: Sequence[Shaped], first: int) -> list[Node]:
    """Make a tree of rows of statements that repeat, and of what is between them.

    Args:
        statements: The statements of a function.
        first: The block of the first one.

    Returns:
        The nodes, in the order of the text. What interrupts a row that goes on behind
        it is odd.
    """
    nodes = _Maker(statements, first).between(0, len(statements), _DEEPEST)
    return nodes[0].nodes or nodes if len(nodes) == 1 else nodes


@dataclass
class _Maker:
    statements: Sequence[Shaped]
    first: int

    def between(self, start: int, end: int, depth: int) -> list[Node]:
        keys = [one.shape for one in self.statements[start:end]]
        rows = repeats(keys, partial(self.agree, start)) if depth else []
        rows = [Repeat(start + row.start, row.period, row.count) for row in rows]
        found: list[Node] = []
        done = start
        before: Hashable = None
        for row in rows:
            kind = self.kind(row.start, row.start + row.period)
            if row.start > done:
                found += self.rest(done, row.start, before == kind, row.period, kind)
            found.append(self.group(row, depth))
            done, before = row.end, kind
        if end > done and (rows or depth == _DEEPEST):
            period = rows[-1].period if rows else end - done
            found += self.rest(done, end, False, period, before)
        return found

    def agree(self, offset: int, start: int, period: int, count: int) -> int:
        return equal_rows(self.statements, offset + start, period, count)

    def kind(self, start: int, end: int) -> Hashable:
        """Equal for stretches of the same statements, in whatever order."""
        shapes = Counter(one.shape for one in self.statements[start:end])
        return frozenset(shapes.items())

    def group(self, row: Repeat, depth: int) -> Node:
        places = range(row.start, row.end, row.period)
        nodes = []
        for place in places:
            node = self.node(place, place + row.period)
            node.nodes = self.between(place, place + row.period, depth - 1)
            node.nodes = node.nodes or self.calls(place, place + row.period)
            nodes.append(node)
        listed = numbered([one.label for one in nodes])
        note = f"{row.count} times {row.period} statements"
        spans = [(self.first + row.start, self.first + row.end)]
        label = f"{row.count} \u00d7 equal: {listed}"
        return Node(
            label, spans, f"{note}: {listed} equal up to names", "group", False, nodes
        )

    def rest(
        self, start: int, end: int, is_odd: bool, period: int, kind: Hashable
    ) -> list[Node]:
        """What is in no row; odd if it stands in for a row, or between two."""
        is_odd = is_odd or self.kind(start, end) == kind
        while not is_odd and end - start > period:
            if self.kind(start, start + period) != kind:
                break
            found = self.rest(start, start + period, True, period, kind)
            return found + self.rest(start + period, end, False, period, kind)
        node = self.node(start, end)
        node.kind, node.is_odd = "rest", is_odd
        node.nodes = self.calls(start, end)
        node.note += ": unlike the rows beside it" if is_odd else ""
        return [node]

    def calls(self, start: int, end: int) -> list[Node]:
        """A node for each call of a piece or function with what follows; or none."""
        places = [i for i in range(start, end) if self.statements[i].callee]
        if len(places) < 2:
            return []
        places[0] = start
        return [self.node(*part) for part in zip(places, [*places[1:], end])]

    def node(self, start: int, end: int) -> Node:
        """A node with the name of its first call of a piece or function."""
        part = self.statements[start:end]
        named = (one.binds or one.callee for one in part if one.callee)
        bound = (one.binds for one in part if one.binds)
        label = next(named, None) or next(bound, None) or "return"
        size = end - start
        note = f"{size} statement{'s' * (size != 1)}"
        return Node(label, [(self.first + start, self.first + end)], note, "row")
