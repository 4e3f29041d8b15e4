"""Whitespace: the text comes out as black leaves it, without asking black.

One line where it fits; else one item a line with a trailing comma, which black
keeps ("magic trailing comma"). Where there is no bracket to break at, black
wraps the right side of an assignment, a `return` or a `del` in parentheses. The
rules are black's (`right_hand_split` and what it calls, in its `linegen.py`),
for the shapes that the emitter builds; black itself is the oracle in the tests.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, TypeVar

import libcst as cst

from astgen.emit.render import render

__all__ = ["lay_out"]

_LINE_LENGTH = 88
_STEP = 4
_BLANK = cst.EmptyLine(indent=False)

Item = TypeVar("Item", bound=cst.CSTNode)


def lay_out(module: cst.Module) -> cst.Module:
    """Break the lines of a module that are too long, and space its functions.

    Args:
        module: Flat statements and functions, as the emitter builds them.

    Returns:
        The module whose text black would not change.
    """
    body: list[Any] = []
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            leading = [_BLANK, _BLANK] if body else []
            node = _function(node).with_changes(leading_lines=leading)
        body.append(node)
    return module.with_changes(body=body)


def _function(node: cst.FunctionDef) -> cst.FunctionDef:
    body = [_statement(line, _STEP) for line in node.body.body]
    node = node.with_changes(body=node.body.with_changes(body=body))
    head = node.with_changes(body=cst.IndentedBlock(body=[]))
    if _width(render(head).rstrip("\n")) > _LINE_LENGTH:
        node = _exploded_signature(node)
    return node


def _exploded_signature(node: cst.FunctionDef) -> cst.FunctionDef:
    params = node.params
    star = params.star_arg
    groups: list[list[Any]] = [
        list(params.params),
        [star] if isinstance(star, (cst.Param, cst.ParamStar)) else [],
        list(params.kwonly_params),
        [params.star_kwarg] if params.star_kwarg is not None else [],
    ]
    flat = [_parameter(param) for group in groups for param in group]
    if not flat:
        return node
    laid = iter(_one_a_line(flat, 0))
    plain, stars, keyword, double = ([next(laid) for _ in group] for group in groups)
    return node.with_changes(
        whitespace_before_params=_newline(_STEP),
        params=params.with_changes(
            params=plain,
            star_arg=stars[0] if stars else star,
            kwonly_params=keyword,
            star_kwarg=double[0] if double else None,
        ),
    )


def _parameter(param: Any) -> Any:
    if isinstance(param, cst.Param) and param.default is not None:
        head = _width(param.name.value) + len("=")
        return param.with_changes(default=_item(param.default, head, _STEP))
    return param


# Statements


def _statement(line: Any, indent: int) -> Any:
    if _fits(line, indent):
        return line
    small = line.body[0]
    if isinstance(small, cst.Assign):
        head = _width(render(small.targets[0].target)) + len(" = ")
        small = small.with_changes(value=_right_side(small.value, head, indent))
    elif isinstance(small, cst.Return):
        small = small.with_changes(
            value=_right_side(small.value, len("return "), indent)
        )
    elif isinstance(small, cst.Expr):
        small = small.with_changes(
            value=_explode(small.value, indent, 0) or small.value
        )
    elif isinstance(small, cst.Del):
        small = small.with_changes(target=_deleted(small.target, indent))
    return line.with_changes(body=[small])


def _deleted(target: Any, indent: int) -> Any:
    if not isinstance(target, cst.Tuple):
        return _wrapped(target, indent) if _fits(target, indent + _STEP) else target
    elements = _one_a_line(target.elements, indent)
    return _wrapped(target.with_changes(elements=elements), indent, closing="")


def _right_side(value: Any, head: int, indent: int) -> Any:
    """What follows `name =` or `return` on a line that is too long."""
    exploded = _explode(value, indent, head)
    if isinstance(value, cst.Tuple):
        return value if exploded is None else exploded
    if exploded is None:
        if _is_one_token(value) and not _fits(value, indent + _STEP):
            return value
        return _wrapped(value, indent)
    if _first_fits(exploded, indent + head):
        return exploded
    inner = value
    if not _fits(value, indent + _STEP):
        inner = _explode(value, indent + _STEP, 0)
    wrapped = _wrapped(inner, indent)
    rest = render(wrapped).split("\n")[1:]
    fits = _first_fits(wrapped, indent + head) and all(
        _width(line) <= _LINE_LENGTH for line in rest
    )
    return wrapped if fits else exploded


# Expressions


def _explode(node: Any, indent: int, head: int) -> Any:
    """Break at the last bracket, one item a line.

    Args:
        node: The expression.
        indent: Columns before the line.
        head: Columns on the line before the expression.

    Returns:
        The expression over several lines; None if there is nothing to break at.
    """
    if isinstance(node, cst.Call):
        return _exploded_call(node, indent, head)
    if isinstance(node, cst.Subscript):
        return _exploded_subscript(node, indent)
    if not isinstance(node, (cst.List, cst.Tuple, cst.Dict)) or not node.elements:
        return None
    before = _newline(indent + _STEP)
    elements = [_element(one, indent + _STEP) for one in node.elements]
    laid = _one_a_line(elements, indent)
    if isinstance(node, cst.List):
        left = cst.LeftSquareBracket(whitespace_after=before)
        return node.with_changes(lbracket=left, elements=laid)
    if isinstance(node, cst.Dict):
        brace = cst.LeftCurlyBrace(whitespace_after=before)
        return node.with_changes(lbrace=brace, elements=laid)
    paren = cst.LeftParen(whitespace_after=before)
    return node.with_changes(lpar=[paren], elements=laid)


def _exploded_call(node: cst.Call, indent: int, head: int) -> cst.Call | None:
    if node.args:
        args = [_argument(arg, indent + _STEP) for arg in node.args]
        node = node.with_changes(
            whitespace_before_args=_newline(indent + _STEP),
            args=_one_a_line(args, indent),
        )
        if _first_fits(node, indent + head):
            return node
    callee = node.func
    if isinstance(callee, cst.Subscript):
        return node.with_changes(func=_exploded_subscript(callee, indent))
    if isinstance(callee, cst.Attribute) and isinstance(callee.value, cst.Subscript):
        owner = _exploded_subscript(callee.value, indent)
        return node.with_changes(func=callee.with_changes(value=owner))
    return node if node.args else None


def _exploded_subscript(node: cst.Subscript, indent: int) -> cst.Subscript:
    left = cst.LeftSquareBracket(whitespace_after=_newline(indent + _STEP))
    if len(node.slice) > 1:
        return node.with_changes(lbracket=left, slice=_one_a_line(node.slice, indent))
    # A trailing comma would make the index a tuple.
    right = cst.RightSquareBracket(whitespace_before=_newline(indent))
    return node.with_changes(lbracket=left, rbracket=right)


def _argument(arg: cst.Arg, indent: int) -> cst.Arg:
    head = len(arg.star)
    if arg.keyword is not None:
        head += _width(arg.keyword.value) + len("=")
    return arg.with_changes(value=_item(arg.value, head, indent))


def _element(element: Any, indent: int) -> Any:
    if not isinstance(element, cst.DictElement):
        return element.with_changes(value=_item(element.value, 0, indent))
    if _fits(element, indent, extra=len(",")):
        return element
    key = _explode(element.key, indent, 0)
    head = _width(render(element.key)) + len(": ")
    value = _explode(element.value, indent, head)
    if key is None or value is not None and _first_fits(value, indent + head):
        return element.with_changes(value=value or element.value)
    if value is None or _has_no_comma(value):
        # Black keeps a closing part on one line where it can.
        if _fits(element.value, indent, extra=len("): ,")):
            return element.with_changes(key=key)
    value = _explode(element.value, indent, len("): "))
    return element.with_changes(key=key, value=value or element.value)


def _item(value: Any, head: int, indent: int) -> Any:
    """An item on a line of its own, with `head` columns before it and a comma."""
    if _fits(value, indent, extra=head + len(",")):
        return value
    return _explode(value, indent, head) or value


# Whitespace


def _one_a_line(items: Sequence[Item], indent: int) -> list[Item]:
    inner, outer = _newline(indent + _STEP), _newline(indent)
    last = len(items) - 1
    return [
        item.with_changes(
            comma=cst.Comma(whitespace_after=outer if index == last else inner)
        )
        for index, item in enumerate(items)
    ]


def _wrapped(node: Any, indent: int, closing: str | None = None) -> Any:
    left = cst.LeftParen(whitespace_after=_newline(indent + _STEP))
    before = _newline(indent) if closing is None else cst.SimpleWhitespace(closing)
    right = cst.RightParen(whitespace_before=before)
    return node.with_changes(lpar=[left, *node.lpar], rpar=[*node.rpar, right])


def _newline(indent: int) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(
        first_line=cst.TrailingWhitespace(),
        indent=False,
        last_line=cst.SimpleWhitespace(" " * indent),
    )


def _fits(node: cst.CSTNode, indent: int, extra: int = 0) -> bool:
    return indent + extra + _width(render(node).rstrip("\n")) <= _LINE_LENGTH


def _first_fits(node: cst.CSTNode, head: int) -> bool:
    return head + _width(render(node).partition("\n")[0]) <= _LINE_LENGTH


def _has_no_comma(node: cst.BaseExpression) -> bool:
    """Whether breaking the node leaves no trailing comma that black would heed."""
    if isinstance(node, cst.Tuple):
        return len(node.elements) == 1
    if isinstance(node, cst.Call):
        return not node.args
    return isinstance(node, cst.Subscript) and len(node.slice) == 1


def _is_one_token(node: cst.BaseExpression) -> bool:
    return isinstance(
        node, (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Ellipsis)
    )


def _width(text: str) -> int:
    """Columns as black counts them: wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character).startswith("M"):
        # A terminal gives marks no column of their own; black counts one.
        return 1
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
