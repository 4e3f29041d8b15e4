"""AG4xx: the compiled pieces, the inlined functions and the entry function."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = [
    "ARITY",
    "ENTRY_SIGNATURE",
    "INLINED_MISSING",
    "RULES",
    "SUBMOD_INDEX",
]

SUBMOD_INDEX = Rule(
    code="AG401",
    name="submod-index",
    summary="a piece is not called by a literal index in range",
    reason=(
        "The text calls compiled pieces by number and the names of the pieces are "
        "stored beside it. A number past the end is what a cache entry with pieces "
        "missing looks like (vllm-project/vllm#56879), and an IndexError at the "
        "first call. A computed or negative index cannot be checked or bound before "
        "the program runs."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x)
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[-1](x)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[x](x)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__["0"](x)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0:1](x)
""",
    ),
)

INLINED_MISSING = Rule(
    code="AG404",
    name="inlined-missing",
    summary="an inlined function is used that is not defined above",
    reason=(
        "A call of a function that is not in the text is a NameError at the first "
        "call. Functions stand above their users, so that a program is read once "
        "from top to bottom and cannot call itself: a graph has no recursion, and "
        "a text that has it would not end."
    ),
    good=(
        """\
def __vllm_inlined_submods__1(x):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__1(x)
""",
        """\
import torch
def __vllm_inlined_submods__0(x):
    return (x,)
def __vllm_inlined_submods__1(x):
    return (x,)
def execution_fn(p, x, *, __vllm_submods__):
    return torch.ops.higher_order.cond(
        p, __vllm_inlined_submods__0, __vllm_inlined_submods__1, (x,)
    )
""",
    ),
    bad=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__1(x)
""",
        """\
def __vllm_inlined_submods__0(x):
    return __vllm_inlined_submods__1(x)
def __vllm_inlined_submods__1(x):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x)
""",
        """\
def __vllm_inlined_submods__0(x):
    return __vllm_inlined_submods__0(x)
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x)
""",
        """\
import torch
def execution_fn(p, x, *, __vllm_submods__):
    return torch.ops.higher_order.cond(p, __vllm_inlined_submods__0, (x,))
""",
    ),
)

ENTRY_SIGNATURE = Rule(
    code="AG405",
    name="entry-signature",
    summary="the entry is missing, not last, or does not take the pieces",
    reason=(
        "Whoever runs the text looks for one function by name and hands it the "
        "pieces by keyword. If it is missing or called something else, loading "
        "fails with a KeyError; without the keyword, the first call fails. "
        "Functions of other names are not generated, and nothing would call them."
    ),
    good=(
        """\
def execution_fn(x, *, __vllm_submods__):
    return x
""",
        """\
def execution_fn(x, *args, y, __vllm_submods__, **kwargs):
    return __vllm_submods__[0](x, args, y, kwargs)
""",
        """\
def execution_fn(*, __vllm_submods__):
    return ()
""",
    ),
    bad=(
        "",
        "import torch\n",
        """\
def execution_fn(x):
    return x
""",
        """\
def execution_fn(x, __vllm_submods__):
    return x
""",
        """\
def execution_fn(x, *, __vllm_submods__=()):
    return x
""",
        """\
def execution_fn(x, *, __vllm_submods__, y):
    return x
""",
        """\
def forward(x, *, __vllm_submods__):
    return x
""",
        """\
def helper(x):
    return x
def execution_fn(x, *, __vllm_submods__):
    return helper(x)
""",
        """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x)
def __vllm_inlined_submods__0(x):
    return x
""",
    ),
)

ARITY = Rule(
    code="AG406",
    name="arity",
    summary="a call of an inlined function, or its result, does not fit",
    reason=(
        "Both sides of the call are in the text, so a wrong number of arguments is "
        "known before the TypeError at the first call. The same goes for an item "
        "that the returned tuple does not have. Arguments are given by position; "
        "only keyword-only parameters and **kwargs are given by name."
    ),
    good=(
        """\
def __vllm_inlined_submods__0(x, y=1, *rest):
    return (x, y)
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__0(x)
    b = __vllm_inlined_submods__0(x, 2, 3, 4)
    return (a[1], b[-2])
""",
        """\
def __vllm_inlined_submods__0(x, *args, y, **rest):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, y=1, z=2)
""",
    ),
    bad=(
        """\
def __vllm_inlined_submods__0(x, y):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x)
""",
        """\
def __vllm_inlined_submods__0(x, y):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, x, x)
""",
        """\
def __vllm_inlined_submods__0(x, y):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, y=x)
""",
        """\
def __vllm_inlined_submods__0(x, y):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(*x)
""",
        """\
def __vllm_inlined_submods__0(x, *, y):
    return x
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x)
""",
        """\
def __vllm_inlined_submods__0(x, __vllm_submods__):
    return __vllm_submods__[1](x)
def execution_fn(x, y, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, y)
""",
        """\
def __vllm_inlined_submods__0(x):
    return (x, x)
def execution_fn(x, *, __vllm_submods__):
    y = __vllm_inlined_submods__0(x)
    z = y[2]
    return z
""",
    ),
)

RULES = (SUBMOD_INDEX, INLINED_MISSING, ENTRY_SIGNATURE, ARITY)
