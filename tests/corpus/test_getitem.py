"""Items: of tuples, tensors and dicts, by every kind of index."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from torch import fx

from support.graphs import carry, graph, module, tensor
from support.labels import label
from support.running import run_graph
from support.things import Colour, Five, Level, LyingInt, NoisyStr


def items_of_piece(piece: torch.nn.Module, *keys: Any) -> fx.GraphModule:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("m", (x,))
        return [g.call_function(operator.getitem, (made, key)) for key in keys]

    return graph(body, "x", root=module(m=piece))


def items(*keys: Any) -> fx.GraphModule:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [g.call_function(operator.getitem, (x, key)) for key in keys]

    return graph(body, "x")


def test_items_with_gaps_repeated_and_from_the_end() -> None:
    run_graph(items_of_piece(Five(), 4, 0, -1, 0, slice(1, 3)), tensor(1))


def test_items_that_nobody_reads() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("m", (x,))
        for index in range(5):
            g.call_function(operator.getitem, (made, index))
        return g.call_function(operator.getitem, (made, 2))

    run_graph(graph(body, "x", root=module(m=Five())), tensor(1))


def test_an_item_that_nobody_reads_still_has_to_be_there() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.call_function(operator.getitem, (x, 7))
        return x

    function = run_graph(graph(body, "x"), list(range(8))).compile({})
    with pytest.raises(IndexError):
        function([1])


def test_text_as_key() -> None:
    class Named(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"x": x + 1, "a'b": x, "": 1, 'a"b': 2, "\n": 3}

    run_graph(items_of_piece(Named(), "x", "a'b", "", 'a"b', "\n"), tensor(1))


@pytest.mark.parametrize(
    "key",
    [
        None,
        True,
        ...,
        0,
        -1,
        (),
        (0,),
        ((0,),),
        (0, 1),
        [0, 1],
        ([0, 1], [1, 2]),
        (..., None),
        (None, 0),
        (True, False),
        slice(None),
        slice(1, None),
        slice(None, None, 2),
        (slice(None), 1),
        (..., None, slice(None, None, 2)),
        (slice(0, 1), slice(1, 2)),
        (slice(0, 1),),
        LyingInt(1),
        Level.LOW,
        (LyingInt(1), slice(LyingInt(0), None)),
        torch.tensor([1, 0]),
        torch.tensor(1),
        (torch.tensor([True, False]), 0),
        range(2),
        ([], 0),
    ],
    ids=label,
)
def test_a_tensor_at(key: Any) -> None:
    run_graph(items(key), torch.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    "key",
    [
        None,
        1.5,
        -2.5,
        float("inf"),
        2j,
        b"k",
        "k",
        NoisyStr("k"),
        Colour.RED,
        (1, 2),
        (1,),
        ((1,), (2, "a")),
        (),
        torch.float16,
        10**700,
        -(10**700),
        frozenset([1]),
        ...,
    ],
    ids=label,
)
def test_a_dict_at(key: Any) -> None:
    run_graph(items(key), {key: tensor(1), "other": tensor(2)})


def test_a_node_as_index() -> None:
    def body(g: fx.Graph, x: fx.Node, i: fx.Node) -> Any:
        keys = [i, (i, 0), (slice(i, None), i), [i], ((i,), 0), (i,), {"k": i}["k"]]
        return [g.call_function(operator.getitem, (x, key)) for key in keys]

    run_graph(graph(body, "x", "i"), torch.arange(6.0).reshape(2, 3), 1)


def test_an_item_of_a_literal_container() -> None:
    def body(g: fx.Graph, x: fx.Node, i: fx.Node) -> Any:
        held = [([x, i], 0), ((1, 2), i), ({"k": x}, "k"), ("text", i), ([x], -1)]
        return [g.call_function(operator.getitem, pair) for pair in held]

    run_graph(graph(body, "x", "i"), tensor(1), 1)


def test_an_item_of_an_attribute() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(operator.getitem, (g.get_attr("w"), 0)), x

    run_graph(graph(body, "x", root=module(w=tensor(1, 2))), tensor(1))


def test_getitem_itself_as_a_value() -> None:
    run_graph(carry(operator.getitem, [operator.setitem]), tensor(1))


def test_items_of_items() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        for _ in range(30):
            x = g.call_function(operator.getitem, (x, 0))
        return x

    deep: Any = 5
    for _ in range(30):
        deep = [deep]
    run_graph(graph(body, "x"), deep)
