"""AG106: imports that nothing needs."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["RULES", "UNUSED_IMPORT"]

UNUSED_IMPORT = Rule(
    code="AG106",
    name="unused-import",
    summary="a module is imported twice, or not needed",
    reason=(
        "vLLM 0.32 begins every text with the imports of torch and operator, needed "
        "or not; older texts import torch alone. A module that no path begins with "
        "can go. astgen's own head is the same two lines in every text, so that "
        "texts can be compared, and is left alone; an import that stands twice "
        "comes from texts that were put together by hand."
    ),
    good=(
        """\
import torch
import operator
def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return operator.add(torch.neg(x), 1)
""",
    ),
    bad=(
        """\
import torch
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)
""",
        """\
import torch, operator, torch
def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)
""",
    ),
    severity="note",
    fixable=True,
)

RULES = (UNUSED_IMPORT,)
