"""The ordered walk over a program: imports, then functions, each line by line.

The second pass of the checker. Bodies are straight lines, so one look at each
statement in order knows exactly which names are bound at any point.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from astgen.check.definitions import (
    Definitions,
    bind_parameters,
    missing_entry,
    result_size,
)
from astgen.check.dialect import MODULES, Dialect
from astgen.check.expressions import default, expression
from astgen.check.report import Problem, shown
from astgen.check.rules.namespace import FORBIDDEN_IMPORT
from astgen.check.rules.syntax import RETURN_PLACE
from astgen.check.scope import Function, Scope, bound_names

__all__ = ["Names", "walk"]


@dataclass(frozen=True)
class Names:
    """What the walk found.

    Attributes:
        problems: In no particular order.
        paths: The listed paths from `torch` or `operator` that are named.
        pieces: The slots of pieces that are called.
    """

    problems: list[Problem]
    paths: frozenset[str]
    pieces: frozenset[int]


def walk(
    tree: ast.Module,
    *,
    refused: frozenset[int],
    consts: int | None,
    submods: int | None,
    dialect: Dialect,
) -> Names:
    """Follow the names through a program.

    Args:
        tree: The parsed program.
        refused: `id`s of nodes that the grammar refused; nothing below is read.
        consts: Number of constant slots, None if unknown.
        submods: Number of piece slots, None if unknown.
        dialect: The names that the program may use.

    Returns:
        The problems, and what the program needs from outside.
    """
    scope = Scope(dialect, refused, consts, submods)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    scope.all_functions = frozenset(node.name for node in functions)
    definitions = Definitions(scope, functions)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _function(scope, definitions, node)
        elif isinstance(node, ast.Import):
            _import(scope, node, late=bool(definitions.above))
        else:
            scope.excused.update(bound_names(node))
    missing_entry(scope, tree, definitions)
    return Names(scope.problems, frozenset(scope.paths), frozenset(scope.pieces))


def _import(scope: Scope, node: ast.Import, late: bool) -> None:
    if late:
        names = ", ".join(alias.name for alias in node.names)
        message = f"the import of {shown(names)} stands after a function"
        scope.report(FORBIDDEN_IMPORT, node, message, "imports come first")
    for alias in node.names:
        is_module = alias.name in MODULES
        if is_module:
            scope.imported.add(alias.name)
        if alias.asname or not is_module:
            # The import is one finding; the uses of what it binds are none.
            scope.excused.add(alias.asname or alias.name.partition(".")[0])
        if not (is_module or late or id(alias) in scope.refused):
            hint = f"only {' and '.join(MODULES)} are imported"
            message = f"the import of {shown(alias.name)} is not allowed"
            scope.report(FORBIDDEN_IMPORT, alias, message, hint)


def _function(scope: Scope, definitions: Definitions, node: ast.FunctionDef) -> None:
    definitions.place(node)
    scope.enter([])
    for value in (*node.args.defaults, *node.args.kw_defaults):
        if value is not None:
            default(scope, value)
    scope.enter(node.body)
    signature = bind_parameters(scope, node, definitions.is_entry(node))
    for statement in node.body:
        if id(statement) in scope.refused:
            scope.forgive(statement)
        else:
            _statement(scope, statement)
    _returns(scope, node)
    if scope.dialect.is_inlined(node.name):
        function = Function(node, signature, result_size(scope, node))
        scope.functions.setdefault(node.name, function)


def _statement(scope: Scope, node: ast.stmt) -> None:
    if isinstance(node, ast.Assign):
        expression(scope, node.value)
        for target in node.targets:
            _assign(scope, target, node.value)
    elif isinstance(node, (ast.Expr, ast.Return)):
        if node.value is not None:
            expression(scope, node.value)
    elif isinstance(node, ast.Delete):
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                if isinstance(name, ast.Name):
                    scope.delete(name)


def _assign(scope: Scope, target: ast.expr, value: ast.expr) -> None:
    if not isinstance(target, ast.Name):
        scope.forgive(target)
        return
    size = scope.size(value)
    scope.bind(target.id, target)
    if size is not None:
        scope.sizes[target.id] = size


def _returns(scope: Scope, node: ast.FunctionDef) -> None:
    """A function ends with its only return; refused statements may hold others."""
    returns = [line for line in node.body if isinstance(line, ast.Return)]
    for line in returns:
        if line is not node.body[-1]:
            hint = "return comes last"
            scope.report(RETURN_PLACE, line, "statements follow this return", hint)
    if not returns and not any(id(line) in scope.refused for line in node.body):
        hint = "the last line is lost; a function without result returns None"
        message = f"function {shown(node.name)} has no return"
        scope.report(RETURN_PLACE, node, message, hint)
