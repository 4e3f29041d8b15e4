"""Sizes that would cross from piece to piece, in every form that graphs use them."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import fx

from astgen.backend.sizes import decompose_sizes

SYM_SIZE = torch.ops.aten.sym_size.int


def sized(build: Any, capture: Any, dynamic: bool) -> Any:
    """A graph that takes the size of `x * 2`, splits, and uses it in `build`.

    Completed by hand: Dynamo puts numbers in place of most sizes on its own.
    """
    x = torch.randn(3, 4)
    captured = capture(lambda x: F.softmax(x * 2, -1), x, dynamic=dynamic)
    graph = captured.gm.graph
    (soft,) = graph.find_nodes(op="call_function", target=F.softmax)
    double = soft.args[0]
    with graph.inserting_before(soft):
        size = graph.call_method("size", (double,))
    size.meta["example_value"] = double.meta["example_value"].size()
    output = graph.output_node()
    with graph.inserting_before(output):
        output.args = (build(graph, soft, size),)
    captured.gm.recompile()
    return captured


def _unpacked(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    items = [graph.call_function(operator.getitem, (size, i)) for i in (0, -1)]
    return (graph.call_method("view", (x, *items)),)


def _whole(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    flat = graph.call_method("reshape", (x, -1))
    return (
        graph.call_method("view", (flat, size)),
        graph.call_method("reshape", (flat,), {"shape": size}),
        graph.call_method("expand", (x, size)),
        graph.call_function(torch.full, (size, 1.5)),
        graph.call_method("new_zeros", (x, size), {"dtype": torch.int64}),
    )


def _sliced(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    head = graph.call_function(operator.getitem, (size, slice(None, -1)))
    longer = graph.call_function(operator.add, (head, (2, 2)))
    last = graph.call_function(operator.getitem, (longer, 0))
    return (graph.call_method("view", (x, longer)), head, last)


def _in_containers(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    return (graph.call_function(torch.broadcast_tensors, (x,)), [size, {"size": size}])


def _counted(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    rank = graph.call_function(len, (size,))
    count = graph.call_method("numel", (size,))
    return (graph.call_function(torch.mul, (x, rank)), count)


def _elsewhere(graph: fx.Graph, x: fx.Node, size: fx.Node) -> Any:
    """Functions that are not torch's get a size, whatever they do with it."""
    kind = graph.call_function(_type_name, (size,))
    product = graph.call_function(math.prod, (size,))
    where = graph.call_method("index", (size, 4))
    equal = graph.call_function(operator.eq, (size, size))
    return (x, kind, product, where, equal)


USES = [_unpacked, _whole, _sliced, _in_containers, _counted, _elsewhere]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("build", USES, ids=lambda use: use.__name__.strip("_"))
def test_no_size_crosses_from_piece_to_piece(build, dynamic, capture, check_split):
    result = check_split(sized(build, capture, dynamic), "softmax")
    for piece in result.pieces:
        graph = result.gm.get_submodule(piece.name).graph
        assert not graph.find_nodes(op="call_method", target="size")
    first = result.gm.get_submodule("submod_0").graph
    dims = [n.args[1] for n in first.find_nodes(op="call_function", target=SYM_SIZE)]
    assert bool(dims) == dynamic and len(dims) == len(set(dims))


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_a_splitting_operator_may_take_a_size(dynamic, capture, check_split):
    captured = sized(_elsewhere, capture, dynamic)
    result = check_split(captured, "softmax", "math.prod")
    assert [p.is_splitting for p in result.pieces] == [False, True] * 2 + [False]


def test_static_dimensions_are_plain_numbers(capture):
    def f(x):
        return torch.zeros(x.size()), x.shape

    torch._dynamo.mark_dynamic(x := torch.randn(3, 4), 0)
    graph = decompose_sizes(capture(f, x).gm.graph)
    dims = graph.find_nodes(op="call_function", target=SYM_SIZE)
    assert [node.args[1] for node in dims] == [0]
    (zeros,) = graph.find_nodes(op="call_function", target=torch.zeros)
    assert zeros.args == ((dims[0], 4),)


def test_a_size_is_the_one_of_its_moment(capture, check_split):
    def f(x):
        y = x + 1
        y.unsqueeze_(0)
        size = y.size()
        y.squeeze_(0)
        return F.softmax(y, -1).reshape(size), y.view(y.size())

    captured = capture(f, torch.randn(3, 4), dynamic=True)
    check_split(captured, "softmax")


def test_dimensions_carry_the_metadata_of_the_size(capture):
    captured = sized(_whole, capture, True)
    (size,) = captured.gm.graph.find_nodes(op="call_method", target="size")
    size.meta["stack_trace"] = "here"
    graph = decompose_sizes(captured.gm.graph)
    dims = graph.find_nodes(op="call_function", target=SYM_SIZE)
    assert [node.meta["stack_trace"] for node in dims] == ["here", "here"]
    values = [node.meta["example_value"] for node in dims]
    assert values == list(size.meta["example_value"])


def test_shape_as_an_attribute_is_a_size_too(check_split, capture):
    captured = sized(_whole, capture, True)
    (size,) = captured.gm.graph.find_nodes(op="call_method", target="size")
    size.op, size.target, size.args = "call_function", getattr, (size.args[0], "shape")
    captured.gm.recompile()
    graph = decompose_sizes(captured.gm.graph)
    assert not graph.find_nodes(op="call_function", target=getattr)
    check_split(captured, "softmax")


def test_a_size_without_metadata_is_left_alone():
    gm = fx.symbolic_trace(lambda x: x.view(x.size()))
    graph = decompose_sizes(gm.graph)
    assert [n.target for n in graph.nodes if n.op == "call_method"] == ["size", "view"]


def test_the_graph_handed_over_does_not_change(capture):
    captured = sized(_sliced, capture, True)
    before = str(captured.gm.graph)
    decompose_sizes(captured.gm.graph)
    assert str(captured.gm.graph) == before


def _type_name(value: object) -> str:
    return type(value).__name__
