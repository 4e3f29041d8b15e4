"""Literals are the value again, in black's spelling, and in ASCII."""

from __future__ import annotations

import ast
import math
import sys

import black
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astgen.check.dialect import MAX_INTEGER_BITS
from astgen.emit.literals import is_literal, literal
from astgen.emit.render import render

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.text(alphabet="'\"\\\n{}#"),
    st.text(alphabet=st.characters(categories=["Cs", "Cc", "Zs", "So"])),
    st.binary(),
)


@given(VALUES)
def test_a_literal_evaluates_to_its_value(value: object) -> None:
    text = render(literal(value))
    found = ast.literal_eval(text)
    assert type(found) is type(value)
    assert found == value
    if isinstance(value, float):
        assert math.copysign(1, found) == math.copysign(1, value)
    assert text.isascii()
    line = f"f({text})\n"
    if len(line) <= 88:
        assert black.format_str(line, mode=black.Mode()) == line


@pytest.mark.parametrize("digits", [639, 640, 641, 4299, 4300, 4301, 39_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_any_length_are_read_back(digits: int, sign: int) -> None:
    value = sign * (10**digits + 7)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert ast.literal_eval(render(literal(value))) == value
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_that_the_checker_refuses_is_no_literal(sign: int) -> None:
    assert is_literal(sign * (2**MAX_INTEGER_BITS - 1))
    assert not is_literal(sign * 2**MAX_INTEGER_BITS)


def test_ellipsis_is_a_literal() -> None:
    assert ast.literal_eval(render(literal(...))) is ...


@pytest.mark.parametrize(
    "value",
    [
        float("inf"),
        float("-inf"),
        float("nan"),
        1j,
        bytearray(b"a"),
        type("Odd", (int,), {})(1),
        type("Odd", (str,), {})("a"),
        type("Odd", (float,), {})(1.0),
        (),
        [],
    ],
    ids=repr,
)
def test_nothing_else_is_a_literal(value: object) -> None:
    assert not is_literal(value)
