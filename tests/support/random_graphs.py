"""Random graph modules over all opcodes, nested arguments and multi-output pieces."""

from __future__ import annotations

import enum
import operator
from collections import namedtuple
from random import Random
from typing import Any

import torch
from torch import fx

__all__ = ["RandomGraph"]

Pair = namedtuple("Pair", "left right")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Three(torch.nn.Module):
    """A piece with three results."""

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        total = sum(tensors, torch.zeros(3))
        return total, total * 2, -total


class Pick(torch.nn.Module):
    """A piece that takes any nested argument and gives back a tensor of it."""

    def forward(self, value: Any, *rest: Any, **named: Any) -> torch.Tensor:
        leaves = [x for x in torch.utils._pytree.tree_leaves((value, rest, named))]
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        return sum(tensors, torch.zeros(3)) + len(leaves)


def gather(value: Any, *rest: Any, **named: Any) -> tuple[Any, ...]:
    """A function that no path leads to; gives back what it was given."""
    return (value, *rest, tuple(named.items()))


CONSTANTS = [
    None,
    True,
    0,
    -7,
    10**30,
    1.5,
    -0.0,
    float("inf"),
    float("nan"),
    complex(0.0, -1.0),
    "it's",
    'a "b"\n',
    b"\x00\xff",
    ...,
    torch.float16,
    torch.device("cpu"),
    torch.strided,
    Level.HIGH,
    Pair(1, (2,)),
    torch.Size([2, 3]),
    range(3),
    slice(1, None),
    frozenset({1}),
    operator.add,
    torch.ops.aten.add.Tensor,
]
UNARY = [torch.neg, torch.relu, torch.ops.aten.abs.default, torch.Tensor.sin]
BINARY = [torch.add, operator.sub, torch.ops.aten.mul.Tensor, torch.maximum]
METHODS = ["cos", "neg", "clone", "__rsub__", "sum_to_size"]
NAMES = ["x", "torch", "class", "match", "input", "a b", "é", "range", "x_1", "X", "ﬁ"]


class RandomGraph:
    """Draws one graph module whose values are tensors of three floats."""

    def __init__(self, random: Random, depth: int = 2) -> None:
        self.random = random
        self.depth = depth
        self.root = torch.nn.Module()
        self.graph = fx.Graph()
        self.tensors: list[fx.Node] = []
        self.inputs = 0

    def module(self) -> fx.GraphModule:
        for index in range(self.random.randint(0, 3)):
            target = self.random.choice(NAMES)
            if any(node.target == target for node in self.graph.nodes):
                target = f"{target}{index}"
            self.tensors.append(self.graph.placeholder(target))
            self.inputs += 1
        self.get_attr()
        for _ in range(self.random.randint(1, 12)):
            step = self.random.choice(
                [
                    self.unary,
                    self.binary,
                    self.method,
                    self.get_attr,
                    self.piece,
                    self.picked,
                    self.gathered,
                    self.sliced,
                    self.child,
                    self.unread,
                ]
            )
            step()
        self.graph.output(self.nested(2))
        with torch.fx._lazy_graph_module._use_lazy_graph_module(True):
            return torch.fx._lazy_graph_module._LazyGraphModule(self.root, self.graph)

    def tensor(self) -> fx.Node:
        return self.random.choice(self.tensors)

    def unary(self) -> None:
        target = self.random.choice(UNARY)
        self.tensors.append(self.graph.call_function(target, (self.tensor(),)))

    def binary(self) -> None:
        target = self.random.choice(BINARY)
        args = (self.tensor(), self.tensor())
        self.tensors.append(self.graph.call_function(target, args))

    def method(self) -> None:
        name = self.random.choice(METHODS)
        args: tuple[Any, ...] = (self.tensor(),)
        if name == "__rsub__":
            args += (self.tensor(),)
        elif name == "sum_to_size":
            args += ((3,),)
        self.tensors.append(self.graph.call_method(name, args))

    def get_attr(self) -> None:
        name = f"w{len(self.root._buffers)}"
        self.root.register_buffer(name, torch.arange(3.0) + len(self.tensors))
        self.tensors.append(self.graph.get_attr(name))

    def piece(self) -> None:
        name = self.random.choice(["three", "twice"])
        self.root.add_module(name, Three())
        args = tuple(self.tensor() for _ in range(self.random.randint(0, 3)))
        results = self.graph.call_module(name, args)
        for index in self.random.sample([0, 1, 2, -1], self.random.randint(0, 3)):
            item = self.graph.call_function(operator.getitem, (results, index))
            self.tensors.append(item)

    def picked(self) -> None:
        self.root.add_module("pick", Pick())
        names = ["k", "from", "a b", "ﬁ", "__debug__", ""]
        kwargs = {
            name: self.nested(2)
            for name in self.random.sample(names, self.random.randint(0, 2))
        }
        args = tuple(self.nested(3) for _ in range(self.random.randint(1, 2)))
        self.tensors.append(self.graph.call_module("pick", args, kwargs))

    def gathered(self) -> None:
        found = self.graph.call_function(gather, (self.tensor(), self.nested(3)))
        item = self.graph.call_function(operator.getitem, (found, 0))
        self.tensors.append(item)

    def sliced(self) -> None:
        index = self.random.choice(
            [slice(None), (..., slice(0, 3)), slice(None, None, 1), (slice(-3, None),)]
        )
        item = self.graph.call_function(operator.getitem, (self.tensor(), index))
        self.tensors.append(item)

    def child(self) -> None:
        if not self.depth:
            return
        inner = RandomGraph(self.random, self.depth - 1)
        module = inner.module()
        name = f"child{len(self.root._modules)}"
        self.root.add_module(name, module)
        for _ in range(self.random.randint(1, 2)):
            args = tuple(self.tensor() for _ in range(inner.inputs))
            result = self.graph.call_module(name, args)
            packed = self.graph.call_function(gather, (result,))
            self.graph.call_function(operator.getitem, (packed, 0))

    def unread(self) -> None:
        self.graph.call_function(torch.add, (self.tensor(), 1))

    def nested(self, depth: int) -> Any:
        """A node, a constant, or containers of both."""
        kind = self.random.randint(0, 9)
        if depth == 0 or kind < 3:
            return self.tensor()
        if kind < 5:
            return self.random.choice(CONSTANTS)
        items = [self.nested(depth - 1) for _ in range(self.random.randint(0, 3))]
        if kind == 5:
            return tuple(items)
        if kind == 6:
            return items
        if kind == 7:
            keys = self.random.sample(["k", 3, None, (1, "a"), b"b"], len(items))
            return dict(zip(keys, items))
        if kind == 8:
            return slice(*(self.nested(0) for _ in range(3)))
        return Pair(self.nested(depth - 1), self.nested(depth - 1))
