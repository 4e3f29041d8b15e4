"""One call against one schema: do the arguments fit, as far as the text shows?

`astgen.lint.operators` looks the schemas up and asks here; nothing here imports
torch. Only what PyTorch is sure to refuse counts: names, calls and slots may hold
anything, and where PyTorch converts literals, so does this.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from astgen.check.report import shown

__all__ = ["Fault", "fault"]

Fault = tuple[ast.AST, str]
"""Where arguments do not fit, and how."""

_TEXT = (str, bytes)
_NUMBERS = (bool, int, float)
_TAKEN: Mapping[str, tuple[type, ...]] = {
    "TensorType": (type(None), *_NUMBERS),
    "IntType": (bool, int),
    "SymIntType": (bool, int),
    "FloatType": _NUMBERS,
    "SymFloatType": _NUMBERS,
    "NumberType": _NUMBERS,
    "BoolType": (type(None), *_NUMBERS),
    "SymBoolType": (type(None), *_NUMBERS),
    "StringType": _TEXT,
    "DeviceObjType": _TEXT,
}
"""Kinds of types whose conversions are known, and the literals that they take."""


def fault(call: ast.Call, schema: Any) -> Fault | None:
    """The first thing that makes PyTorch refuse a call.

    Args:
        call: The call.
        schema: The `torch.FunctionSchema` of what is called.

    Returns:
        The node to point at and what is wrong, None if nothing is seen.
    """
    arguments: Sequence[Any] = schema.arguments
    plain = [argument for argument in arguments if not argument.kwarg_only]
    starred = any(isinstance(value, ast.Starred) for value in call.args)
    if not starred and len(call.args) > len(plain):
        extra = call.args[len(plain)]
        most = len(plain)
        return extra, f"it takes {most} positional arguments, {len(call.args)} given"
    given: dict[str, ast.expr] = {}
    if not starred:
        given = {one.name: value for one, value in zip(plain, call.args)}
    known = {argument.name for argument in arguments}
    for name, value, where in _named(call):
        if name in given:
            return where, f"argument {shown(name)} is given twice"
        if name not in known:
            return where, f"it has no argument {shown(name)}"
        given[name] = value
    for argument in arguments:
        here = given.get(argument.name)
        if here is not None:
            wrong = _misfit(here, argument.type, argument.N)
            if wrong is not None:
                what = f"argument {shown(argument.name)} is {wrong}"
                return here, f"{what}, not {argument.type}"
        elif not starred and not argument.has_default_value():
            return call.func, f"argument {shown(argument.name)} is missing"
    return None


def _named(call: ast.Call) -> Iterator[tuple[str, ast.expr, ast.AST]]:
    """The arguments with a name: the name, the value, and where the name stands."""
    for keyword in call.keywords:
        if keyword.arg is not None:
            where = ast.copy_location(ast.Name(keyword.arg), keyword)
            where.end_lineno = keyword.lineno
            where.end_col_offset = keyword.col_offset + len(keyword.arg.encode())
            yield keyword.arg, keyword.value, where
        elif isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value, key


def _misfit(root: ast.expr, kind: Any, length: int | None) -> str | None:
    """What a value is that a type does not take; None if it may fit."""
    todo: list[tuple[ast.expr, Any, int | None]] = [(root, kind, length)]
    while todo:
        node, kind, length = todo.pop()
        optional = kind.kind() == "OptionalType"
        if optional:
            kind = kind.getElementType()
            if isinstance(node, ast.Constant) and node.value is None:
                continue
        name = kind.kind()
        if name == "ListType" and isinstance(node, (ast.Tuple, ast.List)):
            todo += [(item, kind.getElementType(), None) for item in node.elts]
        elif name == "ListType" and length is not None:
            # A list of fixed length is made of one number, too.
            todo.append((node, kind.getElementType(), None))
        elif name in _TAKEN or name == "ListType":
            wrong = _literal(node, _TAKEN.get(name, ()))
            if wrong is not None:
                return wrong
    return None


def _literal(node: ast.expr, taken: tuple[type, ...]) -> str | None:
    """What a literal is that is none of some types; None for what is no literal."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if isinstance(node, ast.Constant):
        kind = type(node.value)
        if kind in taken:
            return None
        return "None" if node.value is None else f"of type {kind.__name__}"
    kinds = {ast.Tuple: "a tuple", ast.List: "a list", ast.Dict: "a dict"}
    return kinds.get(type(node))
