"""AG203 to AG207: what is held for nothing, and what is not."""

from __future__ import annotations

import pytest

from astgen.check import scan
from astgen.check.finding import PROFILES, Finding, Profile
from astgen.lint.advice import advise
from astgen.lint.subject import Subject

LIFETIMES = {"AG203", "AG204", "AG205", "AG206", "AG207"}


def findings(text: str, profile: Profile) -> tuple[Finding, ...]:
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    return advise(Subject(text), found.tree, profile)


def advice(text: str, profile: Profile = "vllm-0.32") -> list[tuple[str, str]]:
    """Code and message of each finding about lifetimes, but those of parameters."""
    heads = {
        number
        for number, line in enumerate(text.splitlines(), 1)
        if line.startswith("def ")
    }
    return [
        (f.rule, f.message)
        for f in findings(text, profile)
        if f.rule in LIFETIMES and f.line not in heads
    ]


def entry(*lines: str, parameters: str = "x, w", above: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    head = f"import torch\nimport operator\n{above}"
    return f"{head}def execution_fn({parameters}, *, __vllm_submods__):\n{body}"


HELD = {
    "a piece follows": ["z = __vllm_submods__[1](w)", "return z"],
    "a call without result follows": ["torch.relu_(w)", "return w"],
    "an item is taken": ["z = w[0]", "return z"],
    "arithmetic follows": ["z = w + 1", "return z"],
    "the return calls": ["return torch.neg(w)"],
    "inputs are put together": ["return __vllm_consts__[0](w, __vllm_consts__[1])"],
}


@pytest.mark.parametrize("after", HELD.values(), ids=HELD)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_value_that_outlives_its_last_use_is_held(
    after: list[str], profile: Profile
) -> None:
    text = entry("y = torch.neg(x)", "torch.relu_(y)", *after)
    assert ("AG203", "'y' is held after its last use") in advice(text, profile)


HELD_ON = ("return torch.neg(w)",)

FREE = {
    "the return is next": ["return w"],
    "a record is put together": ["return __vllm_consts__[0]((w, w))"],
    "a slice is put together": ["return slice(w, None)"],
    "a size is put together": ["return torch.Size((1, 2))"],
    "a constant is named": ["z = __vllm_consts__[0]", "return z"],
    "parts of the result": ["part = [[w]]", "part_1 = slice(part)", "return [part_1]"],
}


@pytest.mark.parametrize("after", FREE.values(), ids=FREE)
@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_is_held_where_nothing_runs(after: list[str], profile: Profile) -> None:
    text = entry("y = torch.neg(x)", "torch.relu_(y)", *after)
    assert advice(text, profile) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_value_that_goes_through_parts_dies_with_what_takes_them(
    profile: Profile,
) -> None:
    lines = ["y = torch.neg(x)", "part = [y]", "part_1 = [part]", "torch.cat(part_1)"]
    held = {message for _, message in advice(entry(*lines, *HELD_ON), profile)}
    names = ("y", "part", "part_1")
    assert held == {f"'{name}' is held after its last use" for name in names}
    assert advice(entry(*lines, "del y, part, part_1", *HELD_ON), profile) == []


def test_what_is_returned_is_not_held() -> None:
    text = entry("y = torch.neg(x)", "z = torch.relu(y)", "return [(y, {'k': z})]")
    assert advice(text) == []


@pytest.mark.parametrize("result", ["()", "None", "", "1"])
def test_a_function_that_returns_nothing_leaves_nothing_to_hold(result: str) -> None:
    above = (
        f"def __vllm_inlined_submods__0(a):\n    torch.relu_(a)\n    return {result}\n"
    )
    text = entry("y = __vllm_inlined_submods__0(x)", "return torch.neg(w)", above=above)
    assert advice(text) == []


def test_a_function_that_returns_something_does() -> None:
    above = "def __vllm_inlined_submods__0(a):\n    return (a,)\n"
    text = entry("y = __vllm_inlined_submods__0(x)", "return torch.neg(w)", above=above)
    assert [code for code, _ in advice(text)] == ["AG205"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_tuple_is_held_by_its_name(profile: Profile) -> None:
    text = entry("y = __vllm_submods__[0](x)", "z = y[0]", "return torch.neg(w)")
    message = "'y' is held after its last item was taken"
    assert ("AG207", message) in advice(text, profile)


def test_a_value_that_is_also_used_whole_is_no_tuple() -> None:
    text = entry("y = torch.neg(x)", "z = y[0]", "torch.add(y, z)", "return w + 1")
    text = text.replace("return w + 1", "return torch.neg(w)")
    assert [code for code, _ in advice(text)] == ["AG203", "AG203"]


def test_a_del_before_the_return_is_useless() -> None:
    text = entry("y = torch.neg(x)", "torch.relu_(y)", "del y", "del x", "return w")
    assert [code for code, _ in advice(text)] == ["AG204", "AG204"]


@pytest.mark.parametrize(
    "lines",
    [
        ["y = torch.neg(x)", "del y", "return torch.neg(w)"],
        ["y = torch.neg(x)", "del y", "return [slice(w, None)]"],
        ["del x", "return w"],
        ["y = torch.neg(x)", "del x", "torch.relu_(y)", "return y"],
    ],
)
def test_other_dels_are_not(lines: list[str]) -> None:
    assert "AG204" not in [code for code, _ in advice(entry(*lines))]


def test_weights_belong_to_the_model() -> None:
    names = [
        "l_self_modules_norm_parameters_weight_",
        "l_self_modules_rotary_buffers_cos_",
        "l_self_parameters_scale_",
        "L_self_modules_norm_parameters_weight_",
    ]
    lines = [f"y = torch.cat([{', '.join(names)}])", f"del {', '.join(names)}"]
    text = entry(*lines, "return torch.neg(y)", parameters=", ".join(names))
    ((code, message),) = advice(text)
    assert code == "AG204" and f"'{names[0]}' and 3 more" in message
    # Where the graph does not say what a weight is, astgen frees every input.
    assert advice(text, "astgen-1") == []


def test_other_inputs_may_be_freed() -> None:
    names = "l_input_ids_, l_self_modules_lin_weight"
    text = entry(
        f"y = torch.add({names})",
        f"del {names}",
        "return torch.neg(y)",
        parameters=names,
    )
    assert advice(text) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_value_that_nobody_reads_is_held(profile: Profile) -> None:
    text = entry("y = torch.neg(x)", "return torch.neg(w)")
    assert advice(text, profile) == [("AG205", "'y' is bound, but never read")]


def test_a_value_that_nobody_reads_may_stand_before_the_return() -> None:
    assert advice(entry("y = torch.neg(x)", "return w")) == []


def test_a_value_that_is_only_deleted_lost_its_use() -> None:
    text = entry("y = torch.neg(x)", "del y", "return torch.neg(w)")
    assert advice(text) == [("AG205", "'y' is bound and deleted, but never read")]


def test_astgen_takes_inputs_apart_that_nobody_reads() -> None:
    text = entry("flat = __vllm_consts__[0](x)", "del flat, x", "return torch.neg(w)")
    assert advice(text, "astgen-1") == []
    assert [code for code, _ in advice(text, "vllm-0.32")] == ["AG205"]


@pytest.mark.parametrize(
    "lines",
    [
        ["y = torch.neg(x)", "y = torch.neg(w)", "return torch.neg(y)"],
        ["y = torch.neg(x)", "del y", "y = torch.neg(w)", "return torch.neg(y)"],
        ["x = torch.neg(w)", "return torch.neg(x)"],
        ["y = torch.neg(x)", "y = torch.neg(y)", "return w"],
    ],
)
def test_a_name_that_is_bound_again_is_one_finding(lines: list[str]) -> None:
    assert [code for code, _ in advice(entry(*lines))] == ["AG206"]


def test_a_name_of_another_function_is_another_name() -> None:
    above = "def __vllm_inlined_submods__0(y):\n    z = torch.neg(y)\n    return (z,)\n"
    text = entry(
        "y = __vllm_inlined_submods__0(x)", "z = y[0]", "return (z,)", above=above
    )
    assert advice(text) == []


def test_what_is_wrong_anyway_is_no_advice() -> None:
    # The read comes first, and is an error; a del behind it would be another.
    text = entry("torch.relu_(y)", "y = torch.neg(x)", "return torch.neg(w)")
    assert "AG203" not in [code for code, _ in advice(text)]
