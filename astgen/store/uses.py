"""Where a text uses its constants: which node, and which argument of it.

The names of locals are those of the graph's nodes, as far as these are legal and
unique, so errors about a constant can say where in the graph it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from astgen.check import Dialect, scan
from astgen.structure.spelling import spelled

__all__ = ["Use", "uses_in", "uses_of"]

_ROOTS = ("torch", "operator")


@dataclass(frozen=True)
class Use:
    """The first place where a text uses a constant.

    Attributes:
        node: The name of the node; `output` for what the function returns, and the
            line for a node whose value has no name. With the function it is in, if
            that is not the entry.
        argument: The argument as in the graph (`args[1]`, `kwargs['v'][0]`), `target`
            for what is called; empty if it is the whole value.
    """

    node: str
    argument: str

    def __str__(self) -> str:
        return f"{self.node}, {self.argument}" if self.argument else self.node


def uses_in(code: str, dialect: Dialect) -> dict[int, Use]:
    """The first use of each constant in a text; none if the checker refuses it."""
    scanned = scan(code, dialect=dialect)
    if scanned.tree is None or scanned.findings:
        return {}
    return uses_of(scanned.tree, dialect)


def uses_of(tree: ast.Module, dialect: Dialect) -> dict[int, Use]:
    """The first use of each constant.

    Args:
        tree: The text, parsed and checked.
        dialect: The names of the text.

    Returns:
        The uses by slot; without those slots that the text does not read.
    """
    found: dict[int, Use] = {}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        inside = "" if function.name == dialect.entry else f" in {function.name}"
        for statement in function.body:
            value = getattr(statement, "value", None)
            if isinstance(value, ast.expr):
                name = _node(statement) + inside
                for slot, argument in _slots(value, "", dialect.consts):
                    found.setdefault(slot, Use(name, argument))
    return found


def _node(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.Return():
            return "output"
    return f"line {statement.lineno}"


def _slots(value: ast.expr, place: str, consts: str) -> Iterator[tuple[int, str]]:
    match value:
        case ast.Subscript(ast.Name(id=name), ast.Constant(value=int() as slot)) if (
            name == consts
        ):
            yield slot, place
        case ast.Call():
            yield from _called(value, place, consts)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            for index, item in enumerate(items):
                yield from _slots(item, f"{place}[{index}]", consts)
        case ast.Dict(keys=keys, values=items):
            for key, item in zip(keys, items):
                if key is not None:
                    yield from _slots(key, place, consts)
                step = f"[{spelled(key)}]" if key is not None else ""
                yield from _slots(item, place + step, consts)
        case _:
            for part in ast.iter_child_nodes(value):
                if isinstance(part, ast.expr):
                    yield from _slots(part, place, consts)


def _called(call: ast.Call, place: str, consts: str) -> Iterator[tuple[int, str]]:
    # What a node calls is its target; a call inside makes an argument.
    first = 0
    if place:
        yield from _slots(call.func, place, consts)
    elif isinstance(call.func, ast.Attribute) and not _is_path(call.func):
        first = 1
        yield from _slots(call.func.value, "args[0]", consts)
    else:
        yield from _slots(call.func, "target", consts)
    for index, item in enumerate(call.args, first):
        step = place if place else f"args[{index}]"
        yield from _slots(item, step, consts)
    for keyword in call.keywords:
        step = place if place else f"kwargs[{keyword.arg!r}]"
        yield from _slots(keyword.value, step, consts)


def _is_path(value: ast.expr) -> bool:
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id in _ROOTS
