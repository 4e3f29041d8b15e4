"""Whether statements of equal shape that stand in rows do the same in each row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from astgen.review.shapes import Shaped, Value

__all__ = ["equal_rows"]

_NUMBER = re.compile(r"([0-9]+)")
_DIGITS = 18
"""Of a number that counts something."""


def equal_rows(
    statements: Sequence[Shaped], start: int, period: int, count: int
) -> int:
    """Compare rows with the first one.

    Rows are the same if they differ in names and slots only, and if each takes from
    the one before it what the others take. What comes from elsewhere is for all rows
    the same, or for each one another: a layer that takes the weights of the layer
    before is not like the others.

    Args:
        statements: The statements of a function.
        start: The first statement of the first row.
        period: How many statements a row has.
        count: How many rows there are; their shapes are equal.

    Returns:
        How many rows are the same, the first one included.
    """
    rows = _Rows(start, _taken(statements, start, period))
    for number in range(1, count):
        place = start + number * period
        if not rows.add(place, _taken(statements, place, period)):
            # Of two rows that a third one contradicts, either may be the odd one.
            return number if number > 2 else 1
    return count


@dataclass(frozen=True)
class _Taken:
    """A value that a statement takes.

    Attributes:
        value: The value.
        distance: How many statements before it was bound, 0 if it was not.
    """

    value: Value
    distance: int


def _taken(statements: Sequence[Shaped], start: int, period: int) -> list[_Taken]:
    return [
        _Taken(value, index - value.origin if value.origin >= 0 else 0)
        for index in range(start, start + period)
        for value in statements[index].values
    ]


@dataclass
class _Rows:
    """The rows that are the same so far.

    Attributes:
        start: The first statement of the first row.
        first: What the first row takes.
        second: What the second one takes, when it is there.
        shared: What all of them take from elsewhere.
        seen: What single ones take from elsewhere.
    """

    start: int
    first: list[_Taken]
    second: list[_Taken] = field(default_factory=list)
    shared: set[Value] = field(default_factory=set)
    seen: set[Value] = field(default_factory=set)

    def add(self, place: int, row: list[_Taken]) -> bool:
        """Add a row that begins at a place, if it is the same."""
        carried: dict[Value, Value] = {}
        outside: dict[Value, Value] = {}
        for index, (one, other) in enumerate(zip(self.first, row)):
            if one.value.origin >= self.start:
                same = one.distance == other.distance
            elif other.value.origin < self.start:
                same = self._is_outside(index)
                same &= outside.setdefault(one.value, other.value) == other.value
            else:
                same = other.value.origin < place and self._is_carried(index, other)
                same &= carried.setdefault(one.value, other.value) == other.value
            if not same:
                return False
        if not (_is_one_to_one(carried) and _is_one_to_one(outside)):
            return False
        return self._accept(row, outside)

    def _is_outside(self, index: int) -> bool:
        """Whether other rows, too, take this from what was there before all of them."""
        return not self.second or self.second[index].value.origin < self.start

    def _is_carried(self, index: int, taken: _Taken) -> bool:
        """Whether other rows, too, take this from the row before them."""
        return not self.second or self.second[index].distance == taken.distance

    def _accept(self, row: list[_Taken], outside: dict[Value, Value]) -> bool:
        """Whether what comes from elsewhere is the same, or one's own, as in others."""
        own = {one: other for one, other in outside.items() if one != other}
        if not self.second:
            self.second = row
            self.seen = {*own}
            self.shared = {*outside} - self.seen
        if own.keys() & self.shared or len(own) + len(self.shared) < len(outside):
            return False
        taken = {*own.values()}
        if taken & self.seen or not _numbers_agree(own):
            return False
        self.seen |= taken
        return True


def _is_one_to_one(pairs: Mapping[Value, Value]) -> bool:
    return len({*pairs.values()}) == len(pairs)


def _numbers_agree(own: Mapping[Value, Value]) -> bool:
    """Whether numbers in names differ alike: weights of one layer are of one here, too.

    Where several names share a number, numbers behind that beginning are those of
    layers; all of these go on by the same step.
    """
    named = Counter(
        number for one in own if one.origin < 0 for number in _numbers(one.name)
    )
    layers = {before for (before, _), count in named.items() if count > 1}
    steps: dict[str, int] = {}
    for one, other in own.items():
        for (before, number), (its, next_one) in zip(
            _numbers(one.name), _numbers(other.name)
        ):
            if before not in layers:
                continue
            if before != its or max(len(number), len(next_one)) > _DIGITS:
                return False
            step = int(next_one) - int(number)
            if steps.setdefault(before, step) != step:
                return False
    return True


def _numbers(name: str) -> list[tuple[str, str]]:
    """The numbers in a name, each with what stands before it, up to numbers."""
    parts = _NUMBER.split(name)
    return [
        ("#".join(parts[:place:2]), parts[place]) for place in range(1, len(parts), 2)
    ]
