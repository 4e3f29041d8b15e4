"""Many spans with numbers -> their sum at each place, in linear time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from astgen.review.timeline.model import Span

__all__ = ["largest", "samples"]


def samples(counted: Iterable[tuple[Span, int]], count: int) -> list[int]:
    """The sum of the numbers at each of the first places.

    Args:
        counted: Spans within these places, each with the number that it has there.
        count: How many places there are.
    """
    changes = [0] * (count + 1)
    for (first, end), number in counted:
        if first < end:
            changes[first] += number
            changes[end] -= number
    return [*accumulate(changes[:count])]


def largest(counted: Iterable[tuple[Span, int]]) -> int:
    """The largest sum of the numbers at any place, wherever the spans are; 0 if none."""
    changes: dict[int, int] = {}
    for (first, end), number in counted:
        if first < end:
            changes[first] = changes.get(first, 0) + number
            changes[end] = changes.get(end, 0) - number
    return max(accumulate(changes[at] for at in sorted(changes)), default=0)
