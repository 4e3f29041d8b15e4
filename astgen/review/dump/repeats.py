"""Rows of items that are repeated, found in nearly linear time.

Stretches are compared by their hashes: that of a stretch follows from those of the
two beginnings that differ by it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

__all__ = ["Repeat", "repeats"]

_PRIME = (1 << 61) - 1
_BASE = 1_000_003
_WINDOWS = (1, 4, 16)
"""Sizes of stretches that are looked for again: one item alone may stand everywhere."""

_TRIES = 4
_WORTH = 4
"""Items that have to be saved, so that a repetition is shown as one."""

_SURE = 3
"""Rows that have to agree, so that they count for more than shorter ones."""

_EFFORT = 256
"""Comparisons for each item; where that does not do, the rest is left as it is."""


@dataclass(frozen=True)
class Repeat:
    """A row that is repeated.

    Attributes:
        start: Its first item.
        period: How many items it has.
        count: How often it stands there, one after the other.
    """

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        """The item behind the last repetition."""
        return self.start + self.period * self.count


def repeats(
    keys: Sequence[Hashable],
    agree: Callable[[int, int, int], int] = lambda start, period, count: count,
) -> list[Repeat]:
    """Find repeated rows.

    Args:
        keys: The items; equal ones may be the same.
        agree: Called with start, period and count of rows of equal keys; how many of
            them really are the same.

    Returns:
        Repeats that do not overlap, in order.
    """
    finder = _Finder(keys)
    found: list[Repeat] = []
    place = 0
    while place < len(keys):
        best: Repeat | None = None
        for period in finder.periods(place):
            count = finder.count(place, period)
            if best is not None and place + period * count <= best.end:
                continue
            if (count - 1) * period >= _WORTH:
                count = agree(place, period, count)
                finder.effort -= period * (count + 1)
            row = Repeat(place, period, count)
            # Two long rows may be equal by chance where short ones end being so.
            if best is not None and (row.end <= best.end or count < _SURE):
                continue
            if (count - 1) * period >= _WORTH:
                best = row
        if best is not None:
            found.append(best)
            finder.effort += _EFFORT * (best.end - place)
        place = place + 1 if best is None else best.end
    return found


class _Finder:
    """Finds where rows begin again.

    Attributes:
        effort: How many more comparisons there may be.
    """

    def __init__(self, keys: Sequence[Hashable]) -> None:
        numbers: dict[Hashable, int] = {}
        items = [numbers.setdefault(key, len(numbers) + 1) for key in keys]
        self.size = len(items)
        self.effort = _EFFORT * (len(items) + 1)
        self._hashes, self._powers = [0], [1]
        for item in items:
            self._hashes.append((self._hashes[-1] * _BASE + item) % _PRIME)
            self._powers.append(self._powers[-1] * _BASE % _PRIME)
        self._next = {window: self._again(window) for window in _WINDOWS}

    def _hash(self, start: int, size: int) -> int:
        end = self._hashes[start + size]
        return (end - self._hashes[start] * self._powers[size]) % _PRIME

    def _again(self, window: int) -> list[int]:
        """For each place, the next one with the same items; the end if there is none."""
        last: dict[int, int] = {}
        found = [self.size] * self.size
        for place in range(self.size - window, -1, -1):
            key = self._hash(place, window)
            found[place] = last.get(key, self.size)
            last[key] = place
        return found

    def periods(self, place: int) -> list[int]:
        """Periods of rows that may begin at a place, the shortest first."""
        found = set()
        for after in self._next.values():
            other = place
            for _ in range(_TRIES):
                other = after[other]
                if other >= self.size:
                    break
                found.add(other - place)
        return sorted(found)

    def count(self, place: int, period: int) -> int:
        """How often the row stands there, 1 if it is not repeated."""
        count = 1
        wanted = self._hash(place, period)
        while self.effort > 0:
            start = place + count * period
            self.effort -= 1
            if start + period > self.size or self._hash(start, period) != wanted:
                break
            count += 1
        return count
