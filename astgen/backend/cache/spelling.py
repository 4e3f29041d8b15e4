"""A graph as lines of text that are the same in every process.

A line says what a node does: its target, its arguments with nodes by number, and what
is known of its value with symbols by number. Names of nodes, placeholders, attributes
and symbols are left out: they say nothing about what is computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx
from torch.fx.graph import CodeGen
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from astgen.backend.cache.leaves import Leaves, Uncacheable
from astgen.emit.inlinable import fetch, is_inlinable
from astgen.metadata import value_of

__all__ = ["Speller"]

_SEQUENCES: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    fx.immutable_collections.immutable_list: ("[", "]"),
    torch.Size: ("Size(", ")"),
}
_DICTS = (dict, fx.immutable_collections.immutable_dict)
_LITERALS = (bool, int, float, type(None), type(...), bytes)
_SYMBOLIC = (torch.SymBool, torch.SymFloat, torch.SymInt)
_MAX_DEPTH = 50


class Speller:
    """Spells one graph with all that is below it.

    Attributes:
        leaves: What the graph refers to, in the order of the lines.
        symbols: The symbols of sizes, by the number that stands for them.
        environments: The shape environments that the symbols are of.
        devices: The types of the devices that values are on.
        methods: The methods that are called.
    """

    def __init__(self) -> None:
        self.leaves = Leaves()
        self.symbols: dict[Any, str] = {}
        self.environments: dict[int, Any] = {}
        self.devices: set[str] = set()
        self.methods: set[str] = set()
        self._expressions: dict[Any, str] = {}
        self._graphs: dict[int, int] = {}

    def lines(self, module: fx.GraphModule) -> Iterator[str]:
        """The lines of a graph, those of the graphs below it where they are met.

        Raises:
            Uncacheable: It refers to something that only this process knows.
        """
        if type(module.graph._codegen) is not CodeGen:
            raise Uncacheable("the graph takes its inputs apart in a way of its own")
        numbers: dict[fx.Node, int] = {}
        for node in module.graph.nodes:
            below = self._below(module, node)
            if below is not None and id(below) not in self._graphs:
                number = self._graphs[id(below)] = len(self._graphs)
                yield f"graph {number}:"
                yield from (f"  {line}" for line in self.lines(below))
            target = self._target(module, node, below)
            args = self._items(node.args, numbers)
            if node.kwargs:
                args += f"; {self._argument(node.kwargs, numbers, 0)}"
            number = numbers[node] = len(numbers)
            known = self.value(value_of(node))
            yield f"%{number} = {target}({args}){known and '  # ' + known}"

    def _below(self, module: fx.GraphModule, node: fx.Node) -> fx.GraphModule | None:
        if node.op not in ("call_module", "get_attr"):
            return None
        value = fetch(module, node)
        if not isinstance(value, torch.nn.Module):
            return None
        if not isinstance(value, fx.GraphModule) or not is_inlinable(value):
            raise Uncacheable(f"{node.target!r} is a module, which is code")
        return value

    def _target(
        self, module: fx.GraphModule, node: fx.Node, below: fx.GraphModule | None
    ) -> str:
        if below is not None:
            return f"{node.op} graph {self._graphs[id(below)]}"
        if node.op == "placeholder":
            name = str(node.target)
            return "placeholder" + "*" * (len(name) - len(name.lstrip("*")))
        if node.op == "get_attr":
            return f"get_attr {self.leaves.constant(fetch(module, node))}"
        if node.op == "call_method":
            self.methods.add(str(node.target))
            return f"call_method {json.dumps(node.target)}"
        if node.op == "call_function":
            return self.leaves.target(node.target)
        return node.op

    def _items(self, values: Any, numbers: dict[fx.Node, int], depth: int = 0) -> str:
        return ", ".join(self._argument(one, numbers, depth) for one in values)

    def _argument(self, value: Any, numbers: dict[fx.Node, int], depth: int) -> str:
        kind = type(value)
        if isinstance(value, fx.Node):
            return f"%{numbers[value]}"
        if kind in _LITERALS:
            return repr(value)
        if kind is str:
            return json.dumps(value)
        if depth > _MAX_DEPTH:
            raise Uncacheable("an argument is nested too deeply")
        if kind in _SEQUENCES:
            first, last = _SEQUENCES[kind]
            return f"{first}{self._items(value, numbers, depth + 1)},{last}"
        if kind in _DICTS:
            pairs = [part for pair in value.items() for part in pair]
            return f"{{{self._items(pairs, numbers, depth + 1)}}}"
        if kind in (slice, range):
            parts = (value.start, value.stop, value.step)
            return f"{kind.__name__}({self._items(parts, numbers, depth + 1)})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            maker = self.leaves.constant(kind)
            return f"{maker}({self._items(value, numbers, depth + 1)})"
        if isinstance(value, _SYMBOLIC):
            raise Uncacheable("a size that is not known yet is an argument")
        return self.leaves.constant(value)

    def value(self, value: Any) -> str:
        """What is known of a value: its type, and sizes with symbols by number."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, _SYMBOLIC):
            return f"{type(value).__name__} {self._size(value)}"
        if value is None:
            return ""
        if type(value) in _LITERALS or type(value) is str:
            return repr(value)
        if isinstance(value, (list, tuple)):
            parts = ", ".join(self.value(one) for one in value)
            return f"{type(value).__name__}({parts})"
        return f"a {type(value).__module__}.{type(value).__qualname__}"

    def _tensor(self, value: torch.Tensor) -> str:
        kind = type(value).__name__
        for mark in (torch.nn.Parameter, torch.nn.Buffer):
            kind = mark.__name__ if isinstance(value, mark) else kind
        grad = " requires_grad" if value.requires_grad else ""
        shape = ", ".join(map(self._size, value.shape))
        start = f"{kind} {value.dtype}[{shape}]"
        if is_traceable_wrapper_subclass(value):
            names, context = value.__tensor_flatten__()
            inner = ", ".join(self.value(getattr(value, name)) for name in names)
            if " at 0x" in repr(context):
                raise Uncacheable(f"a {kind} does not say what it is, only where")
            return f"{start} of ({inner}) {context!r}{grad}"
        self.devices.add(value.device.type)
        place = f" {value.device}{grad}"
        if value.layout is not torch.strided:
            return f"{start} {value.layout}{place}"
        strides = ", ".join(map(self._size, value.stride()))
        offset = self._size(value.storage_offset())
        return f"{start} by ({strides}) from {offset}{place}"

    def _size(self, size: Any) -> str:
        if not isinstance(size, _SYMBOLIC):
            return repr(size)
        node: Any = size.node
        if not hasattr(node, "_expr"):
            return repr(size)
        found = self._expressions.get(node._expr)
        if found is None:
            found = self._expressions[node._expr] = self._expression(node)
        return found

    def _expression(self, node: Any) -> str:
        self.environments.setdefault(id(node.shape_env), node.shape_env)
        expression = node.expr
        names = {}
        # The order of a set of symbols is that of their hashes.
        for symbol in sorted(expression.free_symbols, key=str):
            letters = str(symbol).rstrip("0123456789")
            name = self.symbols.setdefault(symbol, f"{letters}{len(self.symbols)}")
            names[symbol] = type(symbol)(name, **symbol.assumptions0)
        return str(expression.xreplace(names))
