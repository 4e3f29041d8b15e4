"""Values that the source spells out, as libcst nodes in black's spelling."""

from __future__ import annotations

import math
from collections.abc import Callable

import libcst as cst

import astgen.emit.construct as construct
from astgen.check.dialect import MAX_INTEGER_BITS
from astgen.emit.nodes import number

__all__ = ["integer", "is_literal", "literal", "quoted"]

_MAX_DECIMAL = 10**640
"""Longer integers are written in base 16: CPython may be told to refuse decimals
of more than 640 digits (`sys.set_int_max_str_digits`)."""

_SPELLED = frozenset({bool, str, bytes, type(None), type(...)})

Quote = Callable[[str | bytes], str]


def is_literal(value: object) -> bool:
    """Whether `value` is one of exactly the types that the source spells out."""
    kind = type(value)
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]
    if isinstance(value, int) and kind is int:
        return value.bit_length() <= MAX_INTEGER_BITS
    return kind in _SPELLED


def quoted(value: str | bytes) -> str:
    """Spell a string as black would: double quotes unless they cost escapes.

    ASCII only, so that a dump looks the same everywhere and is as wide as long.
    """
    single = ascii(value) if isinstance(value, str) else repr(value)
    prefix, body = ("b", single[2:-1]) if single[0] == "b" else ("", single[1:-1])
    doubles, singles = _count(value, '"'), _count(value, "'")
    if single[-1] == "'":
        body = body.replace("\\'", "'")
    if doubles > singles:
        return f"{prefix}'{_escape(body, chr(39))}'"
    return f'{prefix}"{_escape(body, chr(34))}"'


def literal(value: object, quote: Quote = quoted) -> cst.BaseExpression:
    """Build the expression for a value that `is_literal`.

    Args:
        value: The value.
        quote: How strings are spelled.

    Returns:
        A node, which may be shared.

    Raises:
        TypeError: The value is no literal.
    """
    if value is None or isinstance(value, bool):
        return _WORDS[str(value)]
    if isinstance(value, (str, bytes)):
        return construct.string(quote(value))
    if isinstance(value, int):
        return integer(value)
    if value is ...:
        return cst.Ellipsis()
    if not isinstance(value, float):
        raise TypeError(f"a {type(value).__name__} is no literal; use a constant slot")
    size = cst.Float(repr(abs(value)).replace("e+", "e"))
    return _signed(math.copysign(1.0, value) < 0, size)


def integer(value: int) -> cst.BaseExpression:
    """Build an integer; a sign belongs to the number."""
    if 0 <= value < _MAX_DECIMAL:
        return number(value)
    size = abs(value)
    text = str(size) if size < _MAX_DECIMAL else f"0x{size:X}"
    return _signed(value < 0, construct.integer(text))


def _signed(negative: bool, number: cst.BaseExpression) -> cst.BaseExpression:
    if not negative:
        return number
    return cst.UnaryOperation(
        operator=cst.Minus(whitespace_after=cst.SimpleWhitespace("")),
        expression=number,
    )


_WORDS = {text: construct.name(text) for text in ("None", "True", "False")}


def _count(value: str | bytes, quote: str) -> int:
    return value.count(quote) if isinstance(value, str) else value.count(quote.encode())


def _escape(body: str, quote: str) -> str:
    return body.replace(quote, "\\" + quote)
