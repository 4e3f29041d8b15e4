"""Slices and ranges, as arguments, in outputs and as indices."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from torch import fx

from support.graphs import carry, graph, tensor
from support.labels import label
from support.running import run_graph
from support.things import Colour, LyingInt


def test_a_slice_of_nodes_goes_to_a_method() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> fx.Node:
        return g.call_function(torch.Tensor.__getitem__, (x, slice(0, n)))

    run_graph(graph(body, "x", "n"), tensor(1, 2, 3), 2)


def test_slices_in_keywords_and_in_the_output() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        held = g.call_function(dict, (), {"v": [slice(n, None, 2)]})
        return x, held, slice(0, n), slice(None, n, n)

    run_graph(graph(body, "x", "n"), tensor(1), 4)


@pytest.mark.parametrize(
    "value",
    [
        slice(None),
        slice(3),
        slice(-1, None, -1),
        slice(None, None, None),
        slice("a", (1, [2]), {"k": 1.5}),
        slice(1.0, True, 2),
        slice(slice(1), slice(2, 3), slice(4, 5, 6)),
        slice(Colour.RED, float("inf"), torch.float16),
        [slice(0, 1), slice(False, True), slice(0.0, 1.0)],
        range(LyingInt(0) + 0, 10),
    ],
    ids=label,
)
def test_slices_of_constants(value: Any) -> None:
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "index",
    [
        lambda n: slice(n, None),
        lambda n: slice(None, n),
        lambda n: slice(None, None, n),
        lambda n: slice(-3, n, 1),
        lambda n: (slice(n),),
        lambda n: (slice(n), slice(None)),
        lambda n: (slice(n, None), ..., None, 0),
        lambda n: (n, slice(n, None)),
        lambda n: [n, 0],
        lambda n: ([n, 0], slice(1, None)),
        lambda n: slice(LyingInt(1), n),
    ],
)
def test_an_index_with_a_node_in_it(index: Any) -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> fx.Node:
        return g.call_function(operator.getitem, (x, index(n)))

    run_graph(graph(body, "x", "n"), torch.arange(24.0).reshape(4, 6), 2)


def test_a_slice_whose_bound_is_only_used_there_may_be_freed_after() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        k = g.call_function(operator.add, (n, 1))
        y = g.call_function(operator.getitem, (x, slice(n, k)))
        z = g.call_function(torch.neg, (y,))
        return g.call_function(torch.add, (z, 1))

    run_graph(graph(body, "x", "n"), tensor(1, 2, 3), 1)


def test_a_range_with_nodes_is_a_range() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        held = g.call_function(dict, (), {"v": 0, "n": n})
        return held, range(3), [range(0, 9, 3)]

    run_graph(graph(body, "n"), 4)
