"""The calls of pieces and inlined functions, in the order in which a program makes them.

Generators number pieces and inlined functions together, by first call. What vLLM
inlines is written again for each child; astgen writes one function for all children
that are equal, but each of them keeps its number. So a number that the text does not
show may belong to such a child, and only to one: that is the credit of a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from astgen.lint.advice.facts import Body, Facts, Use

__all__ = ["Call", "Calls", "calls_of"]

_MOST = 2**40
_DIGITS = 18
_NUMBER = re.compile(r"[0-9]+\Z")


@dataclass(frozen=True)
class Call:
    """A call in the order of execution.

    Attributes:
        use: The call.
        number: The slot of the piece or function.
        is_first: Whether nothing of this number was called before.
        credit: How many numbers the call may stand for that the text does not show.
    """

    use: Use
    number: int
    is_first: bool
    credit: int


@dataclass(frozen=True)
class Calls:
    """All calls of a program.

    Attributes:
        order: In the order of execution; functions are entered at their first call.
        named: All numbers that the text shows.
        credit: How many numbers all repeated calls together may stand for.
        is_plain: Whether every function is called, and none is passed on as a value.
            Else functions may have got their numbers long before they run.
    """

    order: tuple[Call, ...]
    named: frozenset[int]
    credit: int
    is_plain: bool


def calls_of(facts: Facts) -> Calls:
    """Follow the calls of a program from its entry.

    Args:
        facts: The facts of the program.

    Returns:
        The calls.
    """
    weights = _weights(facts)
    order: list[Call] = []
    seen: set[int] = set()
    for use in _execution(facts):
        number = _number(use)
        if number is None:
            continue
        is_first = number not in seen
        credit = 0 if is_first else weights.get(use.name, 0)
        order.append(Call(use, number, is_first, credit))
        seen.add(number)
    inlined = {name for name in facts.functions if facts.dialect.is_inlined(name)}
    passed = {name for body in facts.bodies for name in body.last if name in inlined}
    called = {call.use.name for call in order}
    credit = sum(call.credit for call in order)
    credit += sum(weights[name] for name in passed)
    named = {_number(use) for body in facts.bodies for use in body.uses}
    named |= {_number_of(name) for name in inlined}
    numbers = frozenset(number for number in named if number is not None)
    return Calls(tuple(order), numbers, credit, not passed and inlined <= called)


def _execution(facts: Facts) -> Iterator[Use]:
    """Every call, functions entered at their first one; no recursion, no repetition."""
    entered: set[str] = set()
    running: list[Iterator[Use]] = [iter(facts.entry.uses if facts.entry else ())]
    while running:
        use = next(running[-1], None)
        if use is None:
            running.pop()
            continue
        yield use
        if use.name and use.name in facts.functions and use.name not in entered:
            entered.add(use.name)
            running.append(iter(facts.functions[use.name].uses))


def _weights(facts: Facts) -> dict[str, int]:
    """How many numbers a child takes that became a call of a function.

    Its own, and those of the children below it. Functions stand above their users.
    """
    weights: dict[str, int] = {}
    for body in facts.bodies:
        below = sum(weights.get(name, 0) for name in _functions(body, weights))
        weights.setdefault(body.node.name, min(1 + below, _MOST))
    return weights


def _functions(body: Body, known: dict[str, int]) -> Iterator[str]:
    yield from (use.name for use in body.uses if use.name)
    yield from (name for name in body.last if name in known)


def _number(use: Use) -> int | None:
    return use.slot if use.slot is not None else _number_of(use.name)


def _number_of(name: str) -> int | None:
    found = _NUMBER.search(name)
    # No program has as many pieces; very long numbers take Python long to read.
    if found is None or len(found[0]) > _DIGITS:
        return None
    return int(found[0])
