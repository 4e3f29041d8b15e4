"""AG302, AG304, AG403 and AG408: slots that nothing uses, and leaks into strings."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["CALL_ORDER", "REPR_LEAK", "RULES", "UNUSED_CONST", "UNUSED_SUBMOD"]

UNUSED_CONST = Rule(
    code="AG302",
    name="unused-const",
    summary="a constant slot is never read",
    reason=(
        "Generators give a constant a slot when they write its first use, so each "
        "slot is read somewhere. A slot that is not means that a line was lost, or "
        "that code and constants come from different graphs and only look as if "
        "they fit. Where the constants are not beside the text, slots up to the "
        "highest one that is read are expected."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](__vllm_consts__[1], __vllm_consts__[0])
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, __vllm_consts__[1])
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](__vllm_consts__[0], __vllm_consts__[7])
""",
    ),
    severity="warning",
)

REPR_LEAK = Rule(
    code="AG304",
    name="repr-leak",
    summary="a string or comment holds what repr says of an object",
    reason=(
        "A generator that calls str or repr on an object it cannot write hands a "
        "piece the text device(type='cuda', index=0) instead of the device, and an "
        "address such as <Thing object at 0x7f…> makes a text that differs from one "
        "process to the next, which breaks every cache that compares it "
        "(pytorch/pytorch#73992 shows the same leak outside of strings). astgen "
        "never does, so a string of its own text is what the model itself passes."
    ),
    good=(
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, "cuda:0", "a < b", "the tensor (first)")
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, "<pad>", "<|im_start|>", "device: type")
""",
    ),
    bad=(
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, "device(type='cuda', index=0)")
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, "<Color.RED: 1>")
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    # made for <Layer object at 0x7f31c2a4d0>
    return __vllm_submods__[0](x)
""",
        """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, {"scale": "tensor([0.5])"})
""",
    ),
    severity="warning",
    profiles=("vllm-0.32", "legacy"),
)

UNUSED_SUBMOD = Rule(
    code="AG403",
    name="unused-submod",
    summary="the slot of a piece is never called",
    reason=(
        "A piece gets its slot when its first call is written, and inlined "
        "functions are numbered together with the pieces, so each number occurs in "
        "the text. One that does not belongs to a lost line or to other pieces. "
        "astgen writes one function for children that are equal, and each of them "
        "keeps its number: as many numbers as calls of such functions may be absent "
        "between their neighbours. Where the names of the pieces are not beside the "
        "text, numbers up to the highest one are expected."
    ),
    good=(
        """\
def __vllm_inlined_submods__1(x):
    return x
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_submods__[0](x)
    b = __vllm_inlined_submods__1(a)
    del a
    c = __vllm_inlined_submods__1(b)
    del b
    return __vllm_submods__[3](c)
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[1](x)
""",
        """\
def __vllm_inlined_submods__1(x):
    return x
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_submods__[0](x)
    b = __vllm_inlined_submods__1(a)
    return (a, __vllm_submods__[3](b))
""",
    ),
    severity="warning",
)

CALL_ORDER = Rule(
    code="AG408",
    name="call-order",
    summary="a piece is called before others of a lower number",
    reason=(
        "Pieces are numbered by first call, and vLLM splits with "
        "keep_original_order because pieces change tensors in place: two calls that "
        "do not read each other's results may still not be exchanged. A number that "
        "comes too late shows that lines were moved. Calls are followed through "
        "inlined functions; functions that are passed to operators may run later "
        "than they were numbered, and then only the pieces are compared."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return (__vllm_submods__[0](x), __vllm_submods__[1](x), __vllm_submods__[0](x))
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return (__vllm_submods__[1](x), __vllm_submods__[0](x))
""",
        """\
def __vllm_inlined_submods__1(x, __vllm_submods__):
    return __vllm_submods__[2](x)
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__1(x, __vllm_submods__)
    return (a, __vllm_submods__[0](x))
""",
    ),
    severity="warning",
)

RULES = (UNUSED_CONST, REPR_LEAK, UNUSED_SUBMOD, CALL_ORDER)
