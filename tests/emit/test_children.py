"""Children that become functions, and those that cannot."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from support.graphs import graph, module, tensor
from support.running import run_graph
from torch import fx


class Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
        return x * factor


def with_default(*, calls_piece: bool) -> fx.GraphModule:
    """`(a, b, k=3)`, which adds all and perhaps has a piece scale the sum."""
    made = fx.Graph()
    a, b = made.placeholder("a"), made.placeholder("b")
    k = made.placeholder("k", default_value=3)
    total: Any = made.call_function(torch.add, (a, b), {"alpha": k})
    if calls_piece:
        total = made.call_module("scale", (total,))
    made.output(total)
    return fx.GraphModule({"scale": Scale()}, made)


def with_stars(*, calls_piece: bool) -> fx.GraphModule:
    """`(a, *rest)`, which adds the first of the rest."""
    made = fx.Graph()
    a, rest = made.placeholder("a"), made.placeholder("*rest")
    first = made.call_function(operator.getitem, (rest, 0))
    total: Any = made.call_function(torch.add, (a, first))
    if calls_piece:
        total = made.call_module("scale", (total,))
    made.output(total)
    return fx.GraphModule({"scale": Scale()}, made)


@pytest.mark.parametrize("calls_piece", [False, True])
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((0, 1), {}), ((0, 1, 5), {}), ((0,), {"b": 1}), ((), {"k": 7, "b": 1, "a": 0})],
)
def test_a_default_of_a_child(calls_piece: bool, args: Any, kwargs: Any) -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        spelled = tuple(x if value == 0 else value for value in args)
        named = {key: x if value == 0 else value for key, value in kwargs.items()}
        return g.call_module("child", spelled, named)

    child = with_default(calls_piece=calls_piece)
    program = run_graph(graph(body, "x", root=module(child=child)), tensor(1, 2))
    assert "__vllm_inlined_submods__0" in program.code


@pytest.mark.parametrize("calls_piece", [False, True])
def test_a_child_with_stars_is_inlined_unless_it_needs_pieces(
    calls_piece: bool,
) -> None:
    child = with_stars(calls_piece=calls_piece)
    gm = graph(
        lambda g, x: g.call_module("child", (x, 4, 5)), "x", root=module(child=child)
    )
    program = run_graph(gm, tensor(1, 2))
    assert ("def __vllm_inlined_submods__0(a, *rest)" in program.code) != calls_piece


def test_a_child_with_stars_around_one_that_needs_pieces() -> None:
    made = fx.Graph()
    a, rest = made.placeholder("a"), made.placeholder("*rest")
    first = made.call_function(operator.getitem, (rest, 0))
    made.output(made.call_module("inner", (a, first)))
    outer = fx.GraphModule({"inner": with_default(calls_piece=True)}, made)
    gm = graph(
        lambda g, x: g.call_module("outer", (x, 4)), "x", root=module(outer=outer)
    )
    run_graph(gm, tensor(1, 2))


def subtracts(first: str, second: str) -> fx.GraphModule:
    """`first - second`, whose inputs come in the order of their names here."""
    made = fx.Graph()
    one, two = made.placeholder(first), made.placeholder(second)
    made.output(made.call_function(torch.sub, (one, two)))
    return fx.GraphModule(torch.nn.Module(), made)


@pytest.mark.parametrize("names", [("b", "a"), ("c", "d")])
def test_equal_children_keep_the_names_of_their_own_inputs(
    names: tuple[str, str],
) -> None:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        one = g.call_module("one", (), {"a": x, "b": y})
        two = g.call_module("two", (), dict(zip(sorted(names), (x, y))))
        return one, two

    root = module(one=subtracts("a", "b"), two=subtracts(*names))
    program = run_graph(graph(body, "x", "y", root=root), tensor(5), tensor(2))
    assert program.code.count("def __vllm_inlined_submods__") == 1


def keyword_only(name: str) -> fx.GraphModule:
    """`(a, *rest, name)`, which subtracts the last from the first."""
    made = fx.Graph()
    a, _, last = (
        made.placeholder("a"),
        made.placeholder("*rest"),
        made.placeholder(name),
    )
    made.output(made.call_function(torch.sub, (a, last)))
    return fx.GraphModule(torch.nn.Module(), made)


def test_children_with_other_keywords_are_not_shared() -> None:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        return g.call_module("one", (x,), {"k": y}), g.call_module(
            "two", (x,), {"j": y}
        )

    root = module(one=keyword_only("k"), two=keyword_only("j"))
    program = run_graph(graph(body, "x", "y", root=root), tensor(5), tensor(2))
    assert program.code.count("def __vllm_inlined_submods__") == 2


def test_a_keyword_that_had_to_be_renamed() -> None:
    root = module(child=keyword_only("torch"))
    gm = graph(
        lambda g, x, y: g.call_module("child", (x,), {"torch": y}), "x", "y", root=root
    )
    run_graph(gm, tensor(5), tensor(2))
