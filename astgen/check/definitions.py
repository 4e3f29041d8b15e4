"""Function definitions: their names, their places, their parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from operator import attrgetter

from astgen.check.report import shown
from astgen.check.rules.namespace import DUPLICATE_DEFINITION, RESERVED_SHADOWED
from astgen.check.rules.pieces import ENTRY_SIGNATURE
from astgen.check.scope import Scope

__all__ = ["Definitions", "bind_parameters", "missing_entry", "result_size"]

_NAME = attrgetter("arg")


class Definitions:
    """The functions of a text, to judge each by its name and place.

    Attributes:
        nodes: All of them, in order.
        has_entry: Whether one of them has the name of the entry.
    """

    def __init__(self, scope: Scope, nodes: Sequence[ast.FunctionDef]) -> None:
        self.scope = scope
        self.nodes = nodes
        self.has_entry = any(node.name == scope.dialect.entry for node in nodes)
        self.above: dict[str, ast.FunctionDef] = {}
        self.structures: dict[str, tuple[object, ...]] = {}

    def is_entry(self, node: ast.FunctionDef) -> bool:
        """Whether a function is the entry, or stands where it should be."""
        dialect = self.scope.dialect
        misnamed = not self.has_entry and not dialect.is_inlined(node.name)
        return node.name == dialect.entry or misnamed and node is self.nodes[-1]

    def is_copy(self, node: ast.FunctionDef) -> bool:
        """Whether a function repeats the first of its name, position aside."""
        # Each is taken apart once, however many copies follow.
        if node.name not in self.structures:
            self.structures[node.name] = _structure(self.above[node.name])
        return self.structures[node.name] == _structure(node)

    def place(self, node: ast.FunctionDef) -> None:
        """Report what is wrong with the name and the place of a function."""
        dialect, name = self.scope.dialect, node.name
        quoted, entry = shown(name), shown(dialect.entry)
        report = self.scope.report
        if name in self.above:
            if name == dialect.entry or not self.is_copy(node):
                hint = "each function is defined once"
                message = f"function {quoted} is defined twice"
                report(DUPLICATE_DEFINITION, node, message, hint)
                self.scope.excused.add(name)
        elif name == dialect.entry:
            if self.nodes[-1].name != name:
                hint = "the entry function comes last"
                report(ENTRY_SIGNATURE, node, f"functions follow {quoted}", hint)
                self.scope.excused.update(other.name for other in self.nodes)
        elif not dialect.is_inlined(name):
            self.scope.excused.add(name)
            hint = f"functions are called {entry} or {shown(dialect.inlined)}N"
            if dialect.is_reserved(name):
                report(RESERVED_SHADOWED, node, f"{quoted} is reserved", hint)
            elif self.is_entry(node):
                message = f"the last function is called {quoted}, not {entry}"
                report(ENTRY_SIGNATURE, node, message, hint)
            else:
                message = f"{quoted} is no name for a function"
                report(ENTRY_SIGNATURE, node, message, hint)
        self.above.setdefault(name, node)


def missing_entry(scope: Scope, tree: ast.Module, found: Definitions) -> None:
    """Report that there is no entry, unless something stands in its place."""
    last = found.nodes[-1] if found.nodes else None
    if found.has_entry or scope.dialect.entry in scope.excused:
        return
    if last is None or scope.dialect.is_inlined(last.name):
        hint = "the entry function comes last; the text may be cut short"
        message = f"there is no function {shown(scope.dialect.entry)}"
        scope.report(ENTRY_SIGNATURE, last or tree, message, hint)


def bind_parameters(scope: Scope, node: ast.FunctionDef, is_entry: bool) -> bool:
    """Bind the parameters of a function and report what is wrong with them.

    Returns:
        Whether its callers give the list of pieces as the last argument.
    """
    spec, name = node.args, scope.dialect.submods
    positional = [*spec.posonlyargs, *spec.args]
    stars = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
    parameters = [*positional, *spec.kwonlyargs, *stars]
    names = [*map(_NAME, parameters)]
    pieces = [parameters[place] for place, one in enumerate(names) if one == name]
    if is_entry:
        right = spec.kwonlyargs[-1:] if spec.kw_defaults[-1:] == [None] else []
        if pieces != right or not pieces:
            hint = "it is keyword-only and has no default; the pieces are given to it"
            message = f"the last parameter of {shown(node.name)} is not {shown(name)}"
            scope.report(ENTRY_SIGNATURE, pieces[0] if pieces else node, message, hint)
        right = pieces
    else:
        last_is_plain = not spec.defaults and spec.vararg is None
        right = [arg for arg in positional[-1:] if arg.arg == name and last_is_plain]
    scope.has_submods = bool(right) or is_entry
    if right:
        parameters = [arg for arg in parameters if arg not in right]
        names = [*map(_NAME, parameters)]
    _bind_each(scope, parameters, names)
    return bool(right) and not is_entry


def result_size(scope: Scope, node: ast.FunctionDef) -> int | None:
    """How many items a function returns, None if that is not plain to see."""
    last = node.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    return None if value is None else scope.size(value)


def _bind_each(
    scope: Scope, parameters: Sequence[ast.arg], names: Sequence[str]
) -> None:
    different = {*names}
    if len(different) == len(parameters) and scope.bind_all(different):
        return
    seen: set[str] = set()
    for arg in parameters:
        if arg.arg in seen:
            hint = "each parameter has a name of its own"
            message = f"parameter {shown(arg.arg)} stands twice"
            scope.report(DUPLICATE_DEFINITION, arg, message, hint)
        else:
            scope.bind(arg.arg, arg)
        seen.add(arg.arg)


def _structure(node: ast.FunctionDef) -> tuple[object, ...]:
    """A function without positions; equal for copies and for nothing else."""
    return tuple(item for part in ast.walk(node) for item in _shape(part))


def _shape(node: ast.AST) -> list[object]:
    """A node without what is below it; the type tells True from 1."""
    shape: list[object] = [type(node)]
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            shape.append((name, [type(item) for item in value]))
        elif not isinstance(value, ast.AST):
            shape.append((name, type(value), value))
    return shape
