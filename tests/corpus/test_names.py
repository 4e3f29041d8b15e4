"""Names of inputs and nodes: any text, any collision."""

from __future__ import annotations

import builtins
import keyword
import operator
from typing import Any

import pytest
import torch
from torch import fx
from torch.fx._lazy_graph_module import _use_lazy_graph_module

import astgen
from astgen.errors import AstgenError
from support.graphs import chain, finish, graph, module, tensor
from support.running import run_graph


def difference(*targets: str, **options: Any) -> fx.GraphModule:
    """The first input minus ten times the second."""

    def body(g: fx.Graph, first: fx.Node, second: fx.Node) -> fx.Node:
        return g.call_function(torch.sub, (first, second), {"alpha": 10})

    return graph(body, *targets)


def test_an_input_called_inf_is_not_infinity() -> None:
    def body(g: fx.Graph, x: fx.Node, limit: fx.Node, nan: fx.Node) -> Any:
        y = g.call_function(torch.clamp, (x,), {"max": float("inf")})
        z = g.call_function(torch.full_like, (x, float("nan")))
        return y, z, limit, nan

    run_graph(graph(body, "x", "inf", "nan"), tensor(5, -1), tensor(1), tensor(2))


def test_inputs_that_differ_in_case_only() -> None:
    def function(X: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.sub(X, x)

    with _use_lazy_graph_module(True):
        gm = fx.symbolic_trace(function)
    run_graph(gm, tensor(5), tensor(1), eager=function)
    run_graph(gm, X=tensor(5), x=tensor(1), eager=function)


@pytest.mark.parametrize(
    "targets",
    [
        ("0.weight", "a b"),
        ("x-y", "x.y"),
        ("a b", "a_b"),
        ("1", "_1"),
        ("", "_"),
        ("é", "e\u0301"),
        ("\ufb01", "fi"),
        ("x\n", "x"),
        ("日本", "本日"),
        ("x" * 1000, "x" * 999 + "y"),
        ("'", '"'),
        ("\ud800", "\ud801"),
        ("raise SystemExit", "x = 1"),
    ],
)
def test_targets_that_are_no_identifiers_are_reached_by_position(
    targets: tuple[str, str],
) -> None:
    run_graph(difference(*targets), tensor(5), tensor(2))


@pytest.mark.parametrize("name", [*keyword.kwlist, *keyword.softkwlist, "__debug__"])
def test_an_input_called_like_a_keyword(name: str) -> None:
    run_graph(difference(name, "x"), tensor(5), tensor(2))
    run_graph(difference("x", name), tensor(5), tensor(2))


@pytest.mark.parametrize(
    "name",
    [
        "torch",
        "operator",
        "slice",
        "range",
        "execution_fn",
        "__vllm_consts__",
        "__vllm_submods__",
        "__vllm_inlined_submods__0",
        "__vllm_inlined_submods__",
        "__builtins__",
        "__import__",
        "__name__",
        "part",
        "flat",
        "dict",
        "_",
        "__",
    ],
)
def test_a_name_that_means_something_in_the_text(name: str) -> None:
    """The input, a node and the input of a child have it, in a text full of uses."""
    inner = graph(
        lambda g, a, b: g.call_function(operator.getitem, (a, slice(b, None))),
        name,
        "b",
    )
    made = fx.Graph()
    x = made.create_node("placeholder", name, name=name)
    y = made.placeholder("y")
    called = made.call_module("inner", (x, y))
    doubled = made.call_module("piece", (called,))
    doubled.name = name
    held = made.call_function(dict, (), {"v": slice(y, None), "w": range(3)})
    cast = made.call_function(torch.Tensor.to, (doubled, torch.float64))
    root = module(inner=inner, piece=torch.nn.ReLU())
    run_graph(finish(made, (cast, held), root), tensor(1, -2, 3), 1)


@pytest.mark.parametrize(
    "name", [name for name in dir(builtins) if not name.startswith("_")][::6]
)
def test_an_input_called_like_a_builtin_keeps_its_name(name: str) -> None:
    gm = difference(name, "x")
    if keyword.iskeyword(name) or name in ("range", "slice"):
        run_graph(gm, tensor(5), tensor(2))
    else:
        run_graph(gm, x=tensor(5), **{name: tensor(2)})


def test_node_names_that_are_one_after_normalisation() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    a = made.call_function(torch.add, (x, 1))
    b = made.call_function(torch.mul, (x, 10))
    a.name, b.name = "\ufb01", "fi"
    run_graph(finish(made, made.call_function(torch.sub, (a, b))), tensor(3))


@pytest.mark.parametrize("position", [0, 1])
def test_an_input_called_self(position: int) -> None:
    targets = ["x"]
    targets.insert(position, "self")
    run_graph(difference(*targets), tensor(5), tensor(2))
    run_graph(difference(*targets), self=tensor(5), x=tensor(2))


def test_two_nodes_of_one_name() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    a = made.call_function(torch.add, (x, 1))
    b = made.call_function(torch.mul, (x, 10))
    b.name = a.name
    run_graph(finish(made, made.call_function(torch.sub, (a, b))), tensor(3))


def test_a_node_of_the_name_of_an_input() -> None:
    made = fx.Graph()
    x, y = made.placeholder("x"), made.placeholder("y")
    a = made.call_function(torch.add, (x, 1))
    a.name = "y"
    b = made.call_function(torch.mul, (a, y))
    b.name = "x"
    run_graph(finish(made, (b, x, y, a)), tensor(3), tensor(4))


@pytest.mark.parametrize(
    "name",
    ["x = zz", "x\n    raise SystemExit", "a; b", "(", "#", "", "0", "a" * 1000, "é"],
)
def test_a_node_whose_name_is_not_one(name: str) -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    unused = made.call_function(torch.add, (x, 1))
    used = made.call_function(torch.mul, (x, 2))
    unused.name = used.name = name
    run_graph(finish(made, (used, used)), tensor(3))


def test_inputs_are_passed_by_the_name_of_the_target() -> None:
    made = fx.Graph()
    a, b = made.placeholder("L_Input_"), made.placeholder("list")
    assert (a.name, b.name) != ("L_Input_", "list")
    gm = finish(made, made.call_function(torch.sub, (a, b)))
    run_graph(gm, L_Input_=tensor(5), list=tensor(2))
    run_graph(gm, tensor(5), list=tensor(2))


def test_targets_and_names_swapped() -> None:
    made = fx.Graph()
    a, b = made.placeholder("a"), made.placeholder("b")
    a.name, b.name = "b", "a"
    gm = finish(made, made.call_function(torch.sub, (a, b)))
    run_graph(gm, tensor(5), tensor(2))
    run_graph(gm, b=tensor(5), a=tensor(2))


def test_a_child_with_targets_and_names_swapped_is_called_by_target() -> None:
    child = fx.Graph()
    a, b = child.placeholder("a"), child.placeholder("b")
    a.name, b.name = "b", "a"
    inner = finish(child, child.call_function(torch.sub, (a, b)))

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> fx.Node:
        return g.call_module("inner", (), {"a": x, "b": y})

    run_graph(graph(body, "x", "y", root=module(inner=inner)), tensor(5), tensor(2))


def test_two_inputs_of_one_target() -> None:
    made = fx.Graph()
    first = made.create_node("placeholder", "x", name="x")
    second = made.create_node("placeholder", "x", name="x_again")
    gm = finish(made, made.call_function(torch.sub, (first, second)))
    run_graph(gm, tensor(5), tensor(2), eager=torch.sub)


def test_locals_never_meet_a_numbered_name_that_is_taken() -> None:
    made = fx.Graph()
    x, x_1 = made.placeholder("x"), made.placeholder("x_1")
    a = made.call_function(torch.add, (x, 1))
    b = made.call_function(torch.mul, (x_1, 10))
    c = made.call_function(torch.neg, (a,))
    for node in (a, b, c):
        node.name = "x"
    run_graph(finish(made, (a, b, c, x, x_1)), tensor(3), tensor(7))


def test_names_of_a_thousand_characters() -> None:
    made = fx.Graph()
    x = made.placeholder("x" * 1000)
    node = x
    for index in range(5):
        node = made.call_function(torch.add, (node, x))
        node.name = "n" * 999 + str(index)
    run_graph(finish(made, [node, x, {"k" * 1000: node}]), tensor(3))


def test_wide_names() -> None:
    def body(g: fx.Graph, a: fx.Node, b: fx.Node) -> Any:
        return g.call_function(torch.stack, ([a, b] * 4,), {"dim": 0})

    run_graph(graph(body, "\u65e5\u672c" * 15, "\xe9" * 40), tensor(1), tensor(2))


def test_a_node_of_another_graph_is_refused() -> None:
    stranger = fx.Graph().placeholder("x")
    made = fx.Graph()
    node = made.call_function(torch.neg, (made.placeholder("x"),))
    node._args = (stranger,)
    with pytest.raises(AstgenError, match="'x'"):
        astgen.generate(finish(made, node))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a b",
        "class",
        "torch",
        "slice",
        "__vllm_consts__",
        "__vllm_submods__",
        "__vllm_inlined_submods__0",
    ],
)
def test_a_function_cannot_be_called_just_anything(name: str) -> None:
    with pytest.raises(AstgenError):
        astgen.generate(chain(torch.neg), name=name).compile({})


@pytest.mark.parametrize("name", ["f", "x", "neg", "forward", "\u65e5"])
def test_a_function_of_the_name_of_a_local_or_input(name: str) -> None:
    program = astgen.generate(chain(torch.neg), name=name)
    assert program.compile({})(tensor(1)).item() == -1


@pytest.mark.parametrize("name", ["match", "case", "type", "_"])
def test_soft_keywords_are_names_like_any_other(name: str) -> None:
    gm = graph(lambda g, x: g.call_function(torch.neg, (x,)), name)
    program = run_graph(gm, **{name: tensor(1, 2)})
    assert f"torch.neg({name})" in program.code
