"""AG302, AG403 and AG408: slots that nothing uses, and slots out of order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from astgen.check.report import Problem, shown
from astgen.lint.advice.execution import Calls
from astgen.lint.advice.facts import Facts
from astgen.lint.rules.indexes import CALL_ORDER, UNUSED_CONST, UNUSED_SUBMOD

__all__ = ["call_order", "unused_consts", "unused_submods"]

_SHOWN = 3
_Gap = tuple[int, int, int]
"""First number, the one behind the last, and how many of them may be accounted for."""


def unused_consts(facts: Facts, count: int | None) -> Iterator[Problem]:
    """Find constants that nothing reads.

    Args:
        facts: The facts of a program.
        count: How many constants there are, if that is known. Else they are the ones
            up to the highest that is read.

    Yields:
        At most one problem, which names them all; none if the entry is missing.
    """
    if facts.entry is None:
        return
    end = max(facts.consts, default=-1) + 1 if count is None else count
    gaps = [(start, stop, 0) for start, stop in _gaps(sorted(facts.consts), end)]
    if gaps:
        what = f"{_listed(gaps)} of {shown(facts.dialect.consts)}"
        message = f"{what} {_are(gaps)} never read"
        hint = "code and constants may not belong together; generate both again"
        yield Problem(UNUSED_CONST, facts.entry.node, message, hint)


def unused_submods(facts: Facts, calls: Calls, count: int | None) -> Iterator[Problem]:
    """Find slots of pieces that nothing calls.

    Args:
        facts: The facts of a program.
        calls: Its calls in the order of execution.
        count: How many pieces have a name, if that is known.

    Yields:
        At most one problem, which names them all; none if the entry is missing.
    """
    if facts.entry is None:
        return
    named = sorted(calls.named)
    gaps = [gap for gap in _uncalled(calls, count) if _size(gap, named) > gap[2]]
    if gaps:
        what = f"{_listed(gaps, named)} of {shown(facts.dialect.submods)}"
        message = f"{what} {_are(gaps, named)} never called"
        if any(credit for _, _, credit in gaps):
            message += ", and not all of them can be equal to other children"
        hint = "lines may be lost; generate code and pieces again"
        yield Problem(UNUSED_SUBMOD, facts.entry.node, message, hint)


def call_order(facts: Facts, calls: Calls) -> Iterator[Problem]:
    """Find pieces that are called before others of a lower number.

    Args:
        facts: The facts of a program.
        calls: Its calls in the order of execution.

    Yields:
        A problem for each piece that is called too late.
    """
    highest = -1
    for call in calls.order:
        is_piece = call.use.slot is not None
        # Inlined functions that are passed on may run long after they got a number.
        if not call.is_first or not (is_piece or calls.is_plain):
            continue
        if call.number < highest:
            slot = f"slot {call.number} of {shown(facts.dialect.submods)}"
            what = slot if is_piece else shown(call.use.name)
            message = f"{what} is called first after number {highest}"
            hint = "lines were moved: numbers follow the order of first calls"
            yield Problem(CALL_ORDER, call.use.node, message, hint)
        highest = max(highest, call.number)


def _uncalled(calls: Calls, count: int | None) -> Iterator[_Gap]:
    expected = credit = 0
    for call in calls.order:
        if call.is_first and call.number >= expected:
            if call.number > expected:
                yield expected, call.number, _credit(calls, credit)
            expected, credit = call.number + 1, 0
        credit += call.credit
    if count is not None and count > expected:
        yield expected, count, _credit(calls, credit)


def _credit(calls: Calls, credit: int) -> int:
    return credit if calls.is_plain else calls.credit


def _size(gap: _Gap, named: Sequence[int]) -> int:
    """How many numbers of a gap are not among ascending ones."""
    start, stop, _ = gap
    return stop - start - (bisect_left(named, stop) - bisect_left(named, start))


def _gaps(used: list[int], end: int) -> Iterator[tuple[int, int]]:
    """The ranges below `end` that ascending numbers leave out."""
    start = 0
    for number in used:
        if number >= end:
            break
        if number > start:
            yield start, number
        start = number + 1
    if start < end:
        yield start, end


def _listed(gaps: list[_Gap], named: Sequence[int] = ()) -> str:
    """The first numbers of gaps that may be very large, and how many there are."""
    found: list[int] = []
    for start, stop, _ in gaps:
        inside = named[bisect_left(named, start) : bisect_left(named, stop)]
        for first, end in _gaps([number - start for number in inside], stop - start):
            found += range(start + first, start + min(end, first + _SHOWN))
    total = sum(_size(gap, named) for gap in gaps)
    if total == 1:
        return f"slot {found[0]}"
    more = f" and {total - _SHOWN} more" if total > _SHOWN else ""
    return f"slots {', '.join(map(str, found[:_SHOWN]))}{more}"


def _are(gaps: list[_Gap], named: Sequence[int] = ()) -> str:
    return "is" if sum(_size(gap, named) for gap in gaps) == 1 else "are"
