"""AG9xx: comments that suppress findings."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["RULES", "UNUSED_SUPPRESSION"]

UNUSED_SUPPRESSION = Rule(
    code="AG901",
    name="unused-suppression",
    summary="a suppression comment suppresses nothing",
    reason=(
        "A comment that suppresses a finding says that somebody looked at it. When "
        "the finding is gone, the comment hides the next one of that kind, which "
        "nobody looked at. A comment names rules by their codes, beginnings of codes, "
        "or names such as undefined-name. It stands at the end of the line that it is "
        "about, or above all code if it is about the file. One that names nothing, or "
        "what no rule is called, suppresses nothing; it is not removed by --fix, "
        "since somebody meant something by it. Findings without which a file was not "
        "judged at all, such as AG001, cannot be suppressed."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)  # astgen: ignore[AG101]
""",
        """\
# astgen: ignore-file[AG1]
def execution_fn(x, *, __vllm_submods__):
    return torch.neg(x)
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)  # astgen: ignore[AG101]
    del x
    return y
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)  # astgen: ignore
    del x
    return y
""",
    ),
    severity="warning",
    fixable=True,
)

RULES = (UNUSED_SUPPRESSION,)
