"""AG302, AG403 and AG408: exact where names are known, careful where they are not."""

from __future__ import annotations

import pytest

from astgen.check import scan
from astgen.check.finding import PROFILES, Profile
from astgen.lint.advice import advise
from astgen.lint.subject import Constant, Subject

INDEXES = {"AG302", "AG403", "AG408"}


def advice(
    text: str,
    *,
    consts: int | None = None,
    names: int | None = None,
    profile: Profile = "astgen-1",
) -> list[tuple[str, str]]:
    """Code and message of each finding about slots."""
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    subject = Subject(
        text,
        consts=None if consts is None else (Constant("a.b", "b", "b"),) * consts,
        submod_names=None if names is None else tuple(f"s{i}" for i in range(names)),
    )
    findings = advise(subject, found.tree, profile)
    return [(f.rule, f.message) for f in findings if f.rule in INDEXES]


def entry(*values: str, above: str = "") -> str:
    """A program that returns these values."""
    head = "def execution_fn(x, *, __vllm_submods__):\n"
    return f"{above}{head}    return [{', '.join(values)}]\n"


def consts(*slots: int) -> str:
    return entry(*(f"__vllm_consts__[{slot}]" for slot in slots))


def inlined(number: int, value: str = "x", parameters: str = "x") -> str:
    return f"def __vllm_inlined_submods__{number}({parameters}):\n    return {value}\n"


def piece(slot: int) -> str:
    return f"__vllm_submods__[{slot}](x)"


def call(number: int, arguments: str = "x") -> str:
    return f"__vllm_inlined_submods__{number}({arguments})"


@pytest.mark.parametrize("slots", [(), (0,), (1, 0, 2, 1)])
def test_constants_that_are_all_read(slots: tuple[int, ...]) -> None:
    assert advice(consts(*slots)) == []
    assert advice(consts(*slots), consts=len(set(slots))) == []


@pytest.mark.parametrize(
    "slots, count, missing",
    [
        ((1,), None, "slot 0 of '__vllm_consts__' is"),
        ((0, 4), None, "slots 1, 2, 3 of '__vllm_consts__' are"),
        ((0, 9), None, "slots 1, 2, 3 and 5 more of '__vllm_consts__' are"),
        ((0, 2, 4), None, "slots 1, 3 of '__vllm_consts__' are"),
        ((), 1, "slot 0 of '__vllm_consts__' is"),
        ((0,), 3, "slots 1, 2 of '__vllm_consts__' are"),
        ((2**31 - 1,), None, "slots 0, 1, 2 and 2147483644 more of"),
    ],
)
def test_constants_that_nothing_reads_are_named(
    slots: tuple[int, ...], count: int | None, missing: str
) -> None:
    ((code, message),) = advice(consts(*slots), consts=count)
    assert code == "AG302" and message.startswith(missing)


def test_a_constant_may_be_read_in_any_function_or_default() -> None:
    above = "def __vllm_inlined_submods__0(x=__vllm_consts__[1]):\n    return x\n"
    text = entry("__vllm_consts__[0]", "__vllm_inlined_submods__0()", above=above)
    assert advice(text, consts=2) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_pieces_and_functions_share_numbers(profile: Profile) -> None:
    text = entry(piece(0), call(1), piece(2), above=inlined(1))
    assert advice(text, profile=profile) == []
    assert advice(text, names=3, profile=profile) == []


@pytest.mark.parametrize(
    "values, count, missing",
    [
        ([piece(1)], None, "slot 0 of '__vllm_submods__' is never called"),
        ([piece(0), piece(3)], None, "slots 1, 2 of '__vllm_submods__' are never"),
        ([piece(0)], 2, "slot 1 of '__vllm_submods__' is never called"),
        (["x"], 1, "slot 0 of '__vllm_submods__' is never called"),
    ],
)
def test_pieces_that_nothing_calls_are_named(
    values: list[str], count: int | None, missing: str
) -> None:
    ((code, message),) = advice(entry(*values), names=count)
    assert code == "AG403" and message.startswith(missing)


def test_equal_children_keep_their_numbers() -> None:
    text = entry(call(0), call(0), piece(2), call(0), above=inlined(0))
    assert advice(text) == []
    assert advice(text, names=3) == []
    assert advice(text, names=4) == []
    assert [code for code, _ in advice(text, names=5)] == ["AG403"]


def test_only_calls_in_between_account_for_numbers() -> None:
    text = entry(call(0), piece(2), call(0), above=inlined(0))
    assert [code for code, _ in advice(text)] == ["AG403"]


def test_an_equal_child_brings_the_numbers_of_those_below_it() -> None:
    above = inlined(1) + inlined(0, f"({call(1)}, {call(1)})")
    # Below the second child of this kind there are two more.
    assert advice(entry(call(0), call(0), piece(6), above=above)) == []
    text = entry(call(0), call(0), piece(7), above=above)
    assert [code for code, _ in advice(text)] == ["AG403"]


def test_functions_that_are_passed_on_have_their_numbers_too() -> None:
    value = "torch.ops.higher_order.cond(x, __vllm_inlined_submods__0, x)"
    text = "import torch\n" + entry(value, value, piece(2), above=inlined(0))
    assert advice(text) == []


def test_calls_are_followed_through_functions() -> None:
    above = inlined(1, "__vllm_submods__[2](x)", "x, __vllm_submods__")
    text = entry(piece(0), call(1, "x, __vllm_submods__"), piece(3), above=above)
    assert advice(text) == []
    late = entry(call(1, "x, __vllm_submods__"), piece(0), piece(3), above=above)
    assert [code for code, _ in advice(late)] == ["AG408"]


@pytest.mark.parametrize(
    "values, late",
    [
        ([piece(1), piece(0)], ["slot 0"]),
        ([piece(0), piece(2), piece(1), piece(3)], ["slot 1"]),
        ([piece(2), piece(1), piece(0)], ["slot 1", "slot 0"]),
    ],
)
def test_pieces_out_of_order_are_named(values: list[str], late: list[str]) -> None:
    found = advice(entry(*values))
    assert [code for code, _ in found] == ["AG408"] * len(late)
    assert [message[:6] for _, message in found] == late


def test_a_function_out_of_order_is_named() -> None:
    ((code, message),) = advice(entry(piece(1), call(0), above=inlined(0)))
    assert code == "AG408" and message.startswith("'__vllm_inlined_submods__0' is")


def test_later_calls_may_come_in_any_order() -> None:
    assert advice(entry(piece(0), piece(1), piece(1), piece(0))) == []


def test_arguments_run_before_the_call() -> None:
    nested = "__vllm_submods__[1](__vllm_submods__[0](x))"
    assert advice(entry(nested)) == []
    nested = "__vllm_submods__[0](__vllm_submods__[1](x))"
    assert [code for code, _ in advice(entry(nested))] == ["AG408"]


def test_a_program_without_entry_has_no_slots_to_miss() -> None:
    assert advice(inlined(0, "__vllm_consts__[3]"), consts=9, names=9) == []


def test_numbers_of_any_length_are_read() -> None:
    name = "__vllm_inlined_submods__" + "9" * 5000
    above = f"def {name}(x):\n    return x\n"
    assert advice(entry(f"{name}(x)", piece(0), above=above)) == []


def test_deep_and_doubling_chains_are_followed() -> None:
    depth = 2000
    above = inlined(depth) + "".join(
        inlined(number, f"({call(number + 1)}, {call(number + 1)})")
        for number in reversed(range(depth))
    )
    assert advice(entry(call(0), call(0), piece(10**6), above=above)) == []
