"""libcst nodes to text, for the node types that the emitter builds.

libcst's own `Module.code` keeps a stack of positions and asks every node about
its parentheses; on a stitching graph it takes most of the time of generating.
The text is the same; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

__all__ = ["header", "render"]

_INDENT = "    "
_DEFAULT = cst.MaybeSentinel.DEFAULT


def render(node: cst.CSTNode) -> str:
    """The text of a node, equal to what libcst makes of it.

    Args:
        node: A module, or any part of one, made of the emitter's node types.

    Returns:
        The text, with the indentation of the module's own level.
    """
    return _PRINTERS[type(node)](node)


def header(node: cst.FunctionDef) -> str:
    """The text of a function up to its body, blank lines included."""
    blank = "\n" * len(node.leading_lines)
    before = _space(node.whitespace_before_params)
    return f"{blank}def {node.name.value}({before}{_parameters(node.params)}):\n"


def _space(space: cst.BaseParenthesizableWhitespace) -> str:
    if type(space) is cst.SimpleWhitespace:
        return space.value
    if isinstance(space, cst.ParenthesizedWhitespace) and not space.indent:
        return f"\n{space.last_line.value}"
    raise TypeError(f"no such whitespace is emitted: {type(space).__name__}")


def _items(items: Sequence[Any], lone_comma: bool = False) -> str:
    """Items that carry their comma themselves, or the usual one between them."""
    texts = [_PRINTERS[type(item)](item) for item in items]
    return _joined(items, texts, lone_comma)


def _joined(items: Sequence[Any], texts: list[str], lone_comma: bool = False) -> str:
    if not items:
        return ""
    commas = [item.comma for item in items]
    last = commas.pop()
    between, behind = ", ", "," if lone_comma and not commas else ""
    if last is not _DEFAULT:
        behind = f",{_space(last.whitespace_after)}"
    first = commas[0] if commas else _DEFAULT
    if commas.count(first) == len(commas):
        # Neighbours mostly share their comma.
        if first is not _DEFAULT:
            between = f",{_space(first.whitespace_after)}"
        return between.join(texts) + behind
    for index, comma in enumerate(commas):
        own = between if comma is _DEFAULT else f",{_space(comma.whitespace_after)}"
        texts[index] += own
    return "".join(texts) + behind


def _in_parentheses(node: Any, text: str) -> str:
    """An expression may stand in parentheses of its own."""
    for left, right in zip(reversed(node.lpar), node.rpar):
        before, behind = _space(left.whitespace_after), _space(right.whitespace_before)
        text = f"({before}{text}{behind})"
    return text


# Modules and functions


def _module(node: cst.Module) -> str:
    return "".join(map(render, node.body))


def _function(node: cst.FunctionDef) -> str:
    lines = [f"{_INDENT}{render(line)}" for line in node.body.body]
    return "".join([header(node), *lines])


def _parameters(node: cst.Parameters) -> str:
    items: list[Any] = [*node.params]
    if isinstance(node.star_arg, (cst.Param, cst.ParamStar)):
        items.append(node.star_arg)
    items += node.kwonly_params
    if node.star_kwarg is not None:
        items.append(node.star_kwarg)
    return _items(items)


def _param(node: cst.Param) -> str:
    if node.default is None and node.star is _DEFAULT:
        return node.name.value
    star = node.star if isinstance(node.star, str) else ""
    default = "" if node.default is None else f"={render(node.default)}"
    return f"{star}{node.name.value}{default}"


def _param_star(node: cst.ParamStar) -> str:
    return "*"


# Statements


def _line(node: cst.SimpleStatementLine) -> str:
    small = node.body[0]
    return f"{_PRINTERS[type(small)](small)}\n"


def _import(node: cst.Import) -> str:
    return f"import {node.names[0].evaluated_name}"


def _assign(node: cst.Assign) -> str:
    value = node.value
    # A name; more than that is never assigned.
    name: Any = node.targets[0].target
    return f"{name.value} = {_PRINTERS[type(value)](value)}"


def _expression(node: cst.Expr) -> str:
    return render(node.value)


def _del(node: cst.Del) -> str:
    return f"del {render(node.target)}"


def _return(node: cst.Return) -> str:
    return "return" if node.value is None else f"return {render(node.value)}"


# Expressions


def _word(node: Any) -> str:
    text: str = node.value
    return _in_parentheses(node, text) if node.lpar else text


def _ellipsis(node: cst.Ellipsis) -> str:
    return _in_parentheses(node, "...")


def _attribute(node: cst.Attribute) -> str:
    value = node.value
    text = f"{_PRINTERS[type(value)](value)}.{node.attr.value}"
    return _in_parentheses(node, text) if node.lpar else text


def _negative(node: cst.UnaryOperation) -> str:
    return _in_parentheses(node, f"-{render(node.expression)}")


def _subscript(node: cst.Subscript) -> str:
    value, items = node.value, node.slice
    if len(items) == 1 and items[0].comma is _DEFAULT:
        what = items[0].slice
        inner = _PRINTERS[type(what)](what)
    else:
        inner = _items(items)
    text = f"{_PRINTERS[type(value)](value)}[{_bracketed(node, inner)}]"
    return _in_parentheses(node, text) if node.lpar else text


def _bracketed(node: cst.Subscript | cst.List, inner: str) -> str:
    """What stands between square brackets, with the whitespace around it."""
    left, right = node.lbracket.whitespace_after, node.rbracket.whitespace_before
    if left is right and type(left) is cst.SimpleWhitespace and not left.value:
        # On one line both are the same object.
        return inner
    return f"{_space(left)}{inner}{_space(right)}"


def _subscript_element(node: cst.SubscriptElement) -> str:
    return render(node.slice)


def _index(node: cst.Index) -> str:
    value = node.value
    return _PRINTERS[type(value)](value)


def _slice(node: cst.Slice) -> str:
    lower, upper, step = (
        "" if bound is None else render(bound)
        for bound in (node.lower, node.upper, node.step)
    )
    return f"{lower}:{upper}" if node.step is None else f"{lower}:{upper}:{step}"


def _call(node: cst.Call) -> str:
    callee = node.func
    before = _space(node.whitespace_before_args)
    texts = [
        (
            arg.value.value
            if type(arg.value) is cst.Name
            and not (arg.star or arg.keyword or arg.value.lpar)
            else _arg(arg)
        )
        for arg in node.args
    ]
    args = _joined(node.args, texts)
    text = f"{_PRINTERS[type(callee)](callee)}({before}{args})"
    return _in_parentheses(node, text) if node.lpar else text


def _arg(node: cst.Arg) -> str:
    value = node.value
    text = _PRINTERS[type(value)](value)
    if node.keyword is not None:
        text = f"{node.keyword.value}={text}"
    return f"{node.star}{text}" if node.star else text


def _tuple(node: cst.Tuple) -> str:
    return _in_parentheses(node, _items(node.elements, lone_comma=True))


def _list(node: cst.List) -> str:
    text = f"[{_bracketed(node, _items(node.elements))}]"
    return _in_parentheses(node, text) if node.lpar else text


def _dict(node: cst.Dict) -> str:
    left, right = node.lbrace.whitespace_after, node.rbrace.whitespace_before
    text = f"{{{_space(left)}{_items(node.elements)}{_space(right)}}}"
    return _in_parentheses(node, text) if node.lpar else text


def _element(node: cst.Element) -> str:
    return render(node.value)


def _dict_element(node: cst.DictElement) -> str:
    return f"{render(node.key)}: {render(node.value)}"


_PRINTERS: dict[type, Callable[[Any], str]] = {
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
