"""AG2xx: whether values are still there when they are used."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["BAD_DEL", "RULES", "USE_AFTER_DEL"]

USE_AFTER_DEL = Rule(
    code="AG201",
    name="use-after-del",
    summary="a name is read after its del",
    reason=(
        "Generated code deletes values after their last use, so that memory is free "
        "for the next piece. A del that stands too early, or a line that moved "
        "behind it, is an UnboundLocalError at the first call. Linters of Python call "
        "the name undefined where it is read; this finding says what happened: it was "
        "bound, and its del stands too early."
    ),
    good=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    z = torch.neg(y)
    del y
    return z
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    x = torch.neg(y)
    return x
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    return torch.add(y, x)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x, y
    return y
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    y = __vllm_submods__[0](x)
    z = y[0]
    del y
    w = y[1]
    del y
    return (z, w)
""",
    ),
)

BAD_DEL = Rule(
    code="AG202",
    name="bad-del",
    summary="del of a name that is not bound, or not any more",
    reason=(
        "Deleting a name twice, or one that was never bound, is an UnboundLocalError "
        "or a NameError at the first call. It happens when lines are lost or "
        "repeated, or when a value that nobody reads is not bound but still deleted."
    ),
    good=(
        """\
import torch
def execution_fn(x, y, *, __vllm_submods__):
    z = torch.add(x, y)
    del x, y
    return z
""",
        """\
import torch
def execution_fn(x, y, *, __vllm_submods__):
    z = torch.add(x, y)
    del (
        x,
        y,
    )
    return z
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    del x
    return y
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    del z
    return torch.neg(x)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x, x
    return y
""",
    ),
)

RULES = (USE_AFTER_DEL, BAD_DEL)
