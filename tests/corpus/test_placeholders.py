"""Inputs: defaults, stars, none at all, nested ones."""

from __future__ import annotations

import operator
from typing import Any, Callable

import pytest
import torch
from torch import fx
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import make_fx

from support.graphs import finish, tensor
from support.running import run_graph
from support.things import Colour, Config, Pair


def hand_out(*placeholders: tuple[str, ...] | tuple[str, Any]) -> fx.GraphModule:
    """A graph that returns its inputs; a second item is the default."""
    made = fx.Graph()
    nodes = [
        (
            made.placeholder(target, default_value=default[0])
            if default
            else made.placeholder(target)
        )
        for target, *default in placeholders
    ]
    return finish(made, made.call_function(dict, (), {"v": nodes}))


DEFAULTS = [
    3,
    None,
    True,
    -1.5,
    -0.0,
    float("inf"),
    float("nan"),
    2j,
    "text'\"",
    b"\x00",
    ...,
    Colour.RED,
    torch.device("cpu"),
    torch.float16,
    (1, (2,)),
    (),
    Pair(1, 2),
    Config(1, "a"),
    slice(1, None),
    range(3),
    torch.Size([2]),
    torch.ops.aten.add.Tensor,
    torch.relu,
    10**5000,
]


@pytest.mark.parametrize("default", DEFAULTS, ids=lambda value: type(value).__name__)
def test_a_default_is_used_where_the_argument_is_left_out(default: Any) -> None:
    gm = hand_out(("x",), ("k", default))
    run_graph(gm, tensor(1))
    run_graph(gm, tensor(1), 5)
    run_graph(gm, tensor(1), k=5)


def test_several_defaults() -> None:
    gm = hand_out(("x",), *((f"d{i}", value) for i, value in enumerate(DEFAULTS)))
    run_graph(gm, tensor(1))
    run_graph(gm, tensor(1), d5=1)


def test_a_default_that_is_a_mutable_object_is_one_object() -> None:
    default: list[int] = [1]
    gm = hand_out(("k", default))
    function = run_graph(gm).compile({})
    assert function()["v"][0] is function()["v"][0]


def test_a_default_before_an_input_without_one() -> None:
    gm = hand_out(("a", None), ("b",))
    run_graph(gm, tensor(1), tensor(2))
    run_graph(gm, a=tensor(1), b=tensor(2))


def test_defaults_on_both_sides_of_an_input_without_one() -> None:
    gm = hand_out(("a", 1), ("b",), ("c", 3))
    run_graph(gm, 10, 20)
    run_graph(gm, 10, 20, 30)


def test_an_input_that_nobody_reads() -> None:
    made = fx.Graph()
    made.placeholder("x")
    y = made.placeholder("y")
    run_graph(finish(made, y), tensor(1), tensor(2))


@pytest.mark.parametrize("output", [None, 1, (), [1, "a"], {"k": None}])
def test_a_graph_without_inputs(output: Any) -> None:
    run_graph(finish(fx.Graph(), output))


def test_a_graph_without_inputs_that_computes() -> None:
    made = fx.Graph()
    full = made.call_function(torch.full, ((2,), 3.0))
    run_graph(finish(made, full))


def test_a_graph_without_an_output() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    made.call_function(torch.Tensor.add_, (x, 1))
    gm = finish(made, None)
    gm.graph.erase_node(gm.graph.output_node())
    run_graph(gm, tensor(1), eager=lambda x: None if x.add_(1) is None else None)


def test_an_input_behind_a_computed_node() -> None:
    made = fx.Graph()
    two = made.call_function(torch.full, ((1,), 2.0))
    x = made.placeholder("X_")
    run_graph(finish(made, made.call_function(torch.sub, (x, two))), tensor(5))


@pytest.mark.parametrize("inputs", [(), (1,), (1, 2, 3)])
def test_starred_inputs(inputs: tuple[int, ...]) -> None:
    run_graph(hand_out(("*args",)), *inputs)
    run_graph(hand_out(("x",), ("*args",)), 0, *inputs)
    run_graph(hand_out(("x",), ("*rest",), ("**named",)), 0, *inputs, a=1, b=2)


