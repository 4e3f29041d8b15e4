"""Operators that take graphs: conditions, loops, checkpoints, regions."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from torch import fx
from torch._higher_order_ops.wrap import wrap as wrap_op

import astgen
from support.graphs import chain, finish, graph, module, tensor
from support.running import run_graph

hop = torch.ops.higher_order


def one(*targets: Any, tupled: bool = True) -> fx.GraphModule:
    """A graph of one input that goes through functions, its result in a tuple."""

    def body(g: fx.Graph, x: fx.Node) -> Any:
        for target in targets:
            x = g.call_function(target, (x,))
        return (x,) if tupled else x

    return graph(body, "x")


def region(
    op: Any,
    operands: dict[str, Any],
    arguments: Any,
    *inputs: str,
    item: int | None = 0,
    **keywords: Any,
) -> fx.GraphModule:
    """Hand children, read with get_attr, to a higher-order operator."""

    def body(g: fx.Graph, *nodes: fx.Node) -> Any:
        children = [g.get_attr(name) for name in operands]
        made = g.call_function(op, arguments(children, nodes), keywords)
        if item is None:
            return made
        return g.call_function(operator.getitem, (made, item))

    return graph(body, *inputs, root=module(**operands))


def conditional(**branches: fx.GraphModule) -> fx.GraphModule:
    return region(
        hop.cond,
        branches,
        lambda children, nodes: (nodes[0], *children, (nodes[1],)),
        "flag",
        "x",
    )


@pytest.mark.parametrize("flag", [True, False])
def test_cond(flag: bool) -> None:
    gm = conditional(yes=one(torch.sin), no=one(torch.cos))
    run_graph(gm, flag, tensor(1))
    run_graph(gm, torch.tensor(flag), tensor(1))


@pytest.mark.parametrize("flag", [True, False])
def test_cond_of_one_structure_on_both_sides(flag: bool) -> None:
    program = run_graph(
        conditional(yes=one(torch.sin), no=one(torch.sin)), flag, tensor(1)
    )
    assert program.code.count("\ndef ") <= 2


@pytest.mark.parametrize("flag", [True, False])
def test_cond_in_cond(flag: bool) -> None:
    def inner(g: fx.Graph, x: fx.Node) -> Any:
        positive = g.call_function(torch.gt, (g.call_method("sum", (x,)), 0))
        made = g.call_function(
            hop.cond, (positive, g.get_attr("a"), g.get_attr("b"), (x,))
        )
        return (g.call_function(operator.getitem, (made, 0)),)

    nested = graph(inner, "x", root=module(a=one(torch.neg), b=one(torch.abs)))
    gm = conditional(yes=nested, no=one(torch.cos))
    run_graph(gm, flag, tensor(1))
    run_graph(gm, flag, tensor(-1))


@pytest.mark.parametrize("flag", [True, False])
def test_a_branch_that_reads_its_own_weight(flag: bool) -> None:
    def inner(g: fx.Graph, x: fx.Node) -> Any:
        return (g.call_function(torch.mul, (x, g.get_attr("w"))),)

    yes = graph(inner, "x", root=module(w=tensor(4)))
    no = graph(inner, "x", root=module(w=tensor(5)))
    run_graph(conditional(yes=yes, no=no), flag, tensor(3))


@pytest.mark.parametrize("flag", [True, False])
def test_a_branch_that_calls_a_piece(flag: bool) -> None:
    def inner(g: fx.Graph, x: fx.Node) -> Any:
        return (g.call_module("piece", (x,)),)

    yes = graph(inner, "x", root=module(piece=torch.nn.Sigmoid()))
    run_graph(conditional(yes=yes, no=one(torch.cos)), flag, tensor(3))


@pytest.mark.parametrize("flag", [True, False])
def test_a_branch_that_calls_a_graph(flag: bool) -> None:
    def inner(g: fx.Graph, x: fx.Node) -> Any:
        return (g.call_module("deeper", (x,)),)

    yes = graph(inner, "x", root=module(deeper=chain(torch.neg, torch.exp)))
    run_graph(conditional(yes=yes, no=one(torch.cos)), flag, tensor(3))


def test_one_branch_that_is_also_called_as_a_module() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        child = g.get_attr("yes")
        made = g.call_function(hop.cond, (True, child, child, (x,)))
        again = g.call_module("yes", (x,))
        return made, again

    run_graph(graph(body, "x", root=module(yes=one(torch.sin))), tensor(1))


def test_while_loop() -> None:
    def condition(g: fx.Graph, i: fx.Node, x: fx.Node) -> Any:
        return g.call_function(torch.lt, (i, 3))

    def step(g: fx.Graph, i: fx.Node, x: fx.Node) -> Any:
        return g.call_function(torch.add, (i, 1)), g.call_function(torch.mul, (x, 2))

    gm = region(
        hop.while_loop,
        {"condition": graph(condition, "i", "x"), "step": graph(step, "i", "x")},
        lambda children, nodes: (*children, tuple(nodes), ()),
        "i",
        "x",
        item=1,
    )
    run_graph(gm, torch.tensor(0), tensor(5))


def test_map() -> None:
    def step(g: fx.Graph, a: fx.Node, b: fx.Node) -> Any:
        return (g.call_function(torch.mul, (a, b)),)

    gm = region(
        hop.map_impl,
        {"body": graph(step, "a", "b")},
        lambda children, nodes: (children[0], (nodes[0],), (nodes[1],)),
        "x",
        "y",
    )
    run_graph(gm, torch.ones(3, 2), tensor(2, 3))


def test_scan() -> None:
    def step(g: fx.Graph, carry: fx.Node, x: fx.Node) -> Any:
        total = g.call_function(torch.add, (carry, x))
        return total, g.call_function(torch.clone, (total,))

    gm = region(
        hop.scan,
        {"combine": graph(step, "carry", "x")},
        lambda children, nodes: (children[0], (nodes[0],), (nodes[1],), ()),
        "start",
        "xs",
        item=1,
    )
    run_graph(gm, torch.zeros(2), torch.arange(6.0).reshape(3, 2))


def test_associative_scan() -> None:
    def step(g: fx.Graph, a: fx.Node, b: fx.Node) -> Any:
        return (g.call_function(torch.add, (a, b)),)

    gm = region(
        hop.associative_scan,
        {"combine": graph(step, "a", "b")},
        lambda children, nodes: (children[0], (nodes[0],), ()),
        "x",
    )
    run_graph(gm, torch.arange(6.0))


def test_a_subgraph_by_identifier() -> None:
    gm = region(
        hop.invoke_subgraph,
        {"body": one(torch.sin)},
        lambda children, nodes: (children[0], "id", nodes[0]),
        "x",
    )
    run_graph(gm, tensor(1))


def test_a_wider_result_of_an_operator() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        target = torch.ops.aten.mul.Tensor
        return g.call_function(hop.out_dtype, (target, torch.int32, x, x))

    run_graph(graph(body, "x"), torch.tensor([100], dtype=torch.int8))


def test_operands_passed_by_keyword() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        yes, no = g.get_attr("yes"), g.get_attr("no")
        named = {"true_fn": yes, "false_fn": no, "operands": (x,)}
        return g.call_function(hop.cond, (False,), named)

    root = module(yes=one(torch.sin), no=one(torch.cos))
    run_graph(graph(body, "x", root=root), tensor(1))


def test_wrap() -> None:
    gm = region(
        wrap_op,
        {"body": one(torch.sin, torch.cos)},
        lambda children, nodes: (children[0], nodes[0]),
        "x",
    )
    run_graph(gm, tensor(1))


def test_activation_checkpointing() -> None:
    gm = region(
        hop.tag_activation_checkpoint,
        {"body": one(torch.sin, torch.cos)},
        lambda children, nodes: (children[0], nodes[0]),
        "x",
        use_reentrant=False,
        preserve_rng_state=True,
        determinism_check="default",
        debug=False,
        early_stop=True,
    )
    run_graph(gm, tensor(1))
    run_graph(gm, tensor(1).requires_grad_())


@pytest.mark.parametrize("enabled", [True, False])
def test_a_region_with_grad_mode_set(enabled: bool) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        child = g.get_attr("body")
        made = g.call_function(hop.wrap_with_set_grad_enabled, (enabled, child, x))
        item = g.call_function(operator.getitem, (made, 0))
        return g.call_function(getattr, (item, "requires_grad")), item

    gm = graph(body, "x", root=module(body=one(torch.sin)))
    run_graph(gm, tensor(1).requires_grad_())


def test_a_region_with_autocast() -> None:
    inner = graph(lambda g, x: (g.call_function(torch.matmul, (x, x)),), "x")
    gm = region(
        hop.wrap_with_autocast,
        {"body": inner},
        lambda children, nodes: (
            "cpu",
            torch.bfloat16,
            True,
            False,
            children[0],
            nodes[0],
        ),
        "x",
    )
    run_graph(gm, torch.eye(2))


def test_a_region_in_strict_mode() -> None:
    gm = region(
        hop.strict_mode,
        {"body": one(torch.sin)},
        lambda children, nodes: (children[0], tuple(nodes)),
        "x",
    )
    run_graph(gm, tensor(1))


def test_a_graph_that_two_operators_take() -> None:
    def body(g: fx.Graph, flag: fx.Node, x: fx.Node) -> Any:
        child, other = g.get_attr("body"), g.get_attr("other")
        chosen = g.call_function(hop.cond, (flag, child, other, (x,)))
        tagged = g.call_function(hop.tag_activation_checkpoint, (child, x))
        return chosen, tagged

    root = module(body=one(torch.sin), other=one(torch.cos))
    run_graph(graph(body, "flag", "x", root=root), True, tensor(1))


def test_a_graph_of_dynamo_with_regions() -> None:
    captured: list[fx.GraphModule] = []

    def backend(gm: fx.GraphModule, _: Any) -> Any:
        captured.append(gm)
        return gm.forward

    def function(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
        return torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False) + y

    torch._dynamo.reset()
    torch.compile(function, backend=backend, fullgraph=True)(tensor(1))
    torch._dynamo.reset()
    (gm,) = captured
    run_graph(gm, tensor(1))
    run_graph(gm, tensor(-1))


def test_an_operator_that_takes_an_operator() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(
            hop.cond, (True, torch.ops.aten.sin.default, torch.cos, (x,))
        )

    run_graph(graph(body, "x"), tensor(1), eager=torch.sin)


def test_a_child_with_a_region_is_inlined_with_it() -> None:
    inner = region(
        hop.tag_activation_checkpoint,
        {"body": one(torch.sin)},
        lambda children, nodes: (children[0], nodes[0]),
        "x",
    )
    made = fx.Graph()
    x = made.placeholder("x")
    gm = finish(made, made.call_module("inner", (x,)), module(inner=inner))
    assert astgen.generate(gm).code.count("\ndef ") >= 2
    run_graph(gm, tensor(1))
