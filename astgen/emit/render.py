"""libcst nodes to text, for the node types that the emitter builds.

libcst's own `Module.code` keeps a stack of positions and asks every node about
its parentheses; on a stitching graph it takes most of the time of generating.
The text is the same; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

__all__ = ["render"]

_INDENT = "    "


def render(node: cst.CSTNode) -> str:
    """The text of a node, equal to what libcst makes of it.

    Args:
        node: A module, or any part of one, made of the emitter's node types.

    Returns:
        The text, with the indentation of the module's own level.
    """
    out: list[str] = []
    _render(node, out, "")
    return "".join(out)


def _render(node: cst.CSTNode, out: list[str], indent: str) -> None:
    _PRINTERS[type(node)](node, out, indent)


def _space(space: cst.BaseParenthesizableWhitespace, indent: str) -> str:
    if isinstance(space, cst.SimpleWhitespace):
        return space.value
    if isinstance(space, cst.ParenthesizedWhitespace):
        return f"\n{indent if space.indent else ''}{space.last_line.value}"
    raise TypeError(f"no such whitespace is emitted: {type(space).__name__}")


def _items(
    items: Sequence[Any], out: list[str], indent: str, *, lone_comma: bool = False
) -> None:
    """Items that carry their comma themselves, or the usual one between them."""
    last = len(items) - 1
    for index, item in enumerate(items):
        _render(item, out, indent)
        if isinstance(item.comma, cst.Comma):
            out.append("," + _space(item.comma.whitespace_after, indent))
        elif index != last:
            out.append(", ")
        elif lone_comma and not last:
            out.append(",")


def _module(node: cst.Module, out: list[str], indent: str) -> None:
    for statement in node.body:
        _render(statement, out, indent)


def _function(node: cst.FunctionDef, out: list[str], indent: str) -> None:
    out.append("\n" * len(node.leading_lines))
    out.append(f"{indent}def {node.name.value}(")
    out.append(_space(node.whitespace_before_params, indent))
    _parameters(node.params, out, indent)
    out.append("):\n")
    for statement in node.body.body:
        _render(statement, out, indent + _INDENT)


def _parameters(node: cst.Parameters, out: list[str], indent: str) -> None:
    items: list[Any] = [*node.params]
    if isinstance(node.star_arg, (cst.Param, cst.ParamStar)):
        items.append(node.star_arg)
    items += node.kwonly_params
    if node.star_kwarg is not None:
        items.append(node.star_kwarg)
    _items(items, out, indent)


def _param(node: cst.Param, out: list[str], indent: str) -> None:
    out.append(node.star if isinstance(node.star, str) else "")
    out.append(node.name.value)
    if node.default is not None:
        out.append("=")
        _render(node.default, out, indent)


def _param_star(node: cst.ParamStar, out: list[str], indent: str) -> None:
    out.append("*")


def _line(node: cst.SimpleStatementLine, out: list[str], indent: str) -> None:
    out.append(indent)
    _render(node.body[0], out, indent)
    out.append("\n")


def _import(node: cst.Import, out: list[str], indent: str) -> None:
    out.append(f"import {node.names[0].evaluated_name}")


def _assign(node: cst.Assign, out: list[str], indent: str) -> None:
    _render(node.targets[0].target, out, indent)
    out.append(" = ")
    _render(node.value, out, indent)


def _expression(node: cst.Expr, out: list[str], indent: str) -> None:
    _render(node.value, out, indent)


def _del(node: cst.Del, out: list[str], indent: str) -> None:
    out.append("del ")
    _render(node.target, out, indent)


def _return(node: cst.Return, out: list[str], indent: str) -> None:
    out.append("return ")
    if node.value is not None:
        _render(node.value, out, indent)


def _parenthesised(inner: Callable[..., None]) -> Callable[..., None]:
    """An expression may stand in parentheses of its own."""

    def printer(node: Any, out: list[str], indent: str) -> None:
        for paren in node.lpar:
            out.append("(" + _space(paren.whitespace_after, indent))
        inner(node, out, indent)
        for paren in node.rpar:
            out.append(_space(paren.whitespace_before, indent) + ")")

    return printer


@_parenthesised
def _word(node: Any, out: list[str], indent: str) -> None:
    out.append(node.value)


@_parenthesised
def _ellipsis(node: cst.Ellipsis, out: list[str], indent: str) -> None:
    out.append("...")


@_parenthesised
def _attribute(node: cst.Attribute, out: list[str], indent: str) -> None:
    _render(node.value, out, indent)
    out.append(f".{node.attr.value}")


@_parenthesised
def _negative(node: cst.UnaryOperation, out: list[str], indent: str) -> None:
    out.append("-")
    _render(node.expression, out, indent)


@_parenthesised
def _subscript(node: cst.Subscript, out: list[str], indent: str) -> None:
    _render(node.value, out, indent)
    out.append("[" + _space(node.lbracket.whitespace_after, indent))
    _items(node.slice, out, indent)
    out.append(_space(node.rbracket.whitespace_before, indent) + "]")


def _subscript_element(node: cst.SubscriptElement, out: list[str], indent: str) -> None:
    _render(node.slice, out, indent)


def _index(node: cst.Index, out: list[str], indent: str) -> None:
    _render(node.value, out, indent)


def _slice(node: cst.Slice, out: list[str], indent: str) -> None:
    for colon, bound in (("", node.lower), (":", node.upper)):
        out.append(colon)
        if bound is not None:
            _render(bound, out, indent)
    if node.step is not None:
        out.append(":")
        _render(node.step, out, indent)


@_parenthesised
def _call(node: cst.Call, out: list[str], indent: str) -> None:
    _render(node.func, out, indent)
    out.append("(" + _space(node.whitespace_before_args, indent))
    _items(node.args, out, indent)
    out.append(")")


def _arg(node: cst.Arg, out: list[str], indent: str) -> None:
    out.append(node.star)
    if node.keyword is not None:
        out.append(f"{node.keyword.value}=")
    _render(node.value, out, indent)


@_parenthesised
def _tuple(node: cst.Tuple, out: list[str], indent: str) -> None:
    _items(node.elements, out, indent, lone_comma=True)


@_parenthesised
def _list(node: cst.List, out: list[str], indent: str) -> None:
    out.append("[" + _space(node.lbracket.whitespace_after, indent))
    _items(node.elements, out, indent)
    out.append(_space(node.rbracket.whitespace_before, indent) + "]")


@_parenthesised
def _dict(node: cst.Dict, out: list[str], indent: str) -> None:
    out.append("{" + _space(node.lbrace.whitespace_after, indent))
    _items(node.elements, out, indent)
    out.append(_space(node.rbrace.whitespace_before, indent) + "}")


def _element(node: cst.Element, out: list[str], indent: str) -> None:
    _render(node.value, out, indent)


def _dict_element(node: cst.DictElement, out: list[str], indent: str) -> None:
    _render(node.key, out, indent)
    out.append(": ")
    _render(node.value, out, indent)


_PRINTERS: dict[type, Callable[..., None]] = {
    cst.Arg: _arg,
    cst.Assign: _assign,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Del: _del,
    cst.Dict: _dict,
    cst.DictElement: _dict_element,
    cst.Element: _element,
    cst.Ellipsis: _ellipsis,
    cst.Expr: _expression,
    cst.Float: _word,
    cst.FunctionDef: _function,
    cst.Import: _import,
    cst.Index: _index,
    cst.Integer: _word,
    cst.List: _list,
    cst.Module: _module,
    cst.Name: _word,
    cst.Param: _param,
    cst.ParamStar: _param_star,
    cst.Return: _return,
    cst.SimpleStatementLine: _line,
    cst.SimpleString: _word,
    cst.Slice: _slice,
    cst.Subscript: _subscript,
    cst.SubscriptElement: _subscript_element,
    cst.Tuple: _tuple,
    cst.UnaryOperation: _negative,
}
