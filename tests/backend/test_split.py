"""Cutting graphs at operators; every split is also compared with the whole graph."""

from __future__ import annotations

import operator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import fx

from astgen.backend.splitting import SplitGraph, split
from astgen.errors import BackendError


def kinds(result: SplitGraph) -> str:
    """The pieces in a word: `s` for a splitting one, `c` for one to compile."""
    return "".join("s" if piece.is_splitting else "c" for piece in result.pieces)


def targets(result: SplitGraph, index: int) -> list[Any]:
    graph = result.gm.get_submodule(result.pieces[index].name).graph
    return [node.target for node in graph.nodes if node.op.startswith("call_")]


@pytest.fixture(params=[False, True], ids=["static", "dynamic"])
def dynamic(request: pytest.FixtureRequest) -> bool:
    return request.param


def test_a_graph_is_cut_before_and_behind_the_operator(capture, check_split, dynamic):
    def f(x):
        return F.softmax(x * 2, -1) + 1

    result = check_split(capture(f, torch.randn(3, 4), dynamic=dynamic), "softmax")
    assert kinds(result) == "csc"
    assert targets(result, 1) == [F.softmax]


def test_a_graph_without_the_operator_is_one_piece(capture, check_split):
    result = check_split(capture(lambda x: (x * 2).relu(), torch.randn(3)), "softmax")
    assert kinds(result) == "c"


def test_no_splitting_operators_give_one_piece(capture, check_split):
    result = check_split(capture(lambda x: F.softmax(x * 2, -1), torch.randn(3)))
    assert kinds(result) == "c"


def test_a_graph_may_start_and_end_with_the_operator(capture, check_split, dynamic):
    def f(x):
        return F.softmax(F.softmax(x, 0) * 2, -1)

    result = check_split(capture(f, torch.randn(3, 4), dynamic=dynamic), "softmax")
    assert kinds(result) == "scs"


def test_a_graph_of_the_operator_alone_is_one_splitting_piece(capture, check_split):
    result = check_split(capture(lambda x: F.softmax(x, 0), torch.randn(3)), "softmax")
    assert kinds(result) == "s"


def test_operators_that_follow_each_other_share_a_piece(capture, check_split):
    def f(x, y):
        return F.softmax(x + y, 0), F.softmax(y, 0), torch.relu(x)

    captured = capture(f, torch.randn(3), torch.randn(3))
    assert kinds(check_split(captured, "softmax", "relu")) == "cs"


def test_an_item_stays_with_its_producer(capture, check_split, dynamic):
    def f(x):
        values, indices = x.topk(2)
        left = F.softmax(values, -1)
        return left * indices, x.split(1, -1)[0]

    result = check_split(capture(f, torch.randn(3, 4), dynamic=dynamic), "softmax")
    assert kinds(result) == "csc"
    assert targets(result, 0) == ["topk", operator.getitem, operator.getitem]
    assert operator.getitem in targets(result, 2)


def test_items_between_operators_do_not_part_them(capture, check_split):
    def f(x):
        values, indices = x.topk(2)
        return F.softmax(values, -1), indices.topk(1)[0]

    result = check_split(capture(f, torch.randn(3, 4)), "topk", "softmax")
    assert kinds(result) == "s"


def test_an_item_that_is_taken_late_moves_to_its_producer(check_split):
    graph = fx.Graph()
    x = graph.placeholder("x")
    parts = graph.call_method("split", (x, 2))
    first = graph.call_function(operator.getitem, (parts, 0))
    soft = graph.call_function(F.softmax, (first, -1))
    # Where the mode changes, pieces have to follow each other in the graph.
    graph.call_function(torch._C._set_grad_enabled, (True,))
    second = graph.call_function(operator.getitem, (parts, 1))
    graph.output((graph.call_function(torch.add, (soft, second)),))
    captured = _captured(graph, torch.randn(4))
    result = check_split(captured, "softmax")
    assert kinds(result) == "csc"
    assert targets(result, 0) == ["split", operator.getitem, operator.getitem]


