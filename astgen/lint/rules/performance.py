"""AG701 to AG703: what could be shorter or faster."""

from __future__ import annotations

from astgen.check.finding import Profile, Rule

__all__ = ["GETITEM_CHAIN", "OP_LOOKUP", "RULES", "SHAREABLE_INLINE"]

_OTHERS: tuple[Profile, ...] = ("vllm-0.32", "legacy")

SHAREABLE_INLINE = Rule(
    code="AG701",
    name="shareable-inline",
    summary="an inlined function is equal to an earlier one",
    reason=(
        "The layers of a model give the same code again and again: in the text of "
        "vLLM 0.32 for a Llama of four layers, all four inlined attention pieces are "
        "equal up to the names of their locals, and in a model of 80 layers they are "
        "a third of the text. One function does for all. Functions that call pieces "
        "or read constants of their own differ and stay."
    ),
    good=(
        """\
import torch
import operator

def __vllm_inlined_submods__0(x):
    return torch.neg(x)

def __vllm_inlined_submods__1(y):
    return operator.neg(y)

def execution_fn(x, *, __vllm_submods__):
    return (__vllm_inlined_submods__0(x), __vllm_inlined_submods__1(x))
""",
    ),
    bad=(
        """\
import torch
import operator

def __vllm_inlined_submods__0(x):
    return operator.add(x, 1)

def __vllm_inlined_submods__1(y):
    return operator.add(y, 1)

def execution_fn(x, *, __vllm_submods__):
    a = torch.neg(x)
    return (__vllm_inlined_submods__0(a), __vllm_inlined_submods__1(a))
""",
        """\
import torch
import operator

def __vllm_inlined_submods__0(x):
    return operator.add(x, 1)

def __vllm_inlined_submods__0(x):
    return operator.add(x, 1)

def execution_fn(x, *, __vllm_submods__):
    a = torch.neg(x)
    return (__vllm_inlined_submods__0(a), __vllm_inlined_submods__0(a))
""",
    ),
    severity="note",
    profiles=_OTHERS,
    fixable=True,
)

GETITEM_CHAIN = Rule(
    code="AG702",
    name="getitem-chain",
    summary="a value is taken apart item by item",
    reason=(
        "A piece with many results is taken apart by one line for each, and every "
        "line costs some ten nanoseconds at each call and a name to follow. Nothing "
        "is wrong with that, and the dialect has no unpacking because each name is "
        "bound by a line of its own; but a piece that returns what nobody but its "
        "neighbour needs shows that the graph was cut in an unfortunate place."
    ),
    good=(
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    y = __vllm_submods__[0](x)
    del x
    a = y[0]
    b = y[1]
    del y
    c = torch.add(a, b)
    del a, b
    return operator.neg(c)
""",
    ),
    bad=(
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    y = __vllm_submods__[0](x)
    del x
    a = y[0]
    b = y[1]
    c = y[2]
    del y
    return operator.add(c, torch.add(a, b))
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    y = torch.split(x, 1)
    del x
    a = y[3]
    b = y[1]
    c = y[0]
    d = y[2]
    del y
    return operator.add(a, __vllm_submods__[0](b, c, d))
""",
    ),
    severity="note",
    profiles=_OTHERS,
)

OP_LOOKUP = Rule(
    code="AG703",
    name="op-lookup",
    summary="operators are looked up at each call",
    reason=(
        "torch.ops.vllm.unified_attention is three or four attributes that Python "
        "looks up each time the line runs, and torch.ops resolves names in Python "
        "code: some hundred nanoseconds for each operator of each layer, at each "
        "token. astgen binds the operators of a text when it loads it, so that a "
        "call costs one lookup; the text stays the same."
    ),
    good=(
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
import operator

def execution_fn(x, *, __vllm_submods__):
    return operator.add(torch.ops.aten.neg.default(x), 1)
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    y = torch.ops.vllm.all_reduce(x, group_name="tp:0")
    del x
    return operator.add(torch.ops.aten.neg.default(y), 1)
""",
    ),
    severity="note",
    profiles=_OTHERS,
)

RULES = (SHAREABLE_INLINE, GETITEM_CHAIN, OP_LOOKUP)
