# mypy: no-warn-return-any
"""libcst nodes without the price of their constructors; whitespace is shared.

Every function gives what the public constructor gives for the same fields, which
the tests hold, its own look for mistakes included. Callers give legal texts:
identifiers come from `astgen.emit.names`, literals from `astgen.emit.literals`.
Nodes of which a program has few are made by their constructors, elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import libcst as cst

from astgen.emit.unfrozen import unfrozen

__all__ = [
    "argument",
    "assign",
    "attribute",
    "call",
    "delete",
    "element",
    "expression",
    "index",
    "integer",
    "line",
    "list_of",
    "name",
    "parameter",
    "string",
    "subscript",
    "subscript_element",
    "tuple_of",
]

Whitespace = cst.BaseParenthesizableWhitespace
Comma = cst.Comma | cst.MaybeSentinel

_DEFAULT: Final = cst.MaybeSentinel.DEFAULT
_TIGHT: Final = cst.SimpleWhitespace("")
_WIDE: Final = cst.SimpleWhitespace(" ")
_END_OF_LINE: Final = cst.TrailingWhitespace(whitespace=_TIGHT)
_DOT: Final = cst.Dot(whitespace_before=_TIGHT, whitespace_after=_TIGHT)
_EQUAL: Final = cst.AssignEqual(whitespace_before=_TIGHT, whitespace_after=_TIGHT)
_LEFT_SQUARE: Final = cst.LeftSquareBracket(whitespace_after=_TIGHT)
_RIGHT_SQUARE: Final = cst.RightSquareBracket(whitespace_before=_TIGHT)
_LEFT: Final = (cst.LeftParen(whitespace_after=_TIGHT),)
_RIGHT: Final = (cst.RightParen(whitespace_before=_TIGHT),)

_Arg = unfrozen(
    cst.Arg,
    "value keyword equal comma star whitespace_after_star whitespace_after_arg",
)
_Assign = unfrozen(cst.Assign, "targets value semicolon")
_AssignTarget = unfrozen(
    cst.AssignTarget, "target whitespace_before_equal whitespace_after_equal"
)
_Attribute = unfrozen(cst.Attribute, "value attr dot lpar rpar")
_Call = unfrozen(
    cst.Call, "func args lpar rpar whitespace_after_func whitespace_before_args"
)
_Del = unfrozen(cst.Del, "target whitespace_after_del semicolon")
_Element = unfrozen(cst.Element, "value comma")
_Expr = unfrozen(cst.Expr, "value semicolon")
_Index = unfrozen(cst.Index, "value star whitespace_after_star")
_Integer = unfrozen(cst.Integer, "value lpar rpar")
_Line = unfrozen(cst.SimpleStatementLine, "body leading_lines trailing_whitespace")
_List = unfrozen(cst.List, "elements lbracket rbracket lpar rpar")
_Name = unfrozen(cst.Name, "value lpar rpar")
_Param = unfrozen(
    cst.Param,
    "name annotation equal default comma star whitespace_after_star "
    "whitespace_after_param",
)
_String = unfrozen(cst.SimpleString, "value lpar rpar")
_Subscript = unfrozen(
    cst.Subscript, "value slice lbracket rbracket lpar rpar whitespace_after_value"
)
_SubscriptElement = unfrozen(cst.SubscriptElement, "slice comma")
_Tuple = unfrozen(cst.Tuple, "elements lpar rpar")


def name(text: str) -> cst.Name:
    """An identifier."""
    made = _Name()
    made.value = text
    made.lpar = made.rpar = ()
    made.__class__ = cst.Name
    return made


def integer(text: str) -> cst.Integer:
    """An integer without a sign."""
    made = _Integer()
    made.value = text
    made.lpar = made.rpar = ()
    made.__class__ = cst.Integer
    return made


def string(text: str) -> cst.SimpleString:
    """A string or bytes literal with its quotes."""
    made = _String()
    made.value = text
    made.lpar = made.rpar = ()
    made.__class__ = cst.SimpleString
    return made


def attribute(value: cst.BaseExpression, attr: cst.Name) -> cst.Attribute:
    """`value.attr`."""
    made = _Attribute()
    made.value = value
    made.attr = attr
    made.dot = _DOT
    made.lpar = made.rpar = ()
    made.__class__ = cst.Attribute
    return made


def index(value: cst.BaseExpression) -> cst.Index:
    """What stands between brackets, if it is no slice."""
    made = _Index()
    made.value = value
    made.star = made.whitespace_after_star = None
    made.__class__ = cst.Index
    return made


def subscript_element(
    what: cst.BaseSlice, comma: Comma = _DEFAULT
) -> cst.SubscriptElement:
    """One of the items between brackets."""
    made = _SubscriptElement()
    made.slice = what
    made.comma = comma
    made.__class__ = cst.SubscriptElement
    return made


def subscript(
    value: cst.BaseExpression,
    items: Sequence[cst.SubscriptElement],
    left: cst.LeftSquareBracket = _LEFT_SQUARE,
    right: cst.RightSquareBracket = _RIGHT_SQUARE,
) -> cst.Subscript:
    """`value[items]`."""
    made = _Subscript()
    made.value = value
    made.slice = items
    made.lbracket = left
    made.rbracket = right
    made.lpar = made.rpar = ()
    made.whitespace_after_value = _TIGHT
    made.__class__ = cst.Subscript
    return made


def argument(
    value: cst.BaseExpression,
    keyword: cst.Name | None = None,
    star: str = "",
    comma: Comma = _DEFAULT,
) -> cst.Arg:
    """An argument of a call, with `keyword=` or stars before it."""
    made = _Arg()
    made.value = value
    made.keyword = keyword
    made.equal = _DEFAULT if keyword is None else _EQUAL
    made.comma = comma
    made.star = star
    made.whitespace_after_star = made.whitespace_after_arg = _TIGHT
    made.__class__ = cst.Arg
    return made


def call(
    callee: cst.BaseExpression, args: Sequence[cst.Arg], before: Whitespace = _TIGHT
) -> cst.Call:
    """`callee(args)`, with whitespace behind the bracket."""
    made = _Call()
    made.func = callee
    made.args = args
    made.lpar = made.rpar = ()
    made.whitespace_after_func = _TIGHT
    made.whitespace_before_args = before
    made.__class__ = cst.Call
    return made


def element(value: cst.BaseExpression, comma: Comma = _DEFAULT) -> cst.Element:
    """An item of a list or tuple."""
    made = _Element()
    made.value = value
    made.comma = comma
    made.__class__ = cst.Element
    return made


def tuple_of(
    elements: Sequence[cst.Element],
    left: Sequence[cst.LeftParen] = _LEFT,
    right: Sequence[cst.RightParen] = _RIGHT,
) -> cst.Tuple:
    """A tuple, in parentheses if none are given."""
    made = _Tuple()
    made.elements = elements
    made.lpar = left
    made.rpar = right
    made.__class__ = cst.Tuple
    return made


def list_of(
    elements: Sequence[cst.Element], left: cst.LeftSquareBracket = _LEFT_SQUARE
) -> cst.List:
    """A list display."""
    made = _List()
    made.elements = elements
    made.lbracket = left
    made.rbracket = _RIGHT_SQUARE
    made.lpar = made.rpar = ()
    made.__class__ = cst.List
    return made


def parameter(called: cst.Name, comma: Comma = _DEFAULT) -> cst.Param:
    """A parameter without a default."""
    made = _Param()
    made.name = called
    made.annotation = made.default = None
    made.equal = made.star = _DEFAULT
    made.comma = comma
    made.whitespace_after_star = made.whitespace_after_param = _TIGHT
    made.__class__ = cst.Param
    return made


def assign(
    target: cst.BaseAssignTargetExpression, value: cst.BaseExpression
) -> cst.Assign:
    """`target = value`."""
    to = _AssignTarget()
    to.target = target
    to.whitespace_before_equal = to.whitespace_after_equal = _WIDE
    to.__class__ = cst.AssignTarget
    made = _Assign()
    made.targets = (to,)
    made.value = value
    made.semicolon = _DEFAULT
    made.__class__ = cst.Assign
    return made


def expression(value: cst.BaseExpression) -> cst.Expr:
    """An expression as a statement."""
    made = _Expr()
    made.value = value
    made.semicolon = _DEFAULT
    made.__class__ = cst.Expr
    return made


def delete(target: cst.BaseDelTargetExpression) -> cst.Del:
    """`del target`."""
    made = _Del()
    made.target = target
    made.whitespace_after_del = _WIDE
    made.semicolon = _DEFAULT
    made.__class__ = cst.Del
    return made


def line(small: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    """A line with one small statement."""
    made = _Line()
    made.body = (small,)
    made.leading_lines = ()
    made.trailing_whitespace = _END_OF_LINE
    made.__class__ = cst.SimpleStatementLine
    return made
