"""AG3xx: the slots of constants, and what may be done with lists of slots."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["CONST_INDEX", "RULES", "SLOT_ESCAPE"]

CONST_INDEX = Rule(
    code="AG301",
    name="const-index",
    summary="a constant is not taken by a literal index in range",
    reason=(
        "Code and constants are stored side by side and only fit together by "
        "number. An index past the end means that they come from different graphs, "
        "which is what a cache key with a factor missing leads to "
        "(vllm-project/vllm#53366); it fails with an IndexError at the first call. "
        "A computed or negative index cannot be checked, and cannot be moved out of "
        "the function before it runs."
    ),
    good=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten._to_copy.default(x, dtype=__vllm_consts__[0])
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[3](x)
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[-1]
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[True]
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[x](x)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[0:2]
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[10000000000]
""",
    ),
)

SLOT_ESCAPE = Rule(
    code="AG311",
    name="slot-escape",
    summary="a list of slots, or a piece, is used as a value",
    reason=(
        "A program takes single constants and calls single pieces. Whoever holds "
        "the whole list can change it (operator.setitem), hide an index from the "
        "checker, or keep all pieces alive; whoever holds a piece can hand it to "
        "something that calls it. The list of pieces is only passed on, as the last "
        "argument, to an inlined function that takes it."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x, __vllm_consts__[0])
""",
        """\
def __vllm_inlined_submods__0(x, __vllm_submods__):
    return __vllm_submods__[1](x)
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, __vllm_submods__)
""",
    ),
    bad=(
        """\
import operator
def execution_fn(x, *, __vllm_submods__):
    operator.setitem(__vllm_consts__, 0, x)
    return x
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    y = __vllm_submods__[0]
    return y
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__.pop(0)
""",
        """\
import torch
def __vllm_inlined_submods__0(x, __vllm_submods__):
    return __vllm_submods__[1](x)
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.higher_order.cond(x, __vllm_inlined_submods__0, x)
""",
    ),
)

RULES = (CONST_INDEX, SLOT_ESCAPE)
