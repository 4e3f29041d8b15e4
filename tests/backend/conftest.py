"""Graphs captured by Dynamo, and the comparison of a graph with its pieces."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from support.compare import assert_same
from torch import fx
from torch.utils import _pytree as pytree

from astgen.backend.operators import resolve_operators
from astgen.backend.splitting import SplitGraph, split
from astgen.metadata import value_of

_NUMBERS = (bool, int, float, torch.SymBool, torch.SymInt, torch.SymFloat)


@dataclass(frozen=True)
class Captured:
    """A graph, and what it was called with first (cloned before the call)."""

    gm: fx.GraphModule
    args: tuple[Any, ...]


def clone(values: Any) -> Any:
    return pytree.tree_map_only(torch.Tensor, lambda t: t.detach().clone(), values)


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@pytest.fixture
def capture() -> Callable[..., Captured]:
    """`capture(function, *args, dynamic=False)`: the one graph of a function."""

    def run(
        function: Callable[..., Any], *args: Any, dynamic: bool = False
    ) -> Captured:
        graphs: list[Captured] = []

        def backend(gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
            def call(*values: Any) -> Any:
                graphs.append(Captured(gm, clone(values)))
                return fx.Interpreter(gm).run(*values)

            return call

        torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)(*args)
        (captured,) = graphs
        return captured

    return run


@pytest.fixture
def check_split() -> Callable[..., SplitGraph]:
    """`check_split(captured, *ops)`: split it, check all that holds for any split."""

    def check(captured: Captured, *ops: str) -> SplitGraph:
        before = str(captured.gm.graph)
        result = split(captured.gm, ops)
        assert str(captured.gm.graph) == before, "the graph handed over has changed"
        _check_structure(result, ops)
        expected_args, actual_args = clone(captured.args), clone(captured.args)
        expected = fx.Interpreter(captured.gm).run(*expected_args)
        actual = fx.Interpreter(result.gm).run(*actual_args)
        assert_same(actual, expected)
        assert_same(actual_args, expected_args)
        return result

    return check


def _check_structure(result: SplitGraph, ops: tuple[str, ...]) -> None:
    splitting_ops = resolve_operators(ops)
    calls = [n.target for n in result.gm.graph.nodes if n.op == "call_module"]
    assert calls == [piece.name for piece in result.pieces]
    assert [piece.index for piece in result.pieces] == list(range(len(calls)))
    kinds = [piece.is_splitting for piece in result.pieces]
    assert all(a != b for a, b in zip(kinds, kinds[1:])), "neighbours of one kind"
    for piece in result.pieces:
        graph = result.gm.get_submodule(piece.name).graph
        nodes = list(graph.nodes)
        work = [n for n in nodes if n.op.startswith("call_")]
        assert any(n.target is not operator.getitem for n in work), "an empty piece"
        assert any(map(splitting_ops.matches, nodes)) == piece.is_splitting
        first = [n.op for n in nodes].index(work[0].op)
        assert all(n.op != "placeholder" for n in nodes[first:])
        for node in [*graph.find_nodes(op="placeholder"), *graph.output_node().args[0]]:
            value = value_of(node)
            assert value is None or isinstance(value, (torch.Tensor, *_NUMBERS))
