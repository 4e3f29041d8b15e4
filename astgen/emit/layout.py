"""Whitespace: the text comes out as black leaves it, without asking black.

One line where it fits; else one item a line with a trailing comma, which black
keeps ("magic trailing comma"). Where there is no bracket to break at, black
wraps the right side of an assignment, a `return` or a `del` in parentheses. The
rules are black's (`right_hand_split` and what it calls, in its `linegen.py`),
for the shapes that the emitter builds; black itself is the oracle in the tests.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

import astgen.emit.construct as construct
from astgen.emit.breaking import (
    LINE_LENGTH,
    STEP,
    explode,
    first_fits,
    fits,
    flattened,
    is_one_token,
    is_opened,
    item,
    newline,
    one_a_line,
    width,
    wrapped,
)
from astgen.emit.render import header, render

__all__ = ["laid_out", "lay_out"]

_INDENT = " " * STEP
_ROOM = LINE_LENGTH - STEP
_WITH_VALUE = frozenset({cst.Assign, cst.Expr})
_BLANK = cst.EmptyLine(indent=False)


def lay_out(module: cst.Module) -> cst.Module:
    """Break the lines of a module that are too long, and space its functions.

    Args:
        module: Flat statements and functions, as the emitter builds them.

    Returns:
        The module whose text black would not change.
    """
    return laid_out(module)[0]


def laid_out(module: cst.Module) -> tuple[cst.Module, str]:
    """Break the lines of a module, and print it on the way.

    Args:
        module: Flat statements and functions, as the emitter builds them.

    Returns:
        The module whose text black would not change, and this text.
    """
    body: list[Any] = []
    parts: list[str] = []
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            leading = [_BLANK, _BLANK] if body else []
            node = _function(node, leading, parts)
        else:
            parts.append(render(node))
        body.append(node)
    return cst.Module(body=body), "".join(parts)


def _function(
    node: cst.FunctionDef, leading: list[cst.EmptyLine], parts: list[str]
) -> cst.FunctionDef:
    """Lay a function out; its text goes to the parts of the module's."""
    body: list[cst.SimpleStatementLine] = []
    texts: list[str] = []
    for line in node.body.body:
        laid, text = _statement(line)
        body.append(laid)
        texts += (_INDENT, text, "\n")
    node = cst.FunctionDef(
        name=node.name,
        params=node.params,
        body=cst.IndentedBlock(body=body),
        leading_lines=leading,
    )
    names = [param.name.value for param in node.params.params]
    is_long = sum(map(len, names)) > LINE_LENGTH
    head = "" if is_long else header(node)
    if is_long or width(head.strip("\n")) > LINE_LENGTH:
        node = _exploded_signature(node)
        head = header(node)
    parts.append(head)
    parts += texts
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
    laid = iter(one_a_line(flat, 0))
    plain, stars, keyword, double = ([next(laid) for _ in group] for group in groups)
    return node.with_changes(
        whitespace_before_params=newline(STEP),
        params=params.with_changes(
            params=plain,
            star_arg=stars[0] if stars else star,
            kwonly_params=keyword,
            star_kwarg=double[0] if double else None,
        ),
    )


def _parameter(param: Any) -> Any:
    if isinstance(param, cst.Param) and param.default is not None:
        head = width(param.name.value) + len("=")
        return param.with_changes(default=item(param.default, head, STEP))
    return param


# Statements


def _statement(line: Any) -> tuple[Any, str]:
    """A statement that fits, or is broken where it can be, and its text."""
    small = line.body[0]
    kind = type(small)
    text = render(small)
    is_open = kind in _WITH_VALUE and is_opened(small.value)
    first = text.partition("\n")[0] if is_open else text
    if len(first) <= _ROOM and (first.isascii() or width(first) <= _ROOM):
        return line, text
    if kind is cst.Assign:
        target = small.targets[0].target
        head = width(render(target)) + len(" = ")
        value = flattened(small.value) if is_open else small.value
        small = construct.assign(target, _right_side(value, head, STEP))
    elif kind is cst.Return:
        value = _right_side(small.value, len("return "), STEP)
        small = cst.Return(value=value)
    elif kind is cst.Expr:
        value = flattened(small.value) if is_open else small.value
        small = construct.expression(explode(value, STEP, 0) or value)
    elif kind is cst.Del:
        small = construct.delete(_deleted(small.target, STEP))
    return construct.line(small), render(small)


def _deleted(target: Any, indent: int) -> Any:
    if type(target) is not cst.Tuple:
        return wrapped(target, indent) if fits(target, indent + STEP) else target
    elements = one_a_line(target.elements, indent)
    return wrapped(construct.tuple_of(elements, (), ()), indent, closing="")


def _right_side(value: Any, head: int, indent: int) -> Any:
    """What follows `name =` or `return` on a line that is too long."""
    exploded = explode(value, indent, head)
    if type(value) is cst.Tuple:
        return value if exploded is None else exploded
    if exploded is None:
        if is_one_token(value) and not fits(value, indent + STEP):
            return value
        return wrapped(value, indent)
    if first_fits(exploded, indent + head):
        return exploded
    inner = value
    if not fits(value, indent + STEP):
        inner = explode(value, indent + STEP, 0)
    within = wrapped(inner, indent)
    rest = render(within).split("\n")[1:]
    if first_fits(within, indent + head):
        if all(width(line) <= LINE_LENGTH for line in rest):
            return within
    return exploded
