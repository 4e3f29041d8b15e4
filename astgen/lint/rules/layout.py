"""AG002: whether the text looks as astgen writes it."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["NOT_FORMATTED", "RULES"]

NOT_FORMATTED = Rule(
    code="AG002",
    name="not-formatted",
    summary="black would change the layout",
    reason=(
        "astgen lays its text out so that black has nothing to change. A text of "
        "another layout was written by another generator or edited by hand: it "
        "differs from its neighbours in places that mean nothing, and lines of "
        "thousands of characters, as vLLM 0.32 writes them, cannot be reviewed. The "
        "rule is off unless it is selected, because black takes seconds for a long "
        "text; with --fix the text is laid out."
    ),
    good=(
        """\
import torch


def execution_fn(x, *, __vllm_submods__):
    return torch.add(x, 1)
""",
    ),
    bad=(
        """\
import torch


def execution_fn(x, *, __vllm_submods__):
    return torch.add( x,1 )
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.add(x, 1)
""",
    ),
    severity="note",
    fixable=True,
    default=False,
)

RULES = (NOT_FORMATTED,)
