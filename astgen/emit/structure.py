"""Which graphs become equal functions, seen before anything is built.

A key holds all that the text of a function depends on, names aside: its operations in
order, with references as positions, targets and constants as what decides their
spelling, and what is known of each input that decides whether it is deleted. Two
graphs with equal keys become the same text up to names. Where a key would have to
know too much there is none, and `astgen.emit.children` compares texts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import torch
from torch import fx
from torch.fx.graph import CodeGen
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.emit.constants import Constants
from astgen.emit.inlinable import fetch, is_inlinable, is_operand
from astgen.emit.literals import is_literal
from astgen.emit.liveness import owns_nothing
from astgen.emit.signature import Parameter, bound, parameters
from astgen.emit.targets import Targets
from astgen.errors import UnsupportedGraphError
from astgen.operators import is_operator

__all__ = ["Kind", "Structure", "Structures"]

_MAX_NESTING = 8
_SPELLED_OUT = frozenset({int, bool, str, bytes})
_SEQUENCES: dict[type, str] = {
    tuple: "tuple",
    list: "list",
    immutable_list: "list",
    torch.Size: "Size",
}
_RANGES: dict[type, str] = {slice: "slice", range: "range"}
_DICTS: frozenset[type] = frozenset({dict, immutable_dict})


class Kind(Enum):
    """What is known of a graph.

    Attributes:
        KEYED: It has a key.
        ALONE: No other becomes the same function: it calls pieces, whose slots are
            its own.
        UNKNOWN: Its text has to be looked at.
    """

    KEYED = "keyed"
    ALONE = "alone"
    UNKNOWN = "unknown"


class Structure(NamedTuple):
    """What decides the text of a graph's function.

    Attributes:
        kind: Whether there is a key.
        number: The same for equal keys.
        nested: Paths of the graphs that it calls or hands on, and of theirs, in the
            order of their slots.
    """

    kind: Kind
    number: int = 0
    nested: Sequence[str] = ()


_ALONE = Structure(Kind.ALONE)
_UNKNOWN = Structure(Kind.UNKNOWN)


class _NoKey(Exception):
    """Raised where a key would have to know too much."""


class _Alone(Exception):
    """Raised where a piece is called."""


@dataclass
class Structures:
    """The structures of the graphs of one program.

    Attributes:
        constants: Knows which objects share a slot.
        targets: Knows which targets are spelled in the same way.
    """

    constants: Constants
    targets: Targets
    _numbers: dict[tuple[Hashable, ...], int] = field(default_factory=dict)
    _known: dict[int, Structure] = field(default_factory=dict)
    _held: list[Any] = field(default_factory=list)
    _targets: dict[int, Hashable] = field(default_factory=dict)

    def of(self, module: fx.GraphModule) -> Structure:
        """The structure of a module that is inlinable."""
        found = self._known.get(id(module))
        if found is None:
            found = self._structure(module)
            self._known[id(module)] = found
            self._held.append(module)
        return found

    def _structure(self, module: fx.GraphModule) -> Structure:
        reading = _Reading(self, module)
        try:
            key = reading.key()
        except _Alone:
            return _ALONE
        except (_NoKey, UnsupportedGraphError):
            # Whoever builds the function says what is wrong.
            return _UNKNOWN
        number = self._numbers.setdefault(key, len(self._numbers))
        return Structure(Kind.KEYED, number, [*reading.nested])

    def constant(self, value: Any) -> Hashable:
        """A key that is equal for objects which share a slot."""
        self._held.append(value)
        return self.constants.key(value)

    def target(self, target: Any) -> Hashable:
        """A key that is equal for targets which are spelled in the same way."""
        found = self._targets.get(id(target))
        if found is None:
            self._held.append(target)
            found = self._targets[id(target)] = self.targets.key(target)
        return found


class _Reading:
    """Reads one graph, in the order in which its function is built."""

    def __init__(self, structures: Structures, module: fx.GraphModule) -> None:
        self.structures = structures
        self.module = module
        self.nested: dict[str, None] = {}
        self.row: list[Hashable] = []
        self.refs: dict[fx.Node, Hashable] = {}
        self.inputs: list[fx.Node] = []
        self.operations = 0

    def key(self) -> tuple[Hashable, ...]:
        """All that the text depends on.

        Raises:
            UnsupportedGraphError: The graph cannot be expressed.
        """
        graph = self.module.graph
        if type(graph._codegen) is not CodeGen:
            raise _NoKey
        refs, inputs = self.refs, self.inputs
        last = None
        for node in graph.nodes:
            op = node.op
            if op == "placeholder":
                inputs.append(node)
                # Numbers below 0 are inputs, the others operations.
                refs[node] = -len(inputs)
            elif op == "get_attr":
                if node.users:
                    refs[node] = self.attribute(node)
            elif op == "output":
                break
            else:
                self.operation(node, op)
                last = node
        else:
            raise _NoKey
        if node.next.op != "root":
            raise _NoKey
        self.row.append("output")
        self.arguments(node.args, {})
        ends = {last, node}
        # What lives until the function returns is not deleted in any case.
        self.row += [ends.isdisjoint(one.users) and owns_nothing(one) for one in inputs]
        if any(one.args or str(one.target)[:1] == "*" for one in inputs):
            self.row += [self.parameter(one) for one in parameters(graph)]
        return tuple(self.row)

    def operation(self, node: fx.Node, op: str) -> None:
        if op == "call_function":
            self.row += ("call", self.structures.target(node.target))
            self.arguments(node.args, node.kwargs)
        elif op == "call_module":
            self.module_call(node)
        elif op == "call_method":
            self.row += ("method", str(node.target))
            self.arguments(node.args, node.kwargs)
        else:
            raise _NoKey
        self.row.append(not node.users)
        self.refs[node] = self.operations
        self.operations += 1

    def parameter(self, parameter: Parameter) -> Hashable:
        """What is known of a parameter that is not plain, or has a default."""
        _, kind, _, default = parameter
        name = parameter.target if kind == "keyword" else None
        return (kind, name, *map(self.constant, default))

    def attribute(self, node: fx.Node) -> Hashable:
        value = fetch(self.module, node)
        if is_inlinable(value) and is_operand(node):
            if self.structures.of(value).kind is Kind.ALONE:
                raise _NoKey
            return "function", self.function(str(node.target), value)
        return "constant", self.structures.constant(value)

    def function(self, path: str, module: fx.GraphModule) -> int:
        found = self.structures.of(module)
        if found.kind is Kind.ALONE:
            raise _Alone
        if found.kind is Kind.UNKNOWN:
            raise _NoKey
        for one in (path, *(f"{path}.{below}" for below in found.nested)):
            self.nested.setdefault(one)
        return found.number

    def module_call(self, node: fx.Node) -> None:
        child = fetch(self.module, node)
        args, kwargs = node.args, node.kwargs
        if is_inlinable(child):
            number = self.function(str(node.target), child)
            if kwargs:
                given, kwargs = bound(parameters(child.graph), args, kwargs, node)
                args = tuple(given)
            self.row += ("inlined", number)
        elif isinstance(child, fx.GraphModule):
            self.structures.constant(child)
            self.row += ("whole", id(child))
        else:
            raise _Alone
        self.arguments(args, kwargs)

    def arguments(self, args: Any, kwargs: Any) -> None:
        row, refs = self.row, self.refs
        row.append(len(args))
        for arg in args:
            known = type(arg) is fx.Node and arg in refs
            row.append(refs[arg] if known else self.argument(arg))
        row.append(len(kwargs))
        for name, arg in kwargs.items():
            row += (name, self.argument(arg))

    def argument(self, arg: Any, depth: int = 0) -> Hashable:
        kind = type(arg)
        if kind is fx.Node:
            if arg not in self.refs:
                raise _NoKey
            return self.refs[arg]
        if kind in _SEQUENCES:
            items = [self.below(one, depth) for one in arg]
            return (_SEQUENCES[kind], *items)
        if kind in _DICTS:
            pairs = [
                (self.below(k, depth), self.below(v, depth)) for k, v in arg.items()
            ]
            return ("dict", *pairs)
        if kind in _RANGES:
            items = [self.below(one, depth) for one in (arg.start, arg.stop, arg.step)]
            return (_RANGES[kind], *items)
        if isinstance(arg, tuple):
            # A record may be a slot, or be rebuilt of its fields.
            raise _NoKey
        return self.constant(arg)

    def below(self, arg: Any, depth: int) -> Hashable:
        if depth == _MAX_NESTING:
            raise _NoKey
        return self.argument(arg, depth + 1)

    def constant(self, value: Any) -> Hashable:
        """The key of a value as one object: a literal, a path or a slot."""
        if value is None or value is ...:
            return "none" if value is None else "..."
        if type(value) in _SPELLED_OUT and is_literal(value):
            return type(value), value
        if isinstance(value, fx.Node):
            raise _NoKey
        if is_operator(value):
            return "target", self.structures.target(value)
        return "constant", self.structures.constant(value)
