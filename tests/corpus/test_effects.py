"""Nodes that are there for what they do: changes in place, modes, printing."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from support import things
from support.graphs import finish, graph, tensor
from support.running import run_graph
from support.things import scale_in_place

aten = torch.ops.aten


def test_changes_in_place_whose_results_nobody_reads() -> None:
    assert things.library

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        g.call_function(aten.add_.Tensor, (x, 1))
        g.call_function(torch.ops.astgen_tests.bump.default, (x,))
        g.call_function(torch.relu_, (x,))
        g.call_function(scale_in_place, (x, 3))
        g.call_method("sub_", (x, 2))
        g.call_function(aten.copy_.default, (y, x))
        return x, y

    run_graph(graph(body, "x", "y"), tensor(1), tensor(0))


def test_an_operator_without_a_result_gives_none() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(torch.ops.astgen_tests.bump.default, (x,)), x

    run_graph(graph(body, "x"), tensor(1))


def test_an_out_argument() -> None:
    def body(g: fx.Graph, x: fx.Node, out: fx.Node) -> Any:
        y = g.call_function(torch.add, (x, 1), {"out": out})
        return y, out

    run_graph(graph(body, "x", "out"), tensor(1), tensor(0))


def test_an_input_that_is_changed_and_not_returned() -> None:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        g.call_method("mul_", (x, y))
        return None

    run_graph(graph(body, "x", "y"), tensor(2), tensor(3))


def requires_grad(g: fx.Graph, x: fx.Node) -> fx.Node:
    y = g.call_function(torch.mul, (x, 2))
    return g.call_function(getattr, (y, "requires_grad"))


def test_switching_grad_mode() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.call_function(torch._C._set_grad_enabled, (False,))
        off = requires_grad(g, x)
        g.call_function(torch._C._set_grad_enabled, (True,))
        return off, requires_grad(g, x)

    run_graph(graph(body, "x"), tensor(1).requires_grad_())


def test_grad_mode_stays_switched_behind_the_call() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.call_function(torch._C._set_grad_enabled, (False,))
        return requires_grad(g, x)

    run_graph(graph(body, "x"), tensor(1).requires_grad_())


def test_a_region_of_autocast() -> None:
    enter = torch.amp.autocast_mode._enter_autocast
    leave = torch.amp.autocast_mode._exit_autocast

    def body(g: fx.Graph, x: fx.Node) -> Any:
        context = g.call_function(enter, ("cpu", torch.bfloat16, True, False))
        inside = g.call_function(torch.matmul, (x, x))
        g.call_function(leave, (context,))
        return inside, g.call_function(torch.matmul, (x, x))

    run_graph(graph(body, "x"), torch.eye(2))


def test_a_region_without_autograd_hooks_or_functorch() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        levels = torch._functorch.predispatch._vmap_increment_nesting
        undo = torch._functorch.predispatch._vmap_decrement_nesting
        add = torch._functorch.predispatch._add_batch_dim
        remove = torch._functorch.predispatch._remove_batch_dim
        level = g.call_function(levels, (2, "error"))
        batched = g.call_function(add, (x, 0, level))
        y = g.call_function(torch.neg, (batched,))
        out = g.call_function(remove, (y, level, 2, 0))
        g.call_function(undo, ())
        return out

    run_graph(graph(body, "x"), torch.ones(2, 3))


def test_drawing_random_numbers_follows_the_seed() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        first = g.call_function(torch.rand, (4,))
        g.call_function(torch.rand, (4,))
        return first, g.call_function(torch.randn_like, (x,))

    run_graph(graph(body, "x"), tensor(1, 2), calls=2)


def test_the_order_of_effects_is_the_order_of_the_graph() -> None:
    def body(g: fx.Graph, log: fx.Node) -> Any:
        for index in range(50):
            g.call_method("append", (log, index))
            if index % 3 == 0:
                g.call_method("pop", (log, 0))
        return log

    run_graph(graph(body, "log"), [])


def test_metadata_of_nodes_never_reaches_the_text() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    y = made.call_function(torch.neg, (x,))
    y.meta.update(
        stack_trace='File "a.py", line 1\n    v = """q\nraise SystemExit(1)\n"""',
        custom={"k\nraise SystemExit(2)": 'a\n"""\nraise SystemExit(3)'},
        nn_module_stack={"a\nraise SystemExit(4)": ("b\nraise", torch.nn.Module)},
        desc="# d\nraise SystemExit(5)",
    )
    assert "SystemExit" not in run_graph(finish(made, y), tensor(1)).code
