"""Figures of two sides, taken in turns, and what they say of each other.

A machine is faster in one second than in the next. So a figure of one side is only
held against the one of the other side that was taken right before or after it, and
who comes first alternates. Time is that of the processor in this process, so what
others do on the machine counts little. The garbage collector is left as it is.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Comparison", "Row", "Spread", "compare", "in_turns", "spread", "stopwatch"]

T = TypeVar("T")

_WARM_UP = 3


@dataclass(frozen=True)
class Spread:
    """What a list of figures looks like.

    Attributes:
        median: Half of them are not above it.
        mean: Their mean.
        low_quartile: A quarter of them are not above it.
        high_quartile: Three quarters of them are not above it.
        least: The smallest.
        most: The largest.
        count: How many there are.
    """

    median: float
    mean: float
    low_quartile: float
    high_quartile: float
    least: float
    most: float
    count: int


@dataclass(frozen=True)
class Comparison:
    """Two sides.

    Attributes:
        ours: The figures of astgen.
        peer: Those of the other side.
        ratio: Those of astgen over those of the other side, pair by pair.
        ratio_of_means: The mean of the ones over the mean of the others.
    """

    ours: Spread
    peer: Spread
    ratio: Spread
    ratio_of_means: float


@dataclass(frozen=True)
class Row:
    """One line of the report.

    Attributes:
        group: The table that it belongs to.
        what: What was measured.
        graph: On which graph.
        peer: The other side.
        unit: Of the figures.
        found: The figures of both sides.
    """

    group: str
    what: str
    graph: str
    peer: str
    unit: str
    found: Comparison


def spread(figures: Sequence[float]) -> Spread:
    """Sum up figures.

    Args:
        figures: One or more.

    Returns:
        Their spread; quartiles between two figures are interpolated.
    """
    # Before Python 3.13, one figure has no quantiles.
    several = figures if len(figures) > 1 else [*figures, *figures]
    low, median, high = statistics.quantiles(several, n=4, method="inclusive")
    return Spread(
        median=median,
        mean=statistics.fmean(figures),
        low_quartile=low,
        high_quartile=high,
        least=min(figures),
        most=max(figures),
        count=len(figures),
    )


def compare(ours: Sequence[float], peer: Sequence[float]) -> Comparison:
    """Hold two sides against each other.

    Args:
        ours: Figures of astgen.
        peer: As many of the other side, each taken next to the one of this place.

    Returns:
        Both, and their ratios.
    """
    return Comparison(
        ours=spread(ours),
        peer=spread(peer),
        ratio=spread([one / other for one, other in zip(ours, peer, strict=True)]),
        ratio_of_means=statistics.fmean(ours) / statistics.fmean(peer),
    )


def in_turns(
    ours: Callable[[], T], peer: Callable[[], T], pairs: int
) -> tuple[list[T], list[T]]:
    """Take figures of two sides by turns: AB, BA, AB, and so on.

    Args:
        ours: Takes one of astgen.
        peer: Takes one of the other side.
        pairs: How many of each.

    Returns:
        The figures of both, in the order in which they were taken.
    """
    mine: list[T] = []
    others: list[T] = []
    for index in range(pairs):
        if index % 2:
            others.append(peer())
            mine.append(ours())
        else:
            mine.append(ours())
            others.append(peer())
    return mine, others


def stopwatch(
    function: Callable[..., Any], args: Sequence[Any] = (), *, seconds: float = 0.05
) -> Callable[[], float]:
    """Warm a function up, and make what times it.

    Args:
        function: The function.
        args: What it is called with; the call passes them one by one.
        seconds: How long a figure takes at least; it is the mean of as many calls
            as this needs. The first call of several finds the caches as the other
            side left them, so there should be more than one on either side.

    Returns:
        A function that takes a figure: milliseconds of a call.
    """
    for _ in range(_WARM_UP):
        function(*args)
    calls = 1
    while (once := _seconds(function, args, calls)) < seconds:
        # Not more than ten times as many: the first figures are the worst ones.
        calls = int(calls * min(10.0, 1.0 + seconds / max(once, 1e-9)))
    return lambda: _seconds(function, args, calls) / calls * 1e3


def _seconds(function: Callable[..., Any], args: Sequence[Any], calls: int) -> float:
    start = time.process_time()
    for _ in itertools.repeat(None, calls):
        function(*args)
    return time.process_time() - start
