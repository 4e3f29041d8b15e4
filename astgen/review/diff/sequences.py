"""Two sequences of keys, matched item by item with few changes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

__all__ = ["anchors", "matched"]

_MOST_CHANGES = 400
"""Changes of one stretch that are told exactly; time grows with their square."""

Pair = tuple[int, int]
Keys = Sequence[Hashable]


def anchors(left: Keys, right: Keys) -> list[Pair]:
    """The longest row of matches among keys that stand once on each side.

    Args:
        left: One sequence.
        right: The other one.

    Returns:
        Positions that match, in order on both sides ("patience diff").
    """
    once_left = _once(left)
    once_right = _once(right)
    pairs = [
        (once_left[key], once_right[key]) for key in once_left if key in once_right
    ]
    pairs.sort()
    return _longest_row(pairs)


def matched(left: Keys, right: Keys) -> list[Pair]:
    """Match with as few unmatched items as there can be.

    What differs at both ends is cut off first, so sequences that are nearly equal take
    linear time. Of a stretch with very many changes nothing is matched.

    Args:
        left: One sequence.
        right: The other one.

    Returns:
        Positions that match, in order on both sides.
    """
    start, most = 0, min(len(left), len(right))
    while start < most and left[start] == right[start]:
        start += 1
    end = 0
    while end < most - start and left[-1 - end] == right[-1 - end]:
        end += 1
    inner = _fewest(left[start : len(left) - end], right[start : len(right) - end])
    return [
        *((place, place) for place in range(start)),
        *((one + start, other + start) for one, other in inner),
        *((len(left) - 1 - i, len(right) - 1 - i) for i in reversed(range(end))),
    ]


def _once(keys: Keys) -> dict[Hashable, int]:
    counts = Counter(keys)
    return {key: place for place, key in enumerate(keys) if counts[key] == 1}


def _longest_row(pairs: list[Pair]) -> list[Pair]:
    """The longest part of pairs, sorted by the first, whose second ones rise."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        last[length : length + 1] = [index]
    row: list[Pair] = []
    at = last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _fewest(left: Keys, right: Keys) -> list[Pair]:
    """Myers, An O(ND) Difference Algorithm and Its Variations (1986)."""
    if not left or not right:
        return []
    reach: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for changes in range(min(len(left) + len(right), _MOST_CHANGES) + 1):
        trail.append(dict(reach))
        for diagonal in range(-changes, changes + 1, 2):
            if diagonal == -changes or (
                diagonal != changes and reach[diagonal - 1] < reach[diagonal + 1]
            ):
                x = reach[diagonal + 1]
            else:
                x = reach[diagonal - 1] + 1
            y = x - diagonal
            while x < len(left) and y < len(right) and left[x] == right[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= len(left) and y >= len(right):
                return [*_walked_back(trail, len(left), len(right))][::-1]
    return []


def _walked_back(trail: list[dict[int, int]], x: int, y: int) -> Iterator[Pair]:
    """The matches on the way that was found, the last one first."""
    for changes in range(len(trail) - 1, 0, -1):
        reach, diagonal = trail[changes], x - y
        if diagonal == -changes or (
            diagonal != changes and reach[diagonal - 1] < reach[diagonal + 1]
        ):
            before = diagonal + 1
        else:
            before = diagonal - 1
        from_x, from_y = reach[before], reach[before] - before
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            yield x, y
        x, y = from_x, from_y
    while x > 0 and y > 0:
        x, y = x - 1, y - 1
        yield x, y
