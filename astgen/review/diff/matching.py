"""Which line of one function is which of another.

First what computes the same value, then, between such lines, what does the same to
whatever values, then what is left in the same place, last what stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from astgen.review.diff.sequences import anchors, matched
from astgen.structure.lines import Function, Line
from astgen.structure.meanings import Meanings, line_keys, value_keys

__all__ = ["Matching", "Side", "match_lines"]


@dataclass(frozen=True)
class Side:
    """A function of one text.

    Attributes:
        function: The function.
        meanings: What its slots mean.
    """

    function: Function
    meanings: Meanings

    @property
    def lines(self) -> Sequence[Line]:
        """Its lines."""
        return self.function.lines


@dataclass
class Matching:
    """Which values are which.

    Attributes:
        to_right: For each line, and each parameter, of the left that has one, its
            counterpart on the right.
        moved: Lines of the left that stand elsewhere on the right.
    """

    to_right: dict[int, int] = field(default_factory=dict)
    moved: set[int] = field(default_factory=set)

    @property
    def to_left(self) -> dict[int, int]:
        """The same, the other way round."""
        return {right: left for left, right in self.to_right.items()}


def match_lines(left: Side, right: Side, parameters: dict[int, int]) -> Matching:
    """Match the lines of two functions.

    Args:
        left: One function.
        right: The other one.
        parameters: Which parameter of the right each of the left is.

    Returns:
        The matching, parameters included.
    """
    found = Matching(dict(parameters))
    whole = _Stretch(0, len(left.lines), 0, len(right.lines))
    values = [value_keys(one.function, one.meanings) for one in (left, right)]
    keys = [line_keys(one.function, one.meanings) for one in (left, right)]
    callees = [[_callee(one, line) for line in one.lines] for one in (left, right)]
    rows = anchors(*values)
    found.to_right.update(rows)
    rest: list[_Stretch] = []
    for stretch in whole.between(rows):
        row = stretch.matched(*keys)
        found.to_right.update(row)
        rest += stretch.between(row)
    _pair_elsewhere(values, found)
    for stretch in rest:
        _pair_in_place(stretch, left, right, callees, found)
    _pair_elsewhere(keys, found)
    return found


@dataclass(frozen=True)
class _Stretch:
    """Lines of both sides between others that are matched."""

    left: int
    left_end: int
    right: int
    right_end: int

    def matched(
        self, left: Sequence[Hashable], right: Sequence[Hashable]
    ) -> list[tuple[int, int]]:
        """Match the lines of the stretch by a key of each line of both functions."""
        row = matched(
            left[self.left : self.left_end], right[self.right : self.right_end]
        )
        return [(one + self.left, other + self.right) for one, other in row]

    def between(self, row: Sequence[tuple[int, int]]) -> Iterator[_Stretch]:
        """The stretches before, between and behind pairs; none that is empty."""
        left, right = self.left, self.right
        for one, other in [*row, (self.left_end, self.right_end)]:
            if one > left or other > right:
                yield _Stretch(left, one, right, other)
            left, right = one + 1, other + 1


def _callee(side: Side, line: Line) -> tuple[str, ...]:
    """What a line calls; for others, what kind of line it is."""
    if not line.callee:
        return ("return",) if line.is_return else ("value", line.frame)
    count = line.callee.count("<")
    return (line.callee, *(side.meanings.of(one) for one in line.holes[:count]))


def _pair_in_place(
    stretch: _Stretch,
    left: Side,
    right: Side,
    callees: Sequence[Sequence[Hashable]],
    found: Matching,
) -> None:
    """What is left in one place on both sides was changed, if it calls the same, or
    if there is as much on both sides."""
    taken = found.to_left
    ones = [i for i in range(stretch.left, stretch.left_end) if i not in found.to_right]
    others = [i for i in range(stretch.right, stretch.right_end) if i not in taken]
    row = matched([callees[0][i] for i in ones], [callees[1][i] for i in others])
    inner = _Stretch(0, len(ones), 0, len(others))
    for part in inner.between(row):
        counts = part.left_end - part.left, part.right_end - part.right
        if counts[0] == counts[1]:
            row += [(part.left + i, part.right + i) for i in range(counts[0])]
    for one, other in row:
        lines = left.lines[ones[one]], right.lines[others[other]]
        if lines[0].is_return == lines[1].is_return:
            found.to_right[ones[one]] = others[other]


def _pair_elsewhere(sides: Sequence[Sequence[Hashable]], found: Matching) -> None:
    """Lines that are still alone, and do the same, were moved."""
    (left, right), taken = sides, found.to_left
    free: dict[Hashable, list[int]] = {}
    for place in reversed(range(len(right))):
        if place not in taken:
            free.setdefault(right[place], []).append(place)
    for place, key in enumerate(left):
        if place not in found.to_right and free.get(key):
            found.to_right[place] = free[key].pop()
            found.moved.add(place)