def test_a_chain_of_items_stays_with_its_producer(check_split):
    graph = fx.Graph()
    x = graph.placeholder("x")
    pair = graph.call_function(_nested_pair, (x,))
    inner = graph.call_function(operator.getitem, (pair, 1))
    soft = graph.call_function(F.softmax, (x, -1))
    item = graph.call_function(operator.getitem, (inner, 0))
    graph.output((graph.call_function(torch.add, (soft, item)),))
    result = check_split(_captured(graph, torch.randn(4)), "softmax")
    assert kinds(result) == "csc"
    assert targets(result, 0) == [_nested_pair, operator.getitem, operator.getitem]


def test_indexing_a_tensor_is_no_item(capture, check_split):
    def f(x, y):
        z = x * 2
        index = F.softmax(y, -1).argmax(-1)
        return z[index], z[0]

    captured = capture(f, torch.randn(5, 2), torch.randn(3, 5))
    result = check_split(captured, "softmax")
    assert kinds(result) == "csc"
    assert targets(result, 2) == ["argmax", operator.getitem, operator.getitem]


def test_a_row_of_a_tensor_without_metadata_does_not_move(check_split):
    graph = fx.Graph()
    x = graph.placeholder("x")
    double = graph.call_function(torch.mul, (x, 2))
    soft = graph.call_function(F.softmax, (x, -1))
    graph.call_method("t_", (double,))
    row = graph.call_function(operator.getitem, (double, 0))
    graph.output((soft, row))
    result = check_split(_captured(graph, torch.randn(3, 4)), "softmax")
    assert targets(result, 2) == ["t_", operator.getitem]


def test_mutations_keep_their_order(capture, check_split):
    def f(x, y):
        x.add_(1)
        soft = F.softmax(x, -1)
        x.mul_(soft)
        row = x[0]
        y[0] = row
        soft = F.softmax(y, -1)
        x.sub_(3)
        return row + soft, x

    captured = capture(f, torch.randn(3, 4), torch.randn(3, 4))
    assert kinds(check_split(captured, "softmax")) == "cscsc"


def test_a_mutation_without_a_result_is_kept(capture, check_split):
    def f(x, y):
        soft = F.softmax(x, -1)
        y.copy_(soft)
        return F.softmax(y + 0, -1)

    captured = capture(f, torch.randn(4), torch.randn(4))
    assert kinds(check_split(captured, "softmax")) == "scs"


def test_values_are_used_over_many_pieces(capture, check_split, dynamic):
    def f(x):
        a = x * 2
        b = F.softmax(a, -1) + a
        c = F.softmax(b, -1) * a
        return [F.softmax(c, -1) + b, {"a": a, "b": (b, b)}, None, 7, x]

    result = check_split(capture(f, torch.randn(3, 4), dynamic=dynamic), "softmax")
    assert kinds(result) == "cscscsc"


def test_shape_arithmetic_alone_makes_no_piece(capture, check_split):
    def f(x, y):
        a = F.softmax(x, -1)
        half = y.shape[0] * x.shape[0] // 2
        b = F.softmax(y, -1)
        return a.sum() + b.sum() + half

    captured = capture(f, torch.randn(3, 4), torch.randn(5, 4), dynamic=True)
    assert kinds(check_split(captured, "softmax")) == "sc"


def test_grad_mode_and_autocast_reach_every_piece(capture, check_split):
    def f(x):
        with torch.no_grad():
            y = F.softmax(x * 2, -1) * 2
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = F.softmax(y @ y.T, -1)
            z = z @ z
        return z, y

    captured = capture(f, torch.randn(3, 4, requires_grad=True))
    result = check_split(captured, "softmax")
    assert kinds(result) == "cscsc"
    assert targets(result, 1)[0] is torch._C._set_grad_enabled
    assert torch.amp.autocast_mode._enter_autocast in targets(result, 4)
    out, _ = fx.Interpreter(result.gm).run(*captured.args)
    assert out.dtype is torch.bfloat16


