"""Symbolic sizes, and graphs that are large, deep or wide."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import make_fx

import astgen
from astgen.errors import UnsupportedGraphError
from support.compare import assert_same
from support.graphs import finish, graph, module, tensor
from support.running import run_graph
from support.things import Pair


def test_functions_on_symbolic_numbers() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        a = g.call_function(torch.sym_max, (n, 3))
        b = g.call_function(torch.sym_float, (a,))
        c = g.call_function(torch.sym_not, (False,))
        d = g.call_function(torch.sym_ite, (c, a, 0))
        e = g.call_function(torch._sym_sqrt, (16,))
        f = g.call_function(torch.sym_int, (b,))
        h = g.call_function(torch.sym_sum, ([a, n],))
        return a, b, c, d, e, f, h, g.call_function(torch.sym_min, (a, 1))

    run_graph(graph(body, "n"), 7)


@pytest.mark.parametrize("length", [2, 7, 40])
def test_a_symbolic_trace_runs_at_any_length(length: int) -> None:
    def function(x: torch.Tensor) -> Any:
        n = x.shape[0]
        return x[: n - 1].reshape(1, n - 1), torch.ones(n * 2), x.new_zeros(n // 2, 3)

    with _use_lazy_graph_module(True):
        gm = make_fx(function, tracing_mode="symbolic")(tensor(1, 2, 3, 4))
    run_graph(gm, torch.arange(float(length)), eager=function)


def symbol() -> torch.SymInt:
    """A size of no graph in particular."""
    found: list[torch.SymInt] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        found.append(x.shape[0])
        return x + 1

    make_fx(function, tracing_mode="symbolic")(tensor(1, 2, 3))
    return found[0]


@pytest.mark.parametrize(
    "hold",
    [
        lambda n: n,
        lambda n: n > 2,
        lambda n: n * 1.5,
        lambda n: [1, {"k": (n,)}],
        lambda n: slice(n, None),
        lambda n: Pair(1, n),
        lambda n: Pair(1, [{"k": n}]),
    ],
)
def test_a_symbol_that_is_no_input_is_refused(hold: Any) -> None:
    made = fx.Graph()
    node = made.call_function(dict, (), {"v": made.placeholder("x")})
    node._kwargs = {"v": hold(symbol())}
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(finish(made, node))
    assert caught.value.node is node


def test_a_symbol_as_default_is_refused() -> None:
    made = fx.Graph()
    node = made.placeholder("x", default_value=symbol())
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(finish(made, node))
    assert caught.value.node is node


def nest(value: Any, depth: int, kinds: str = "lt") -> Any:
    for level in range(depth):
        kind = kinds[level % len(kinds)]
        if kind == "l":
            value = [value]
        elif kind == "t":
            value = (value, level)
        elif kind == "d":
            value = {f"k{level}": value}
        elif kind == "s":
            value = slice(value, None, level)
        else:
            value = Pair(value, level)
    return value


@pytest.mark.parametrize("depth", [19, 20, 21, 40, 90])
@pytest.mark.parametrize("kinds", ["lt", "d", "s", "ltds", "p", "ltdsp"])
def test_deep_nests_as_argument_and_output(depth: int, kinds: str) -> None:
    check_nest(depth, kinds)


@pytest.mark.parametrize("kinds", ["lt", "ltdsp"])
def test_six_hundred_levels(kinds: str) -> None:
    check_nest(600, kinds)


def check_nest(depth: int, kinds: str) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        first = g.call_function(len, ([nest(x, depth, kinds)],))
        g.call_method("append", ([nest(x, depth, kinds)], nest(1, depth, kinds)))
        return first, nest(x, depth, kinds)

    program = astgen.generate(graph(body, "x"))
    assert program.check() == ()
    first, deep = program.compile({})(3)
    assert first == 1
    # Python's own == and deepcopy stop at nests like these.
    assert_same(deep, nest(3, depth, kinds))


@pytest.mark.parametrize("depth", [25, 90])
def test_deep_nests_mean_the_same_under_stock_code(depth: int) -> None:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        held = nest([x, y], depth, "ltd")
        return g.call_function(dict, (), {"v": held, "a b": nest(y, depth)}), held

    run_graph(graph(body, "x", "y"), 3, tensor(1))


def test_a_deep_nest_of_constants_in_a_default() -> None:
    made = fx.Graph()
    k = made.placeholder("k", default_value=nest(1, 60, "lt"))
    run_graph(finish(made, k))


def test_a_deep_nest_for_a_child_and_a_piece() -> None:
    class Deep(torch.nn.Module):
        def forward(self, value: Any) -> Any:
            return [value]

    inner = graph(lambda g, a: [nest(a, 30)], "a")

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [
            g.call_module("inner", (nest(x, 50),)),
            g.call_module("piece", (nest(x, 50),)),
        ]

    run_graph(graph(body, "x", root=module(inner=inner, piece=Deep())), 3)


def test_seven_thousand_nodes() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    node = x
    for index in range(7000):
        node = made.call_function(max, (node, index))
    program = astgen.generate(finish(made, (node, x)))
    assert program.compile({})(5) == (6999, 5)


@pytest.mark.parametrize(
    "where, count", [("args", 5000), ("kwargs", 2000), ("list", 2000), ("dict", 2000)]
)
def test_thousands_of_arguments(where: str, count: int) -> None:
    def everything(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    def body(g: fx.Graph, x: fx.Node) -> Any:
        values = [x if index % 2 else index for index in range(count)]
        named = {f"k{index}": value for index, value in enumerate(values)}
        if where == "args":
            return g.call_function(everything, tuple(values))
        if where == "kwargs":
            return g.call_function(everything, (), named)
        return g.call_function(everything, (values if where == "list" else named,))

    run_graph(graph(body, "x"), 3)


def test_two_thousand_constants() -> None:
    marks = [object() for _ in range(2000)]

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(dict, (), {"v": marks})

    program = astgen.generate(graph(body, "x"))
    result = program.compile({})(1)["v"]
    assert all(a is b for a, b in zip(result, marks, strict=True))


def test_five_hundred_pieces() -> None:
    root = torch.nn.Module()
    for index in range(500):
        root._modules[f"p{index}"] = torch.nn.Identity()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        for index in range(500):
            x = g.call_module(f"p{index}", (x,))
        return x

    run_graph(graph(body, "x", root=root), tensor(1))


def test_a_string_of_a_hundred_thousand_characters() -> None:
    text = "'\"\n\x00é" * 20_000

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(len, (text,)), g.call_function(dict, (), {"v": text})

    program = astgen.generate(graph(body, "x"))
    assert program.compile({})(1) == (len(text), {"v": text})
