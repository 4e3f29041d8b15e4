"""What cannot be expressed is refused while generating, with all that is known."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from support.graphs import finish, graph, module
from torch import fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import astgen
from astgen.errors import UnsupportedGraphError

pytestmark = pytest.mark.filterwarnings("ignore:Raw SymInt value")


def symbol() -> torch.SymInt:
    shape_env = ShapeEnv()
    source = torch._dynamo.source.ConstantSource("n")
    name = shape_env.create_symbol(5, source)
    return shape_env.create_symintnode(name, hint=5, source=source)


@dataclass
class Box:
    held: Any


@dataclass(slots=True)
class Slotted:
    held: Any


def refusal(gm: fx.GraphModule) -> UnsupportedGraphError:
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(gm)
    assert isinstance(caught.value, RuntimeError)
    return caught.value


def with_argument(**kwargs: Any) -> fx.GraphModule:
    return graph(lambda g, x: g.call_function(dict, (), kwargs), "x")


def test_a_symbol_names_node_argument_and_way_out() -> None:
    error = refusal(with_argument(a=1, sizes=[2, {"n": symbol()}]))
    assert error.node.target is dict
    assert error.argument == "kwargs['sizes'][1]['n']"
    for part in ("SymInt", "%dict_1", error.argument, "as an input"):
        assert part in str(error)


def test_a_symbol_in_a_slice_is_found() -> None:
    assert refusal(with_argument(v=slice(0, symbol()))).argument == "kwargs['v'].stop"


@pytest.mark.parametrize(
    "hide", [set, frozenset, collections.deque, collections.UserList, Box, Slotted]
)
def test_a_node_in_a_container_that_fx_does_not_look_into(hide: Any) -> None:
    gm = graph(lambda g, x: g.call_function(dict, (), {"v": 0}), "x")
    x, call, _ = gm.graph.nodes
    call._update_args_kwargs((), {"v": [hide([x])]})
    error = refusal(gm)
    assert error.argument == "kwargs['v'][0]"
    assert hide.__name__ in str(error)


def test_a_node_used_before_it_is_defined() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    first = made.call_function(torch.neg, (x,))
    second = made.call_function(torch.exp, (x,))
    first.args = (second,)
    error = refusal(finish(made, first))
    assert error.node is first and error.argument == "args[0]"


def test_the_users_line_and_module_are_shown() -> None:
    gm = with_argument(v=symbol())
    call = list(gm.graph.nodes)[1]
    call.meta["stack_trace"] = '  File "model.py", line 7, in forward\n    x.view(n)\n'
    call.meta["nn_module_stack"] = {"k": ("layers.0.attention", torch.nn.Module)}
    message = str(refusal(gm))
    assert 'File "model.py", line 7, in forward' in message
    assert "x.view(n)" in message
    assert "layers.0.attention" in message


@pytest.mark.parametrize("op", ["call_module", "get_attr"])
def test_a_target_that_is_not_there(op: str) -> None:
    root = torch.nn.Module()
    root.gone = torch.nn.ReLU()
    gm = graph(lambda g, x: (x, g.create_node(op, "gone", (x,))), "x", root=root)
    del gm.gone
    assert "'gone'" in str(refusal(gm))


@pytest.mark.parametrize(
    ("args", "kwargs", "reason"),
    [
        ((), {}, "lacks the argument 'a'"),
        ((1, 2), {}, "gives 2 arguments, 1 are taken"),
        ((1,), {"a": 2}, "unknown or second 'a'"),
        ((1,), {"b": 2}, "unknown or second 'b'"),
    ],
)
def test_a_call_that_does_not_fit_its_child(
    args: Any, kwargs: Any, reason: str
) -> None:
    root = torch.nn.Module()
    root.child = graph(lambda g, a: a, "a")
    gm = graph(lambda g, x: g.call_module("child", args, kwargs), "x", root=root)
    assert reason in str(refusal(gm))


def test_a_code_generator_of_its_own_is_refused() -> None:
    class Boxed(fx.graph.CodeGen):
        pass

    gm = graph(lambda g, x: x, "x")
    gm.graph.set_codegen(Boxed())
    assert "Boxed" in str(refusal(gm))


def test_a_method_of_nothing_is_refused() -> None:
    gm = graph(lambda g, x: g.call_method("sum", (), {"dim": 0}), "x")
    assert "'sum'" in str(refusal(gm))


def test_a_plain_module_is_no_graph() -> None:
    with pytest.raises(UnsupportedGraphError, match="not a .*Linear; .*symbolic_trace"):
        astgen.generate(torch.nn.Linear(2, 2))


def test_a_function_by_its_name_only_is_refused() -> None:
    gm = graph(lambda g, x: g.call_function(torch.relu, (x,)), "x")
    call = list(gm.graph.nodes)[1]
    call.target = "relu"
    assert "a str is called as a function" in str(refusal(gm))


def test_a_list_that_contains_itself_is_refused() -> None:
    gm = graph(lambda g, x: g.call_function(dict, (), {"v": 0}), "x")
    endless: list[Any] = [1]
    endless.append(endless)
    # The usual way to set arguments recurses until the process dies.
    list(gm.graph.nodes)[1]._kwargs = {"v": endless}
    assert "contains itself" in str(refusal(gm))


def test_a_child_that_contains_itself_is_refused() -> None:
    gm = graph(
        lambda g, x: g.call_module("m", (x,)), "x", root=module(m=torch.nn.ReLU())
    )
    gm.m = gm
    assert "contain themselves" in str(refusal(gm))


def test_a_child_that_cannot_be_called_is_refused() -> None:
    gm = graph(
        lambda g, x: g.call_module("m", (x,)), "x", root=module(m=torch.nn.ReLU())
    )
    del gm.m
    gm.m = torch.ones(1)
    assert "Tensor, which cannot be called" in str(refusal(gm))


def test_users_in_another_graph_do_not_count() -> None:
    gm = graph(lambda g, x: g.call_function(torch.neg, (x,)), "x")
    elsewhere = fx.Graph()
    elsewhere.call_function(torch.exp, (next(iter(gm.graph.nodes)),))
    assert torch.equal(astgen.generate(gm).compile()(torch.ones(1)), -torch.ones(1))
