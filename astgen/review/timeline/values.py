"""What the values of a function are: from where they come, or else from the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from astgen.check.dialect import BUILTINS, Dialect
from astgen.lint.advice.facts import Body
from astgen.provenance.model import FunctionOrigins, Value
from astgen.review.timeline.lives import Life

__all__ = ["values_of"]

_MOST_TOGETHER = 1_000_000
"""How many storages are noted for what is put together, in one function: parts of
parts have those of all of them."""

_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Starred)


def values_of(
    dialect: Dialect, body: Body, found: list[Life], origins: FunctionOrigins
) -> Iterator[Value | None]:
    """Find what the values of a function are.

    Args:
        dialect: The names that have a meaning of their own.
        body: The facts of the function.
        found: Its values, in the order of the statements that bind them.
        origins: Where its parameters and statements come from.

    Yields:
        For each value what it is, None if that is not known.
    """
    now: dict[str, Value | None] = {}
    left = _MOST_TOGETHER
    for life in found:
        if life.first < 0:
            value = origins.parameters.get(life.name)
        else:
            origin = origins.statements[life.first]
            value = origin.value if origin is not None else None
            if value is None or life.first in body.parts:
                # A part is made for the same node as the statement that takes it.
                value = _together(body.node.body[life.first], dialect, now)
                left -= len(value.storages) if value is not None else 0
                value = value if left >= 0 else None
        now[life.name] = value
        yield value


def _together(
    node: ast.stmt, dialect: Dialect, now: Mapping[str, Value | None]
) -> Value | None:
    """What a statement puts together of values that are there."""
    storages: dict[int, None] = {}
    todo: list[ast.AST | None] = [node.value if isinstance(node, ast.Assign) else node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name):
            value = now.get(part.id)
            if value is None:
                return None
            storages.update(dict.fromkeys(value.storages))
        elif isinstance(part, _PLAIN):
            todo += [one for one in ast.iter_child_nodes(part) if _is_value(one)]
        elif isinstance(part, ast.Call) and _is_builtin(part.func):
            todo += part.args
        elif part is not None and not _is_outside(part, dialect):
            return None
    return Value("", tuple(storages))


def _is_value(node: ast.AST) -> bool:
    return isinstance(node, ast.expr)


def _is_builtin(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in BUILTINS


def _is_outside(node: ast.AST, dialect: Dialect) -> bool:
    """Whether an expression is a number, a constant, or a path: `torch.float32`."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id == dialect.consts
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in dialect.reserved
