"""Items of tuples whose length is plain to see, and keywords that stand twice."""

from __future__ import annotations

import pytest

from astgen.check import check

PROGRAM = """\
import torch
import operator


def __vllm_inlined_submods__0(a, b):
    return (a, b)


def __vllm_inlined_submods__1(a, b):
    pair = __vllm_inlined_submods__0(a, b)
    return pair


def __vllm_inlined_submods__2(a, b):
    return __vllm_inlined_submods__1(b, a)


def execution_fn(x, y, n, *, __vllm_submods__):
    direct = __vllm_inlined_submods__0(x, y)
    handed = __vllm_inlined_submods__1(x, y)
    nested = __vllm_inlined_submods__2(x, y)
    other = handed
    tuple = (x, y)
    piece = __vllm_submods__[0](x)
    return (ITEM,)
"""

VALUES = (
    "direct",
    "handed",
    "nested",
    "other",
    "tuple",
    "(x, y)",
    "__vllm_inlined_submods__2(x, y)",
)


def rules(item: str) -> list[str]:
    return [finding.rule for finding in check(PROGRAM.replace("ITEM", item))]


@pytest.mark.parametrize("index", ["2", "-3", "10000000000000000000000"])
@pytest.mark.parametrize("value", VALUES)
def test_an_item_past_the_end_is_found(value: str, index: str) -> None:
    assert rules(f"{value}[{index}]") == ["AG406"]
    assert rules(f"operator.getitem({value}, {index})") == ["AG406"]


@pytest.mark.parametrize("index", ["0", "1", "-1", "-2", "n", "5:", "True"])
@pytest.mark.parametrize("value", VALUES)
def test_an_item_that_may_be_there_is_accepted(value: str, index: str) -> None:
    assert rules(f"{value}[{index}]") == []
    if index != "5:":
        assert rules(f"operator.getitem({value}, {index})") == []


@pytest.mark.parametrize("value", ["x", "piece", "[x]", "direct[0]", "torch.neg(x)"])
def test_values_of_unknown_length_are_left_alone(value: str) -> None:
    assert rules(f"{value}[7]") == []
    assert rules(f"operator.getitem({value}, 7)") == []


def test_a_name_that_is_bound_again_has_its_new_length() -> None:
    text = PROGRAM.replace(
        "    return (ITEM,)", "    other = LINE\n    return other[2]"
    )
    assert check(text.replace("LINE", "piece")) == ()
    assert check(text.replace("LINE", "(x, y, n)")) == ()
    found = check(text.replace("LINE", "(x, y)"))
    assert [finding.rule for finding in found] == ["AG406"]


@pytest.mark.parametrize(
    "keywords",
    ["a=1, **{'a': 2}", "**{'a': 1, 'a': 2}", "**{'b': 1}, **{'a': 1, 'b': 2}"],
)
def test_a_keyword_that_stands_twice_in_dicts_is_found(keywords: str) -> None:
    assert rules(f"__vllm_submods__[0](x, {keywords})") == ["AG508"]


def test_different_keywords_in_dicts_are_accepted() -> None:
    assert rules("__vllm_submods__[0](x, a=1, **{'b': 1, 'c d': 2})") == []
