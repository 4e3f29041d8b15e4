"""Methods: of inputs, of results, of literals; listed ones and others."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

import astgen
from astgen.errors import UnsupportedGraphError
from support.graphs import finish, graph, tensor
from support.labels import label
from support.running import run_graph
from support.things import Colour


def method(name: str, *rest: Any, **named: Any) -> fx.GraphModule:
    return graph(lambda g, x: g.call_method(name, (x, *rest), named), "x")


@pytest.mark.parametrize(
    "name, rest, named",
    [
        ("sum", (), {"dim": 0}),
        ("reshape", (-1,), {}),
        ("add_", (1,), {}),
        ("__add__", (1,), {}),
        ("__rsub__", (1,), {}),
        ("__getitem__", (0,), {}),
        ("__setitem__", (0, 5.0), {}),
        ("__len__", (), {}),
        ("to", (), {"dtype": torch.float64}),
        ("size", (), {}),
        ("size", (0,), {}),
        ("numel", (), {}),
        ("unbind", (), {}),
        ("max", (0,), {}),
        ("masked_fill", (torch.tensor([True, False, True]), float("-inf")), {}),
        ("numpy", (), {}),
        ("tolist", (), {}),
        ("requires_grad_", (), {}),
        ("__class__", (torch.ones(1),), {}),
        ("view", (torch.int32,), {}),
    ],
    ids=label,
)
def test_a_method_of_a_tensor(
    name: str, rest: tuple[Any, ...], named: dict[str, Any]
) -> None:
    run_graph(method(name, *rest, **named), torch.ones(2, 3))


@pytest.mark.parametrize(
    "receiver, name, rest",
    [
        (5, "bit_length", ()),
        (-5, "bit_length", ()),
        (2.5, "is_integer", ()),
        (-0.0, "hex", ()),
        (True, "__and__", (False,)),
        ("a,b", "split", (",",)),
        ("{}", "format", (1,)),
        (b"ab", "hex", ()),
        ((1, 2), "count", (1,)),
        ([3, 1], "copy", ()),
        ({"k": 1}, "get", ("k",)),
        (1j, "conjugate", ()),
        (Colour.RED, "__str__", ()),
        (slice(1, 10), "indices", (5,)),
        (range(5), "index", (3,)),
        (float("inf"), "is_integer", ()),
    ],
    ids=label,
)
def test_a_method_of_a_constant(
    receiver: Any, name: str, rest: tuple[Any, ...]
) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return x, g.call_method(name, (receiver, *rest))

    run_graph(graph(body, "x"), tensor(1))


def test_a_method_of_a_container_of_nodes() -> None:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        return [
            g.call_method("index", ([x, y], y)),
            g.call_method("get", ({"k": x}, "k")),
            g.call_method("__getitem__", ((x, y), slice(1, None))),
        ]

    run_graph(graph(body, "x", "y"), 3, 4)


def test_the_receiver_may_die_with_the_call() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        a = g.call_method("neg", (x,))
        b = g.call_method("tolist", (a,))
        c = g.call_method("copy", (b,))
        return g.call_method("pop", (c,))

    run_graph(graph(body, "x"), tensor(1, 2))


def test_an_unlisted_method_takes_any_arguments() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_method("unlisted", (x, [x, {"k": x}]), {"a b": x})

    class Receiver:
        def unlisted(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Receiver)

    run_graph(graph(body, "x"), Receiver())


@pytest.mark.parametrize("name", ["class", "a b", "\ufb01", "", "a.b", "__getattr__x"])
def test_a_method_of_any_name(name: str) -> None:
    class Receiver:
        pass

    receiver = Receiver()
    for each in (name, "fi", "a", "b"):
        setattr(receiver, each, lambda *given, each=each: (each, given))

    gm = graph(lambda g, x: g.call_method(name, (x, 1)), "x")
    assert astgen.generate(gm).compile({})(receiver) == (name, (1,))


def test_a_method_of_nothing_is_refused() -> None:
    g = fx.Graph()
    node = g.call_method("neg", ())
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(finish(g, node))
    assert caught.value.node is node