@pytest.mark.parametrize("named", [{}, {"a": 1}, {"b": 1, "a b": 2, "class": 3}])
def test_double_starred_inputs(named: dict[str, int]) -> None:
    run_graph(hand_out(("**kwargs",)), **named)
    run_graph(hand_out(("x",), ("**torch",)), 0, **named)


def test_an_input_behind_a_starred_one_is_passed_by_keyword() -> None:
    gm = hand_out(("*args",), ("k",), ("d", 7))
    run_graph(gm, 1, 2, k=3, eager=lambda *args, k, d=7: {"v": [args, k, d]})
    run_graph(gm, k=3, d=4, eager=lambda *args, k, d=7: {"v": [args, k, d]})


def test_starred_inputs_that_nobody_reads() -> None:
    made = fx.Graph()
    made.placeholder("*args")
    made.placeholder("**kwargs")
    run_graph(finish(made, None), 1, 2, a=3)


def test_two_thousand_inputs() -> None:
    gm = hand_out(*((f"x{i}",) for i in range(2000)))
    run_graph(gm, *range(2000))


def nested_sum(a: Any, d: Any) -> Any:
    return a[0] * 2 - d["x"]


def nested_results(a: Any) -> Any:
    return {"sum": a["x"] + a["y"][0], "parts": [a["x"], (a["y"][1],)]}


def mixed(a: Any, b: Any) -> Any:
    return Pair(a + b[0], {"k": b[1]})


@pytest.mark.parametrize(
    "function, inputs",
    [
        (nested_sum, ((tensor(5),), {"x": tensor(1)})),
        (nested_results, ({"x": tensor(1), "y": (tensor(2), tensor(3))},)),
        (mixed, (tensor(1), [tensor(2), tensor(3)])),
        (lambda a, b: a, ([tensor(1)], ())),
        (lambda a: [], ([tensor(1)],)),
        (lambda a: a["k"][0] + 1, ({"k": [tensor(1)], "l": {"m": tensor(2)}},)),
    ],
)
def test_nested_inputs_and_results_of_traced_functions(
    function: Callable[..., Any], inputs: tuple[Any, ...]
) -> None:
    with _use_lazy_graph_module(True):
        gm = make_fx(function)(*inputs)
    run_graph(gm, *inputs, eager=function)


def test_nested_inputs_of_an_exported_program() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Any, *, scale: Any, options: Any) -> Any:
            return {"out": x[0] * scale + options["bias"], "in": x}

    x, scale, options = (tensor(1), tensor(2)), tensor(3), {"bias": tensor(4)}
    exported = torch.export.export(
        Model(), (x,), {"scale": scale, "options": options}, strict=False
    )
    gm = exported.module(check_guards=False)
    run_graph(gm, x, scale=scale, options=options, eager=Model())


def test_inputs_of_a_symbolic_trace_with_concrete_arguments() -> None:
    def function(x: Any, flag: Any) -> Any:
        return x["a"] + 1 if flag else x["b"]

    with _use_lazy_graph_module(True):
        gm = fx.symbolic_trace(
            function, concrete_args={"x": {"a": fx.PH, "b": fx.PH}, "flag": True}
        )
    inputs = {"a": tensor(1), "b": tensor(2)}
    run_graph(gm, inputs, True, eager=function)


def test_defaults_of_a_symbolic_trace() -> None:
    def function(x: Any, k: Any = 3, *args: Any, **kwargs: Any) -> Any:
        return x * k

    with _use_lazy_graph_module(True):
        gm = fx.symbolic_trace(function)
    run_graph(gm, tensor(2), eager=function)
    run_graph(gm, tensor(2), 4, 5, eager=function)


@pytest.mark.parametrize("annotation", [Callable[[int], int], "Tensor", list[int], int])
def test_annotations_are_left_out(annotation: Any) -> None:
    made = fx.Graph()
    x = made.placeholder("x", type_expr=annotation)
    y = made.call_function(operator.add, (x, 1))
    y.type = annotation
    run_graph(finish(made, (y,)), 3)
