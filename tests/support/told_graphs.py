"""Graphs whose statements are asked where they come from, with what they are given."""

from __future__ import annotations

import importlib
import operator
import os
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import fx

from support.graphs import chain, graph, module, tensor
from support.random_graphs import RandomGraph, Three

__all__ = ["CASES", "GRAPHS", "Made", "SEEDS", "case", "random_graph"]

aten = torch.ops.aten

Made = tuple[fx.GraphModule, tuple[Any, ...], dict[str, Any]]
"""A graph, and the positional and named arguments that it is called with."""

SEEDS = range(40)

_FOLDER = os.environ.get("ASTGEN_CASES", "")
"""A folder with a module `cases.py` of more graphs, as `tools/store_cases.py` takes."""


def _nested() -> Made:
    """Children in children; two of them are equal, and one function is both."""
    inner = chain(torch.neg, torch.relu)
    twin = chain(torch.neg, torch.relu)
    middle = graph(
        lambda g, x: (g.call_module("one", (x,)), g.call_function(torch.sin, (x,))),
        "x",
        root=module(one=inner),
    )

    def body(g: fx.Graph, x: fx.Node) -> Any:
        pair = g.call_module("middle", (x,))
        first = g.call_function(operator.getitem, (pair, 0))
        second = g.call_function(operator.getitem, (pair, 1))
        same = g.call_module("twin", (second,))
        g.call_module("twin", (x,))
        return g.call_function(torch.add, (first, same))

    root = module(middle=middle, twin=twin)
    return graph(body, "x", root=root), (tensor(-1, 2),), {}


class Tree(torch.nn.Module):
    """Takes nested inputs, and returns some."""

    def forward(self, pair: Any, named: Any) -> Any:
        left, right = pair
        total = left * named["k"] + right
        return {"total": total, "parts": [left.sin(), (named["k"],)]}


def _tree() -> Made:
    pair, named = (torch.ones(2), tensor(3, 4)), {"k": tensor(1, -1), "z": tensor(0)}
    exported = torch.export.export(Tree(), (pair, named))
    return exported.module(), (pair, named), {}


def _starred() -> Made:
    made = fx.Graph()
    x, rest = made.placeholder("x"), made.placeholder("*rest")
    named = made.placeholder("**named")
    first = made.call_function(operator.getitem, (rest, 0))
    value = made.call_function(operator.getitem, (named, "k"))
    total = made.call_function(torch.add, (first, value))
    made.output((x, total, rest))
    lazy = fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), made)
    return lazy, (tensor(1), tensor(2), tensor(3)), {"k": tensor(4)}


def _effects() -> Made:
    """Values that nobody reads, and calls that have no name for that."""

    def body(g: fx.Graph, x: fx.Node, unread: fx.Node) -> Any:
        g.call_function(torch.add, (x, 1))
        y = g.call_method("clone", (x,))
        g.call_method("add_", (y, 1))
        g.call_module("three", (y,))
        many = g.call_module("three", (x,))
        g.call_function(operator.getitem, (many, 2))
        item = g.call_function(operator.getitem, (many, -1))
        return y, item

    made = graph(body, "x", "unread", root=module(three=Three()))
    return made, (tensor(1, 2, 3), tensor(9)), {}


def _temporaries() -> Made:
    """Methods of literals, which need a name before they can be called."""

    def body(g: fx.Graph, x: fx.Node) -> Any:
        bits = g.call_method("bit_length", (5,))
        more = g.call_method("bit_length", (255,))
        size = g.call_function(operator.add, (bits, more))
        return g.call_function(torch.mul, (x, size)), g.call_method("conjugate", (-1,))

    return graph(body, "x"), (tensor(1, 2),), {}


def _attributes() -> Made:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        weight, again = g.get_attr("w"), g.get_attr("w")
        g.get_attr("unread")
        y = g.call_function(aten.mul.Tensor, (x, weight))
        return g.call_function(torch.add, (y, again)), again

    root = module(w=tensor(2, 3), unread=tensor(0))
    return graph(body, "x", root=root), (tensor(1, 2),), {}


def _default() -> Made:
    made = fx.Graph()
    x, k = made.placeholder("x"), made.placeholder("k", default_value=2)
    made.output(made.call_function(torch.mul, (x, k)))
    lazy = fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), made)
    return lazy, (tensor(1, 2),), {}


def _endless() -> Made:
    """A graph without an output returns None."""
    made = fx.Graph()
    made.call_function(torch.neg, (made.placeholder("x"),))
    lazy = fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), made)
    return lazy, (tensor(1),), {}


GRAPHS: dict[str, Callable[[], Made]] = {
    "nested": _nested,
    "tree": _tree,
    "starred": _starred,
    "effects": _effects,
    "temporaries": _temporaries,
    "attributes": _attributes,
    "default": _default,
    "endless": _endless,
}


def random_graph(seed: int) -> Made:
    """The same graph for the same seed."""
    drawn = RandomGraph(Random(seed))
    made = drawn.module()
    inputs = [torch.arange(3.0) - 1.5 * index for index in range(drawn.inputs)]
    return made, tuple(inputs), {}


def _cases() -> Iterator[str]:
    if _FOLDER:
        sys.path.insert(0, _FOLDER)
        # What is freed when is another test's, and tracing holds what it shows; to
        # watch ten thousand lines takes too long.
        for one in importlib.import_module("cases").CASES:
            if not one.id.startswith("live_") and one.id != "big_long":
                yield one.id


CASES = [*_cases()]
"""The names of more graphs; none where nobody said where they are."""


def case(name: str) -> Made:
    """One of `CASES`."""
    every = importlib.import_module("cases").CASES
    made, given, _ = next(one for one in every if one.id == name).build()
    return made, tuple(given), dict(getattr(given, "kwargs", {}))
