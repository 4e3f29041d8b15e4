"""AG203 of parameters, which vLLM deletes after their last use and astgen may not."""

from __future__ import annotations

import pytest

from astgen.check import scan
from astgen.check.finding import Finding, Profile
from astgen.lint.advice import advise
from astgen.lint.fix import mend
from astgen.lint.subject import Subject

HEAD = "import torch\nimport operator\n\n"
OTHERS: tuple[Profile, ...] = ("vllm-0.32", "legacy")


def held(text: str, profile: Profile = "vllm-0.32") -> list[Finding]:
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    findings = advise(Subject(text), found.tree, profile)
    return [finding for finding in findings if finding.rule in ("AG203", "AG207")]


def entry(*lines: str, parameters: str = "x, w") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}def execution_fn({parameters}, *, __vllm_submods__):\n{body}"


@pytest.mark.parametrize("profile", OTHERS)
def test_a_parameter_that_outlives_its_last_use_is_held(profile: Profile) -> None:
    text = entry("torch.relu_(x)", "return torch.neg(w)")
    (finding,) = held(text, profile)
    assert finding.message == "'x' is held after its last use"
    assert (finding.line, finding.column) == (4, 18)
    assert finding.hint == "add 'del x' behind its last use in line 5"


def test_the_text_of_astgen_does_not_say_which_parameters_are_weights() -> None:
    assert held(entry("torch.relu_(x)", "return torch.neg(w)"), "astgen-1") == []


def test_a_parameter_of_which_an_item_is_taken_is_still_a_parameter() -> None:
    (finding,) = held(entry("y = x[0]", "return torch.neg(y)"))
    assert finding.rule == "AG203"


@pytest.mark.parametrize("profile", OTHERS)
def test_parameters_of_inlined_functions_are_deleted_as_well(profile: Profile) -> None:
    text = (
        f"{HEAD}def __vllm_inlined_submods__0(a):\n"
        "    b = torch.neg(a)\n    return torch.relu(b)\n\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(x)\n"
    )
    assert [one.message for one in held(text, profile)] == [
        "'a' is held after its last use"
    ]


FINE = {
    "it is never used": ["return torch.neg(w)"],
    "it is deleted": ["torch.relu_(x)", "del x", "return torch.neg(w)"],
    "it is returned": ["torch.relu_(x)", "return x"],
    "nothing runs behind it": ["torch.relu_(x)", "return w"],
    "the last line needs it through a part": [
        "part = [x]",
        "part_1 = [part]",
        "torch.cat(part_1)",
        "return w",
    ],
    "it is bound again": ["x = torch.neg(x)", "return torch.neg(w)"],
    "only pieces are called": ["y = __vllm_submods__[0](w)", "del w", "return y.neg()"],
}


@pytest.mark.parametrize("lines", FINE.values(), ids=FINE)
def test_other_parameters_are_not(lines: list[str]) -> None:
    assert held(entry(*lines)) == []


def test_mending_adds_the_dels_that_vllm_writes() -> None:
    text = entry("y = torch.add(x, w)", "return torch.neg(y)")
    wanted = entry("y = torch.add(x, w)", "del x, w", "return torch.neg(y)")
    assert mend(text, held) == wanted
