"""The ordered walk over a program: imports, then functions, each line by line.

Bodies are straight lines, so one look at each statement in order knows exactly
which names are bound at any point. Nearly all statements are plain
(`astgen.check.plain`); the others are compared with the grammar, node by node, and
then asked for their names.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from astgen.check.bound import bound_names
from astgen.check.definitions import (
    Definitions,
    bind_parameters,
    missing_entry,
    result_size,
)
from astgen.check.dialect import MODULES, Dialect
from astgen.check.expressions import default, expression
from astgen.check.grammar import Mismatch, match_frame, match_statement
from astgen.check.plain import plain
from astgen.check.report import Problem, shown
from astgen.check.rules.namespace import FORBIDDEN_IMPORT
from astgen.check.rules.syntax import RETURN_PLACE
from astgen.check.scope import Function, Reference, Scope
from astgen.check.signature import signature_of

__all__ = ["Walk", "walk"]


@dataclass(frozen=True)
class Walk:
    """What the walk found.

    Attributes:
        mismatches: Nodes that have no place in the grammar, in no particular order.
        problems: What is wrong with names, in no particular order.
        paths: The listed paths from `torch` or `operator` that are named.
        pieces: The slots of pieces that are called.
        references: Where paths and slots are named.
    """

    mismatches: list[Mismatch]
    problems: list[Problem]
    paths: frozenset[str]
    pieces: frozenset[int]
    references: list[Reference]


def walk(
    tree: ast.Module, *, consts: int | None, submods: int | None, dialect: Dialect
) -> Walk:
    """Compare a program with the grammar, and follow the names through it.

    Args:
        tree: The parsed program.
        consts: Number of constant slots, None if unknown.
        submods: Number of piece slots, None if unknown.
        dialect: The names that the program may use.

    Returns:
        The problems, and what the program needs from outside.
    """
    scope = Scope(dialect, consts, submods)
    mismatches = match_frame(tree)
    scope.refused.update(id(mismatch.node) for mismatch in mismatches)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    scope.all_functions = frozenset(node.name for node in functions)
    definitions = Definitions(scope, functions)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            mismatches += _function(scope, definitions, node)
        elif isinstance(node, ast.Import):
            _import(scope, node, late=bool(definitions.above))
        else:
            scope.excused.update(bound_names(node))
    missing_entry(scope, tree, definitions)
    return Walk(
        mismatches,
        scope.problems,
        frozenset(scope.paths),
        frozenset(scope.pieces),
        scope.references,
    )


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


def _function(
    scope: Scope, definitions: Definitions, node: ast.FunctionDef
) -> list[Mismatch]:
    """Look at a function; what in its statements has no place in the grammar."""
    mismatches: list[Mismatch] = []
    definitions.place(node)
    scope.enter([])
    for value in (*node.args.defaults, *node.args.kw_defaults):
        if value is not None:
            default(scope, value)
    scope.enter(node.body)
    takes_submods = bind_parameters(scope, node, definitions.is_entry(node))
    position, count = 0, len(node.body)
    returns: list[ast.Return] = []
    while position < count:
        # Plain ones are passed over as long as nothing was reported.
        position = plain(scope, node.body, position) if scope.is_clean else position
        if position < count:
            statement = node.body[position]
            mismatches += _statement(scope, statement)
            position += 1
            if isinstance(statement, ast.Return):
                returns.append(statement)
    _returns(scope, node, returns)
    if scope.dialect.is_inlined(node.name):
        signature = signature_of(node.args, takes_submods)
        function = Function(node, signature, result_size(scope, node))
        scope.functions.setdefault(node.name, function)
    return mismatches


def _statement(scope: Scope, node: ast.stmt) -> list[Mismatch]:
    """Look at every node of a statement; those that have no place in the grammar."""
    mismatches = match_statement(node)
    scope.refused.update(id(mismatch.node) for mismatch in mismatches)
    if id(node) in scope.refused:
        scope.forgive(node)
    else:
        _names(scope, node)
    return mismatches


def _names(scope: Scope, node: ast.stmt) -> None:
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


def _returns(
    scope: Scope, node: ast.FunctionDef, returns: Sequence[ast.Return]
) -> None:
    """A function ends with its only return; refused statements may hold others."""
    for line in returns:
        if line is not node.body[-1]:
            hint = "return comes last"
            scope.report(RETURN_PLACE, line, "statements follow this return", hint)
    if not returns and not any(id(line) in scope.refused for line in node.body):
        hint = "the last line is lost; a function without result returns None"
        message = f"function {shown(node.name)} has no return"
        scope.report(RETURN_PLACE, node, message, hint)
