"""AG0xx: whether the text is a Python program at all."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["RULES", "SYNTAX_ERROR"]

SYNTAX_ERROR = Rule(
    code="AG001",
    name="syntax-error",
    summary="the text does not parse",
    reason=(
        "Generators that write values with repr() produce text that is not Python: "
        "an enum member becomes <Color.RED: 1>, a tensor becomes tensor(..., "
        "device='cuda:0') with dots in it (pytorch/pytorch#73992). A file that was "
        "cut short or overwritten by another process does not parse either "
        "(vllm-project/vllm#35174). Text that is too deep for the parser, or has "
        "null bytes or lone surrogates in it, is reported here too; nothing of it "
        "is looked at further."
    ),
    good=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.add(x, 1)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return (x, "<Color.RED: 1>")
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.add(x, <Color.RED: 1>)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.add(x, 1
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, class=1)
""",
        "def execution_fn(x, *, __vllm_submods__):\n    return 'a\0b'\n",
    ),
    always=True,
)

RULES = (SYNTAX_ERROR,)
