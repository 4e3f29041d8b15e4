"""One node that computes something becomes one expression."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from keyword import iskeyword
from typing import Any

import libcst as cst
from torch import fx

import astgen.emit.construct as construct
from astgen.emit.arguments import Arguments, type_name
from astgen.emit.breaking import opened
from astgen.emit.children import Build, Inlined
from astgen.emit.inlinable import fetch, is_inlinable
from astgen.emit.literals import is_literal, literal
from astgen.emit.nodes import argument, item_of, numbered, slot_of
from astgen.emit.resolve import CALL, WholeModule
from astgen.emit.signature import bound, parameters
from astgen.emit.state import ProgramState
from astgen.errors import UnsupportedGraphError

__all__ = ["Calls"]

_COUNTED = 2**31
"""Indices below are numbers that are written as they are."""


@dataclass
class Calls:
    """Builds the expressions of one function.

    Attributes:
        state: What the functions of the program share.
        module: The module whose graph is emitted.
        path: Where it lies below the root, with a dot behind it; empty for the root.
        arguments: Spells the arguments of this function.
        temporary: Binds an expression to a temporary and returns its name.
        build: Makes a function of a child.
        with_pieces: Whether pieces may be called.
    """

    state: ProgramState
    module: fx.GraphModule
    path: str
    arguments: Arguments
    temporary: Callable[[cst.BaseExpression], cst.BaseExpression]
    build: Build
    with_pieces: bool
    used_pieces: bool = False

    def expression(self, node: fx.Node) -> cst.BaseExpression:
        """The expression that computes a call node.

        Raises:
            UnsupportedGraphError: The node has no meaning in Python.
        """
        op = node.op
        if op == "call_function":
            return self._function(node)
        if op == "call_module":
            return self._module(node)
        if op == "call_method":
            return self._method(node)
        raise UnsupportedGraphError(f"{op!r} is no opcode of torch.fx", node)

    def inlined(self, module: fx.GraphModule, node: fx.Node) -> tuple[str, Inlined]:
        """The name and signature of the function that a child becomes."""
        path = f"{self.path}{node.target}"
        found = self.state.children.inline(module, path, self.build)
        return found.function.name.value, found

    def _function(self, node: fx.Node) -> cst.BaseExpression:
        target, args = node.target, node.args
        if target is operator.getitem and node.users and len(args) == 2:
            item = None if node.kwargs else self._item(*args, node)
            if item is not None:
                return item
        if not callable(target):
            raise UnsupportedGraphError(
                f"a {type_name(target)} is called as a function; a call_function node "
                "has the function itself as its target",
                node,
            )
        if target is getattr and len(args) == 2 and type(args[1]) is str:
            return self.state.targets.read(self._spell(args[0], node), args[1])
        return self._call(self.state.targets.spell(target), args, node.kwargs, node)

    def _item(self, source: Any, index: Any, node: fx.Node) -> cst.Subscript | None:
        """`source[index]` where the index is simple enough to be one."""
        value = self.arguments.names.get(source) if type(source) is fx.Node else None
        if type(value) is not cst.Name:
            return None
        if type(index) is int and 0 <= index < _COUNTED:
            return numbered(value, index)
        indices = index if type(index) is tuple and len(index) > 1 else (index,)
        if not all(self._is_index(one) for one in indices):
            return None
        return item_of(value, [self._index(one, node) for one in indices])

    def _index(self, index: Any, node: fx.Node) -> cst.BaseSlice:
        if type(index) is not slice:
            return cst.Index(self._spell(index, node))
        bounds = (index.start, index.stop, index.step)
        lower, upper, step = (
            None if bound is None else self._spell(bound, node) for bound in bounds
        )
        if step is None:
            return cst.Slice(lower=lower, upper=upper)
        return cst.Slice(lower=lower, upper=upper, step=step, second_colon=cst.Colon())

    def _is_index(self, index: Any) -> bool:
        if type(index) is slice:
            return all(
                self._is_index(bound) and type(bound) is not slice
                for bound in (index.start, index.stop, index.step)
            )
        if isinstance(index, fx.Node):
            return self._is_name(index)
        return is_literal(index)

    def _is_name(self, node: fx.Node) -> bool:
        return type(self.arguments.names.get(node)) is cst.Name

    def _method(self, node: fx.Node) -> cst.BaseExpression:
        name = str(node.target)
        if not node.args:
            raise UnsupportedGraphError(
                f"call of the method {name!r} on nothing; its first argument is self",
                node,
            )
        receiver = self._spell(node.args[0], node)
        if not self.state.targets.is_method(name):
            bound = self.temporary(self.state.targets.read(receiver, name))
            caller = self.state.targets.spell(CALL)
            return self._call(caller, node.args[1:], node.kwargs, node, [bound])
        if not isinstance(receiver, (cst.Name, cst.Subscript)):
            receiver = self.temporary(receiver)
        callee = construct.attribute(receiver, construct.name(name))
        return self._call(callee, node.args[1:], node.kwargs, node)

    def _module(self, node: fx.Node) -> cst.BaseExpression:
        child = fetch(self.module, node)
        if is_inlinable(child):
            return self._inlined_call(child, node)
        if isinstance(child, fx.GraphModule):
            slot = self.state.constants.made(
                ("whole module", id(child)), partial(WholeModule, child)
            )
            callee = slot_of(self.state.dialect.consts, slot)
            return self._call(callee, node.args, node.kwargs, node)
        if not callable(child):
            raise UnsupportedGraphError(
                f"{node.target!r} is a {type_name(child)}, which cannot be called; put "
                "a module there",
                node,
            )
        if not self.with_pieces:
            raise UnsupportedGraphError(
                f"call_module is not allowed here: {node.target!r} is a piece and "
                "cannot be inlined; generate with the pieces as a parameter",
                node,
            )
        self.used_pieces = True
        index = self.state.children.slot(f"{self.path}{node.target}")
        callee = slot_of(self.state.dialect.submods, index)
        return self._call(callee, node.args, node.kwargs, node)

    def _inlined_call(self, child: fx.GraphModule, node: fx.Node) -> cst.Call:
        name, inlined = self.inlined(child, node)
        fill, takes = inlined.takes_submods, inlined.parameters
        if node.kwargs or len(node.args) != len(takes):
            # The caller knows the names of this child, not those of its equals.
            takes = parameters(child.graph)
        given, named = bound(takes, node.args, node.kwargs, node, fill=fill)
        keywords = named
        if named:
            targets = (parameter.target for parameter in takes)
            written = dict(zip(targets, inlined.written))
            keywords = {written[target]: value for target, value in named.items()}
        callee = construct.name(name)
        if not fill:
            return self._call(callee, given, keywords, node)
        self.used_pieces = True
        submods = construct.name(self.state.dialect.submods)
        return self._call(callee, given, keywords, node, last=[submods])

    def _call(
        self,
        callee: cst.BaseExpression,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        node: fx.Node,
        first: Sequence[cst.BaseExpression] = (),
        last: Sequence[cst.BaseExpression] = (),
    ) -> cst.Call:
        spell, known = self.arguments.spell, self.arguments.names
        values = [*first]
        for arg in args:
            value = known.get(arg) if type(arg) is fx.Node else None
            values.append(spell(arg, node) if value is None else value)
        if not kwargs:
            values += last
            # To build it flat, and then anew, would take twice as long.
            call = opened(callee, values)
            if call is not None:
                return call
            return construct.call(callee, [*map(construct.argument, values)])
        given = [*map(construct.argument, values), *self._keywords(kwargs, node)]
        given += map(construct.argument, last)
        return construct.call(callee, given)

    def _keywords(self, kwargs: Mapping[str, Any], node: fx.Node) -> Iterator[cst.Arg]:
        """Keyword arguments in order; names that Python cannot write go through `**`."""
        odd: list[cst.DictElement] = []
        for name, value in kwargs.items():
            if not isinstance(name, str):
                raise UnsupportedGraphError(
                    f"a keyword of the call is a {type_name(name)}; keywords are text",
                    node,
                )
            spelled = self._spell(value, node)
            if _is_keyword_name(name):
                if odd:
                    yield argument(cst.Dict(elements=odd), star="**")
                    odd = []
                yield argument(spelled, name)
            else:
                key = literal(name, self.arguments.quote)
                odd.append(cst.DictElement(key=key, value=spelled))
        if odd:
            yield argument(cst.Dict(elements=odd), star="**")

    def _spell(self, arg: Any, node: fx.Node) -> cst.BaseExpression:
        return self.arguments.spell(arg, node)


def _is_keyword_name(name: str) -> bool:
    return (
        name.isidentifier()
        and not iskeyword(name)
        and name != "__debug__"
        and unicodedata.normalize("NFKC", name) == name
    )
