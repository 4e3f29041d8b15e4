"""The few shapes of libcst nodes that the emitter puts together.

Nodes are immutable, so one may stand in several places: a local has one `Name`, and
small numbers and slots that are read often are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import libcst as cst

import astgen.emit.construct as construct

__all__ = [
    "argument",
    "assign",
    "call_of",
    "container",
    "delete",
    "dotted",
    "item_of",
    "number",
    "numbered",
    "slot_of",
    "statement",
    "tuple_of",
]

_SHARED_NUMBERS = 256
_LAST_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(""))


def dotted(path: str) -> cst.BaseExpression:
    """The expression for a dotted path."""
    first, *rest = path.split(".")
    node: cst.BaseExpression = construct.name(first)
    for name in rest:
        node = construct.attribute(node, construct.name(name))
    return node


def number(value: int) -> cst.Integer:
    """A number of at least 0."""
    return _NUMBERS[value] if value < _SHARED_NUMBERS else _number(value)


def _number(value: int) -> cst.Integer:
    return construct.integer(str(value))


def argument(
    value: cst.BaseExpression, name: str | None = None, star: str = ""
) -> cst.Arg:
    """One argument of a call, with `name=` or a star before it."""
    return construct.argument(
        value, None if name is None else construct.name(name), star
    )


def call_of(
    callee: cst.BaseExpression, arguments: Iterable[cst.BaseExpression | cst.Arg]
) -> cst.Call:
    """A call; plain expressions are positional arguments."""
    make = construct.argument
    args = [arg if isinstance(arg, cst.Arg) else make(arg) for arg in arguments]
    return construct.call(callee, args)


def item_of(
    value: cst.BaseExpression, indices: Sequence[cst.BaseSlice | cst.BaseExpression]
) -> cst.Subscript:
    """`value[indices]`; several indices make a tuple index."""
    return construct.subscript(value, [_between(one) for one in indices])


def _between(what: cst.BaseSlice | cst.BaseExpression) -> cst.SubscriptElement:
    if isinstance(what, cst.BaseSlice):
        return construct.subscript_element(what)
    return construct.subscript_element(construct.index(what))


def numbered(value: cst.BaseExpression, index: int) -> cst.Subscript:
    """`value[index]`, for an index of at least 0."""
    if index < _SHARED_NUMBERS:
        return construct.subscript(value, _INDICES[index])
    return construct.subscript(value, (_between(_number(index)),))


def slot_of(name: str, index: int) -> cst.BaseExpression:
    """The expression `name[index]` for a slot of constants or pieces."""
    return numbered(_list_name(name), index)


@lru_cache(maxsize=16)
def _list_name(name: str) -> cst.Name:
    return construct.name(name)


def tuple_of(items: Sequence[cst.BaseExpression]) -> cst.Tuple:
    """A parenthesised tuple; a single item keeps its comma."""
    if len(items) == 1:
        return construct.tuple_of([construct.element(items[0], _LAST_COMMA)])
    return construct.tuple_of([construct.element(item) for item in items])


def container(kind: type, items: Sequence[cst.BaseExpression]) -> cst.Tuple | cst.List:
    """A list or tuple display."""
    if kind is tuple:
        return tuple_of(items)
    return construct.list_of([construct.element(item) for item in items])


def statement(small: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    """A line with one small statement."""
    return construct.line(small)


def assign(name: str | cst.Name, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`name = value`."""
    target = construct.name(name) if isinstance(name, str) else name
    return construct.line(construct.assign(target, value))


def delete(names: Sequence[str | cst.Name]) -> cst.SimpleStatementLine:
    """`del a, b`."""
    found = [construct.name(one) if isinstance(one, str) else one for one in names]
    if len(found) == 1:
        return construct.line(construct.delete(found[0]))
    elements = [construct.element(one) for one in found]
    return construct.line(construct.delete(construct.tuple_of(elements, (), ())))


_NUMBERS = tuple(_number(value) for value in range(_SHARED_NUMBERS))
_INDICES = tuple((_between(one),) for one in _NUMBERS)
