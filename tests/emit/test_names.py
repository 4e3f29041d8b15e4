"""Names are legal, unique, shadow nothing and do not depend on history."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astgen.check import DEFAULT_DIALECT
from astgen.emit.names import CanonicalNames, Names

AWKWARD = [
    *keyword.kwlist,
    *keyword.softkwlist,
    *sorted(DEFAULT_DIALECT.reserved),
    "__vllm_inlined_submods__0",
    "__vllm_inlined_submods__",
    "__debug__",
    "",
    "0",
    "a b",
    "x = zz",
    "ﬁ",
    "é",
    "日本",
    "𝐱",
    "\ud800",
    "a\nb",
]


@pytest.mark.parametrize("wanted", AWKWARD)
def test_an_awkward_name_becomes_an_identifier_of_its_own(wanted: str) -> None:
    names = Names(DEFAULT_DIALECT)
    found = names.local(wanted)
    assert found.isidentifier() and found.isascii()
    assert not keyword.iskeyword(found)
    assert not DEFAULT_DIALECT.is_reserved(found)
    compile(f"def f({found}):\n    {found} = 1\n    del {found}\n", "", "exec")


@given(st.lists(st.one_of(st.sampled_from(AWKWARD), st.text(max_size=4)), max_size=30))
def test_no_name_is_given_twice_and_the_order_decides(wanted: list[str]) -> None:
    first, second = Names(DEFAULT_DIALECT), Names(DEFAULT_DIALECT)
    given_out = [first.local(name) for name in wanted]
    assert len(set(given_out)) == len(given_out)
    assert [second.local(name) for name in wanted] == given_out


def test_plain_names_stay_what_they_are() -> None:
    names = Names(DEFAULT_DIALECT)
    wanted = ["x", "X", "add_1", "_private", "view", "x_1"]
    assert [names.local(name) for name in wanted] == wanted
    assert names.local("x") == "x_2"


@pytest.mark.parametrize(
    "target", ["input", "日本", "L_x_", "self", "match", "case", "type", "_", "abs"]
)
def test_a_parameter_keeps_a_target_that_callers_can_name(target: str) -> None:
    assert Names(DEFAULT_DIALECT).parameter(target, "node") == target


@pytest.mark.parametrize(
    "target", ["ﬁ", "a b", "class", "torch", "slice", "__vllm_consts__", "0", ""]
)
def test_other_parameters_are_named_after_their_node(target: str) -> None:
    assert Names(DEFAULT_DIALECT).parameter(target, "node") == "node"


def test_a_local_is_told_from_a_builtin() -> None:
    names = Names(DEFAULT_DIALECT)
    assert [names.local("sum") for _ in range(2)] == ["sum_1", "sum_2"]


def test_two_parameters_of_one_target_differ() -> None:
    names = Names(DEFAULT_DIALECT)
    assert names.parameter("x", "x") == "x"
    assert names.parameter("x", "x_1") == "x_1"


def test_canonical_names_do_not_depend_on_what_is_wanted() -> None:
    ours, theirs = CanonicalNames(DEFAULT_DIALECT), CanonicalNames(DEFAULT_DIALECT)
    found = [ours.parameter("a", "b"), ours.local("c"), ours.local("c")]
    assert found == [theirs.parameter("q", "r"), theirs.local("s"), theirs.local("t")]
    assert len(set(found)) == 3


def test_a_thousand_equal_wishes_cost_a_thousand_steps() -> None:
    names = Names(DEFAULT_DIALECT)
    found = [names.local("getitem") for _ in range(20_000)]
    assert found[-1] == "getitem_19999"
