"""What is said of one program, put together from checker and advice."""

from __future__ import annotations

import pytest

from astgen.lint.program import judge
from astgen.lint.rules import ALL_RULES
from astgen.lint.settings import Settings
from astgen.lint.subject import Constant, Subject

ACTIVE = frozenset(ALL_RULES) - {"AG002"}
INDEXES = {"AG301", "AG302", "AG401", "AG403", "AG408"}


def indexes(body: str) -> list[str]:
    """The rules about indexes that a program with two slots of each kind breaks."""
    head = "import torch\ndef execution_fn(x, i, *, __vllm_submods__):\n"
    subject = Subject(
        f"{head}    return [{body}]\n",
        consts=(Constant("a.b", "b", "b"), Constant("c.d", "d", "d")),
        submod_names=("submod_0", "submod_1"),
    )
    found = judge(subject, Settings(), ACTIVE, most=100)
    return [finding.rule for finding in found if finding.rule in INDEXES]


PIECES = "__vllm_submods__[0](x), __vllm_submods__[1](x)"
CONSTS = "__vllm_consts__[0], __vllm_consts__[1]"


@pytest.mark.parametrize(
    "body, expected",
    [
        (f"{PIECES}, {CONSTS}", []),
        (f"{PIECES}, __vllm_consts__[0]", ["AG302"]),
        (f"{PIECES}, __vllm_consts__[i]", ["AG301"]),
        (f"{CONSTS}, __vllm_submods__[0](x)", ["AG403"]),
        (f"{CONSTS}, __vllm_submods__[i](x)", ["AG401"]),
        (f"{CONSTS}, __vllm_submods__[1](x), __vllm_submods__[0](x)", ["AG408"]),
        (
            f"{CONSTS}, __vllm_submods__[1](x), __vllm_submods__[i](x), "
            "__vllm_submods__[0](x)",
            ["AG401"],
        ),
        ("__vllm_consts__[i], __vllm_submods__[0](x)", ["AG403", "AG301"]),
        ("__vllm_submods__[i](x), __vllm_consts__[0]", ["AG302", "AG401"]),
    ],
)
def test_slots_that_a_computed_index_may_take_are_not_called_unused(
    body: str, expected: list[str]
) -> None:
    assert indexes(body) == expected


def test_a_mistyped_path_is_told_what_was_meant() -> None:
    text = (
        "import torch\ndef execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.reul(x)\n"
    )
    (finding,) = judge(Subject(text), Settings(), ACTIVE, most=100)
    assert (finding.rule, finding.hint) == ("AG502", "did you mean 'torch.relu'?")
