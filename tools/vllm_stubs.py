"""How long the stitching takes, astgen's function against vLLM's of the same graph.

Both are made in this process, of the graph that vLLM split. Pieces and custom operators
are replaced by functions that return at once, on both sides the same ones, so what is
left is the stitching.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import torch
from bench_pairs import compare, in_turns, stopwatch
from torch._ops import OpOverloadPacket

__all__ = ["measure"]

_PAIRS = 41
_GENERATORS = ("astgen.codegen", "vllm.compilation.codegen")


class _NoOperator(OpOverloadPacket):
    """An operator that does nothing; astgen calls nothing below `torch.ops` that is none."""

    def __init__(self) -> None:
        self.__name__ = "nothing"

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        return None


def measure(graph: Any, args: Sequence[Any]) -> dict[str, float]:
    """Time both functions in turns.

    Args:
        graph: The split graph.
        args: What vLLM called its function with.

    Returns:
        Medians: microseconds of a call on both sides, and the ratio pair by pair.
    """
    stubs = {
        name: _constant(_results(graph, name)) for name, _ in graph.named_children()
    }
    generators = [import_module(name) for name in _GENERATORS]
    programs = [module.generate_execution_code(graph) for module in generators]
    # Only now: an operator that its name does not lead to would be a constant.
    _stub_operators(graph)
    sides = [
        stopwatch(module.compile_execution_fn(code, stubs, names, consts), args)
        for module, (code, names, consts) in zip(generators, programs, strict=True)
    ]
    found = compare(*in_turns(sides[0], sides[1], _PAIRS))
    return {
        "astgen": found.ours.median * 1e3,
        "vllm": found.peer.median * 1e3,
        "ratio": found.ratio.median,
    }


def _stub_operators(graph: Any) -> None:
    """Replace the operators in inlined graphs; this process has nothing else to run."""
    for module in graph.modules():
        for node in getattr(module, "graph", graph.graph).nodes:
            namespace, _, name = str(node.target).partition(".")
            if node.op == "call_function" and namespace == "vllm":
                setattr(torch.ops.vllm, name.partition(".")[0], _NoOperator())


def _results(graph: Any, piece: str) -> Any:
    """Something that can be taken apart as the graph takes apart a piece's result."""
    one = torch.zeros(1)
    taken = [
        user.args[1]
        for node in graph.graph.nodes
        if node.op == "call_module" and node.target == piece
        for user in node.users
        if user.target is operator.getitem
    ]
    return (one,) * (max(taken) + 1) if taken else one


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value
