"""Expressions over several lines, as black breaks them: one item a line.

A trailing comma goes behind the last item; black keeps what has one ("magic trailing
comma"). `astgen.emit.layout` says which expressions are broken.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

import libcst as cst

import astgen.emit.construct as construct
from astgen.emit.render import render

__all__ = [
    "LINE_LENGTH",
    "STEP",
    "explode",
    "first_fits",
    "fits",
    "flattened",
    "is_one_token",
    "item",
    "is_opened",
    "newline",
    "one_a_line",
    "opened",
    "width",
    "wrapped",
]

LINE_LENGTH = 88
STEP = 4

_TOKENS: frozenset[type] = frozenset(
    {cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Ellipsis}
)
_DEFAULT = cst.MaybeSentinel.DEFAULT


def explode(node: Any, indent: int, head: int) -> Any:
    """Break at the last bracket, one item a line.

    Args:
        node: The expression.
        indent: Columns before the line.
        head: Columns on the line before the expression.

    Returns:
        The expression over several lines; None if there is nothing to break at.
    """
    kind = type(node)
    if kind is cst.Call:
        return _exploded_call(node, indent, head)
    if kind is cst.Subscript:
        return _exploded_subscript(node, indent)
    if kind not in (cst.List, cst.Tuple, cst.Dict) or not node.elements:
        return None
    before = newline(indent + STEP)
    elements = [_element(one, indent + STEP) for one in node.elements]
    laid = one_a_line(elements, indent)
    if kind is cst.List:
        return construct.list_of(laid, cst.LeftSquareBracket(whitespace_after=before))
    if kind is cst.Dict:
        brace = cst.LeftCurlyBrace(whitespace_after=before)
        return cst.Dict(elements=laid, lbrace=brace)
    return construct.tuple_of(laid, (cst.LeftParen(whitespace_after=before),))


def opened(
    callee: cst.BaseExpression, args: Sequence[cst.BaseExpression]
) -> cst.Call | None:
    """The call that a statement makes, if it is plain to see that no line holds it.

    Args:
        callee: What is called.
        args: Positional arguments.

    Returns:
        The call with one argument a line; None if it may fit, or not all arguments
        are names.
    """
    if {*map(type, args)} != {cst.Name}:
        return None
    if not _are_long([name.value for name in args]):  # type: ignore[attr-defined]
        return None
    make, inner = construct.argument, _comma(2 * STEP)
    given = [make(arg, None, "", inner) for arg in args[:-1]]
    given.append(make(args[-1], None, "", _comma(STEP)))
    return construct.call(callee, given, newline(2 * STEP))


def is_opened(node: Any) -> bool:
    """Whether a node is what `opened` returns."""
    return type(node) is cst.Call and node.whitespace_before_args is newline(2 * STEP)


def flattened(node: cst.Call) -> cst.Call:
    """Undo `opened`."""
    args = [construct.argument(arg.value) for arg in node.args]
    return construct.call(node.func, args)


def _exploded_call(node: cst.Call, indent: int, head: int) -> cst.Call | None:
    if node.args:
        args = _arguments(node.args, indent)
        node = construct.call(node.func, args, newline(indent + STEP))
        if first_fits(node, indent + head):
            return node
    callee = node.func
    if type(callee) is cst.Subscript:
        callee = _exploded_subscript(callee, indent)
    elif type(callee) is cst.Attribute and type(callee.value) is cst.Subscript:
        owner = _exploded_subscript(callee.value, indent)
        callee = construct.attribute(owner, callee.attr)
    else:
        return node if node.args else None
    return construct.call(callee, node.args, node.whitespace_before_args)


def _exploded_subscript(node: cst.Subscript, indent: int) -> cst.Subscript:
    left = cst.LeftSquareBracket(whitespace_after=newline(indent + STEP))
    if len(node.slice) > 1:
        return construct.subscript(node.value, one_a_line(node.slice, indent), left)
    # A trailing comma would make the index a tuple.
    right = cst.RightSquareBracket(whitespace_before=newline(indent))
    return construct.subscript(node.value, node.slice, left, right)


def _arguments(args: Sequence[cst.Arg], indent: int) -> list[cst.Arg]:
    """Arguments one a line, those that are too long broken."""
    make, comma = construct.argument, _comma(indent + STEP)
    found = [
        make(_value(arg, indent + STEP), arg.keyword, arg.star, comma) for arg in args
    ]
    last = found[-1]
    found[-1] = make(last.value, last.keyword, last.star, _comma(indent))
    return found


def _value(arg: cst.Arg, indent: int) -> cst.BaseExpression:
    value = arg.value
    if type(value) in _TOKENS:
        return value
    head = len(arg.star)
    if arg.keyword is not None:
        head += width(arg.keyword.value) + len("=")
    broken: cst.BaseExpression = item(value, head, indent)
    return broken


def _element(element: Any, indent: int) -> Any:
    if not isinstance(element, cst.DictElement):
        value = item(element.value, 0, indent)
        return element if value is element.value else construct.element(value)
    if fits(element, indent, extra=len(",")):
        return element
    key = explode(element.key, indent, 0)
    head = width(render(element.key)) + len(": ")
    value = explode(element.value, indent, head)
    if key is None or value is not None and first_fits(value, indent + head):
        return element.with_changes(value=value or element.value)
    if value is None or _has_no_comma(value):
        # Black keeps a closing part on one line where it can.
        if fits(element.value, indent, extra=len("): ,")):
            return element.with_changes(key=key)
    value = explode(element.value, indent, len("): "))
    return element.with_changes(key=key, value=value or element.value)


def item(value: Any, head: int, indent: int) -> Any:
    """An item on a line of its own, with `head` columns before it and a comma."""
    if type(value) in _TOKENS or fits(value, indent, extra=head + len(",")):
        return value
    return explode(value, indent, head) or value


def one_a_line(items: Sequence[Any], indent: int) -> list[Any]:
    """Items with the commas that put each on a line of its own, one step further in."""
    inner, outer = _comma(indent + STEP), _comma(indent)
    made = [_with_comma(item, inner) for item in items[:-1]]
    return [*made, _with_comma(items[-1], outer)]


def _with_comma(item: Any, comma: cst.Comma) -> Any:
    kind = type(item)
    if kind is cst.Param and item.default is None and item.star is _DEFAULT:
        return construct.parameter(item.name, comma)
    if kind is cst.Element:
        return construct.element(item.value, comma)
    if kind is cst.SubscriptElement:
        return construct.subscript_element(item.slice, comma)
    return item.with_changes(comma=comma)


def wrapped(node: Any, indent: int, closing: str | None = None) -> Any:
    """An expression in parentheses on lines of their own."""
    left = cst.LeftParen(whitespace_after=newline(indent + STEP))
    before = newline(indent) if closing is None else cst.SimpleWhitespace(closing)
    right = cst.RightParen(whitespace_before=before)
    return node.with_changes(lpar=[left, *node.lpar], rpar=[*node.rpar, right])


@cache
def newline(indent: int) -> cst.ParenthesizedWhitespace:
    """A new line within brackets, and what it is indented by."""
    return cst.ParenthesizedWhitespace(
        first_line=cst.TrailingWhitespace(),
        indent=False,
        last_line=cst.SimpleWhitespace(" " * indent),
    )


@cache
def _comma(indent: int) -> cst.Comma:
    return cst.Comma(whitespace_after=newline(indent))


def fits(node: cst.CSTNode, indent: int, extra: int = 0) -> bool:
    """Whether a flat node fits on a line."""
    return indent + extra + width(render(node)) <= LINE_LENGTH


def _are_long(names: Sequence[str]) -> bool:
    """Whether a line does not hold names and the commas between them."""
    return sum(map(len, names)) + 2 * len(names) > LINE_LENGTH + 2


def first_fits(node: Any, head: int) -> bool:
    """Whether the first of several lines fits, with `head` columns before the node."""
    if type(node) is cst.Call and not node.lpar:
        if isinstance(node.whitespace_before_args, cst.ParenthesizedWhitespace):
            # What the arguments look like does not matter.
            text = f"{render(node.func)}("
            return head + width(text.partition("\n")[0]) <= LINE_LENGTH
    return head + width(render(node).partition("\n")[0]) <= LINE_LENGTH


def _has_no_comma(node: cst.BaseExpression) -> bool:
    """Whether breaking the node leaves no trailing comma that black would heed."""
    if isinstance(node, cst.Tuple):
        return len(node.elements) == 1
    if isinstance(node, cst.Call):
        return not node.args
    return isinstance(node, cst.Subscript) and len(node.slice) == 1


def is_one_token(node: cst.BaseExpression) -> bool:
    """Whether the text of a node has no place to break at."""
    return type(node) in _TOKENS


def width(text: str) -> int:
    """Columns as black counts them: wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character).startswith("M"):
        # A terminal gives marks no column of their own; black counts one.
        return 1
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
