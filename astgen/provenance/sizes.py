"""Sizes that depend on symbols, as plain data: numbers, names, and a few operators.

A size is a number, the name of a symbol, or a tuple of an operator and two or more
sizes: `("*", 4, ("+", "s72", 1))` are `4 * (s72 + 1)` bytes. JSON has lists for tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeAlias, Union

__all__ = ["DEPTH", "MOST_PARTS", "OPERATORS", "Size", "evaluate", "parse_size"]

Size: TypeAlias = Union[int, str, tuple[Any, ...]]

DEPTH = 16
"""How deep the operators of one size may be nested."""

MOST_PARTS = 1000
"""How many sizes one operator may have; the product of very many takes very long."""

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "*": lambda left, right: left * right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "min": min,
    "max": max,
}
"""What each operator does to two numbers, from left to right."""

_MOST = 1 << 63


def evaluate(size: Size | None, symbols: Mapping[str, int]) -> int | None:
    """The number that a size is.

    Args:
        size: The size.
        symbols: The value of each symbol.

    Returns:
        The number; None if a symbol has no value, something is divided by zero, or
        the number has more than 63 bits.
    """
    if isinstance(size, str):
        size = symbols.get(size)
    if size is None or isinstance(size, int):
        return size if size is not None and -_MOST <= size < _MOST else None
    operator, *parts = size
    numbers = [evaluate(part, symbols) for part in parts]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or (operator in ("//", "%") and 0 in known[1:]):
        return None
    result = reduce(OPERATORS[operator], known)
    return result if -_MOST <= result < _MOST else None


def parse_size(value: Any, depth: int = DEPTH) -> Size:
    """A size out of JSON that nobody vouches for.

    Args:
        value: What JSON has in its place.
        depth: How deep its operators may be nested.

    Raises:
        ValueError: It is no size.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if -_MOST <= value < _MOST:
            return value
    elif isinstance(value, str) and value.isidentifier() and value.isascii():
        return value
    elif isinstance(value, list) and 2 < len(value) <= 1 + MOST_PARTS and depth:
        if isinstance(value[0], str) and value[0] in OPERATORS:
            return (value[0], *(parse_size(part, depth - 1) for part in value[1:]))
    raise ValueError("it is no size: a number, a name, or an operator with sizes")
