"""The few shapes of libcst nodes that the emitter puts together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

__all__ = [
    "argument",
    "assign",
    "call_of",
    "container",
    "delete",
    "dotted",
    "item_of",
    "slot_of",
    "statement",
    "tuple_of",
]


def dotted(path: str) -> cst.BaseExpression:
    """The expression for a dotted path."""
    first, *rest = path.split(".")
    node: cst.BaseExpression = cst.Name(first)
    for name in rest:
        node = cst.Attribute(value=node, attr=cst.Name(name))
    return node


def argument(
    value: cst.BaseExpression, name: str | None = None, star: str = ""
) -> cst.Arg:
    """One argument of a call, with `name=` or a star before it."""
    if name is None:
        return cst.Arg(value=value, star=star)  # type: ignore[arg-type]
    return cst.Arg(
        value=value,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(
            whitespace_before=cst.SimpleWhitespace(""),
            whitespace_after=cst.SimpleWhitespace(""),
        ),
    )


def call_of(
    callee: cst.BaseExpression, arguments: Iterable[cst.BaseExpression | cst.Arg]
) -> cst.Call:
    """A call; plain expressions are positional arguments."""
    return cst.Call(
        func=callee,
        args=[arg if isinstance(arg, cst.Arg) else argument(arg) for arg in arguments],
    )


def item_of(
    value: cst.BaseExpression, indices: Sequence[cst.BaseSlice | cst.BaseExpression]
) -> cst.Subscript:
    """`value[indices]`; several indices make a tuple index."""
    return cst.Subscript(
        value=value,
        slice=[
            cst.SubscriptElement(
                slice=index if isinstance(index, cst.BaseSlice) else cst.Index(index)
            )
            for index in indices
        ],
    )


def slot_of(name: str, index: int) -> cst.BaseExpression:
    """The expression `name[index]` for a slot of constants or pieces."""
    return item_of(cst.Name(name), [cst.Integer(str(index))])


def tuple_of(items: Sequence[cst.BaseExpression]) -> cst.Tuple:
    """A parenthesised tuple; a single item keeps its comma."""
    elements = [cst.Element(value=item) for item in items]
    if len(elements) == 1:
        elements = [
            cst.Element(
                value=items[0],
                comma=cst.Comma(whitespace_after=cst.SimpleWhitespace("")),
            )
        ]
    return cst.Tuple(elements=elements)


def container(kind: type, items: Sequence[cst.BaseExpression]) -> cst.Tuple | cst.List:
    """A list or tuple display."""
    if kind is tuple:
        return tuple_of(items)
    return cst.List(elements=[cst.Element(value=item) for item in items])


def statement(small: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    """A line with one small statement."""
    return cst.SimpleStatementLine(body=[small])


def assign(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """`name = value`."""
    target = cst.AssignTarget(target=cst.Name(name))
    return statement(cst.Assign(targets=[target], value=value))


def delete(names: Sequence[str]) -> cst.SimpleStatementLine:
    """`del a, b`."""
    if len(names) == 1:
        return statement(cst.Del(target=cst.Name(names[0])))
    elements = [cst.Element(value=cst.Name(name)) for name in names]
    return statement(cst.Del(target=cst.Tuple(elements=elements, lpar=[], rpar=[])))