def test_a_size_found_from_data_is_known_to_later_pieces(capture, check_split):
    def f(x):
        found = x.nonzero()
        return found * 2, F.softmax(x, -1), found + 1

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        captured = capture(f, torch.randn(3, 4).relu(), dynamic=True)
    assert kinds(check_split(captured, "softmax")) == "csc"


def test_a_graph_that_computes_nothing_has_no_pieces(check_split):
    graph = fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    graph.output((y, [x, None]))
    result = check_split(_captured(graph, torch.randn(2), 3), "softmax")
    assert result.pieces == ()


def test_attributes_are_reached_from_pieces_and_results(check_split):
    module = torch.nn.Module()
    module.inner = torch.nn.Module()
    module.inner.weight = torch.nn.Parameter(torch.randn(4))
    module.unused_by_pieces = torch.randn(2)
    graph = fx.Graph()
    x = graph.placeholder("x")
    weight = graph.get_attr("inner.weight")
    soft = graph.call_function(F.softmax, (x, -1))
    total = graph.call_function(torch.mul, (soft, weight))
    other = graph.get_attr("unused_by_pieces")
    graph.output((total, other, weight))
    result = check_split(_captured(graph, torch.randn(4), root=module), "softmax")
    assert kinds(result) == "sc"
    assert result.gm.inner.weight is module.inner.weight


def test_graphs_as_attributes_stay_with_their_operator(capture, check_split):
    def f(x):
        y = F.softmax(x, -1)
        return torch.cond(y.sum() > 0, lambda v: v + 1, lambda v: v - 1, (y,)) * 2

    captured = capture(f, torch.randn(4))
    assert kinds(check_split(captured, "softmax")) == "sc"
    assert kinds(check_split(captured, "torch.ops.higher_order.cond")) == "csc"


def test_names_and_defaults_of_parameters_are_kept():
    graph = fx.Graph()
    x = graph.placeholder("x")
    scale = graph.placeholder("scale", default_value=2)
    graph.output(graph.call_function(torch.mul, (x, scale)))
    gm = fx.GraphModule(torch.nn.Module(), graph)
    x = torch.randn(3)
    result = split(gm, ["softmax"])
    assert torch.equal(result.gm(x), x * 2)
    assert torch.equal(result.gm(x, scale=3), x * 3)


def test_metadata_of_nodes_is_kept(capture, check_split):
    def f(x):
        return F.softmax(x * 2, -1) + 1

    captured = capture(f, torch.randn(3, 4))
    result = check_split(captured, "softmax")
    whole = {n.target: n for n in captured.gm.graph.nodes}
    for index, target in enumerate([operator.mul, F.softmax, operator.add]):
        piece = result.gm.get_submodule(result.pieces[index].name)
        node = next(n for n in piece.graph.nodes if n.target is target)
        assert node.meta == whole[target].meta and "stack_trace" in node.meta
    items = result.gm.graph.find_nodes(op="call_function", target=operator.getitem)
    assert [n.meta["example_value"] for n in items] == [
        whole[t].meta["example_value"] for t in (operator.mul, F.softmax, operator.add)
    ]


def test_metadata_of_the_result_is_kept(capture, check_split):
    captured = capture(lambda x: F.softmax(x, -1), torch.randn(3))
    captured.gm.graph.output_node().meta["mark"] = "here"
    result = check_split(captured, "softmax")
    assert result.gm.graph.output_node().meta["mark"] == "here"


def test_an_unknown_operator_is_refused():
    gm = fx.symbolic_trace(lambda x: x + 1)
    with pytest.raises(BackendError, match="no operator is called 'sofmax'"):
        split(gm, ["sofmax"])


def _nested_pair(x: torch.Tensor) -> tuple[Any, ...]:
    return x, (x * 2, x * 3)


def _captured(graph: fx.Graph, *args: Any, root: torch.nn.Module | None = None) -> Any:
    gm = fx.GraphModule(root or torch.nn.Module(), graph)
    return SimpleNamespace(gm=gm, args=args)
