"""The shape of a function: equal for functions that differ in names of locals only."""

from __future__ import annotations

import ast

from astgen.lint.advice.facts import Body

__all__ = ["shape_of"]

_SKIPPED = frozenset({"ctx", "type_comment", "type_params", "returns", "annotation"})


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(name for name in reversed(kind._fields) if name not in _SKIPPED)


_FIELDS: dict[type, tuple[str, ...]] = {
    kind: _fields(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def shape_of(body: Body) -> tuple[object, ...]:
    """The shape of an inlined function.

    Args:
        body: The function.

    Returns:
        Its tree as one flat tuple. Parameters and locals are numbered in the order in
        which they are met; the names of keyword-only parameters stay, since callers
        use them. What the function is called is left out.
    """
    spec = body.node.args
    numbers = {name: index for index, name in enumerate(body.parameters)}
    for name in body.bound:
        numbers[name] = len(numbers)
    shape: list[object] = [arg.arg for arg in spec.kwonlyargs]
    todo: list[object] = [body.node.body, spec]
    while todo:
        node = todo.pop()
        kind = type(node)
        if kind is ast.Name:
            # A name that is not of the function means the same in all of them.
            name = node.id  # type: ignore[attr-defined]
            shape.append(numbers.get(name, name))
        elif isinstance(node, list):
            shape.append(len(node))
            todo += node
        elif kind is ast.arg:
            shape.append(kind)
        elif isinstance(node, ast.Constant):
            value = node.value
            # 0.0 equals -0.0, and 1 equals True.
            shape.append(type(value))
            shape.append(value.hex() if isinstance(value, float) else value)
        elif kind in _FIELDS:
            shape.append(kind)
            todo += [getattr(node, name, None) for name in _FIELDS[kind]]
        else:
            shape.append(node)
    return tuple(shape)
