"""What has no place in a program is called what people call it."""

from __future__ import annotations

import pytest

from astgen.check import check


def said(statement: str) -> str:
    text = f"def execution_fn(x, y, *, __vllm_submods__):\n    {statement}\n"
    (finding,) = check(f"{text}    return x\n")
    assert finding.rule == "AG501"
    return finding.message


@pytest.mark.parametrize(
    "statement", ["a, b = x", "(a, b) = x", "[a, b] = x", "*a, b = x", "a, (b, c) = x"]
)
def test_several_names_on_the_left_are_an_unpacking(statement: str) -> None:
    assert said(statement) == "an unpacking is not allowed here"


def test_what_is_not_assigned_to_is_no_unpacking() -> None:
    assert said("del [y]") == "a list is not allowed here"
    assert said("(x, y)") == "a tuple is not allowed here"
    assert said("x[0] = y") == "an item is not allowed here"
