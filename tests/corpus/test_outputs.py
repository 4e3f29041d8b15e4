"""What a graph returns: constants, nests, the same thing twice."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

from support.graphs import finish, graph, module, tensor
from support.labels import label
from support.running import run_graph
from support.things import Colour, Pair


@pytest.mark.parametrize(
    "output",
    [
        None,
        1,
        -1.5,
        float("inf"),
        "text",
        torch.float16,
        Colour.RED,
        (),
        [],
        {},
        ((),),
        [1, "a'", (float("inf"), [None, {}]), {"k": (2 + 0j, Colour.RED)}],
        slice(1, None),
        Pair(1, [2]),
        torch.Size([1, 2]),
        frozenset([1]),
        torch.relu,
        torch.ops.aten.add.Tensor,
    ],
    ids=label,
)
def test_constants_only(output: Any) -> None:
    run_graph(graph(lambda g, x: output, "x"), tensor(1))


def test_nested_dicts_with_one_node_in_several_places() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        y = g.call_function(torch.neg, (x,))
        return {"a": y, "b": [y, (x, {"c": y})], 3: None, (1, "k"): {None: x}}

    run_graph(graph(body, "x"), tensor(1))


def test_the_input_itself_and_a_node_twice() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        y = g.call_function(torch.neg, (x,))
        return x, [y], y

    program = run_graph(graph(body, "x"), tensor(1))
    given = tensor(1)
    result = program.compile({})(given)
    assert result[0] is given and result[1][0] is result[2]


def test_a_new_container_each_call() -> None:
    function = run_graph(graph(lambda g, x: [x, {"k": [1]}], "x"), 3).compile({})
    first, second = function(3), function(3)
    assert first is not second and first[1]["k"] is not second[1]["k"]


def test_a_view_and_its_base() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        y = g.call_method("view", (x, -1))
        g.call_method("add_", (y, 1))
        return y, x

    run_graph(graph(body, "x"), torch.zeros(2, 2))


def test_nodes_in_slices_and_namedtuples() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        return Pair(slice(n), [slice(None, n, n)]), slice(Pair(n, n), n)

    run_graph(graph(body, "n"), 3)


def test_weights_in_the_output() -> None:
    weight = torch.nn.Parameter(tensor(3))
    gm = graph(lambda g, x: [g.get_attr("w"), x], "x", root=module(w=weight))
    assert run_graph(gm, tensor(1)).compile({})(tensor(1))[0] is gm.w


def test_nodes_behind_the_output_do_not_run() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    gm = finish(made, made.call_function(torch.neg, (x,)))
    made = gm.graph
    with made.inserting_after(made.output_node()):
        made.call_method("add_", (next(iter(made.nodes)), 100))
    run_graph(gm, tensor(1))


def test_five_thousand_results() -> None:
    run_graph(graph(lambda g, x: [x, *range(5000)], "x"), 1)
