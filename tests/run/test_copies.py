"""Functions that a text repeats are compiled once."""

from __future__ import annotations

import gc
from types import FunctionType

import torch

from astgen.codegen import compile_execution_fn

COPY = """\
def __vllm_inlined_submods__0(x):
    return torch.add(x, 1)
"""


def test_a_copy_is_not_compiled() -> None:
    entry = (
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(x)\n"
    )
    text = "import torch\n" + COPY * 3 + entry
    function = compile_execution_fn(text, {}, [], None)
    assert function(torch.tensor(1.5)) == 2.5
    copies = [
        one
        for one in gc.get_objects()
        if type(one) is FunctionType
        and one.__code__.co_filename == function.__code__.co_filename
    ]
    # The collector does not keep them in order.
    assert sorted(one.__code__.co_firstlineno for one in copies) == [2, 8]
