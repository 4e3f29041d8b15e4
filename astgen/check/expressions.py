"""Expressions: every node of one is looked at, in a list instead of by recursion."""

from __future__ import annotations

import ast

from astgen.check.access import attribute, dotted, subscript
from astgen.check.calls import call
from astgen.check.report import shown
from astgen.check.rules.syntax import CALL_TARGET
from astgen.check.scope import Scope

__all__ = ["default", "expression"]


def expression(scope: Scope, root: ast.expr) -> None:
    """Look at an expression and report what is wrong with it.

    Args:
        scope: The names at this point. The order of evaluation does not matter,
            because nothing that the grammar lets through binds a name inside.
        root: The expression.
    """
    todo: list[ast.AST] = [root]
    while todo:
        node = todo.pop()
        if id(node) in scope.refused:
            scope.forgive(node)
        elif isinstance(node, ast.Name):
            scope.read(node)
        elif isinstance(node, ast.Call):
            todo += call(scope, node)
        else:
            todo += _below(scope, node)


def default(scope: Scope, root: ast.expr) -> None:
    """Look at the default of a parameter, where nothing is called.

    A default is computed when the program is loaded, before anybody calls it.

    Args:
        scope: The names of the module: a default is computed outside the function.
        root: The default.
    """
    todo: list[ast.AST] = [root]
    while todo:
        node = todo.pop()
        if id(node) in scope.refused:
            continue
        if not isinstance(node, ast.Call):
            todo += _below(scope, node)
            continue
        todo += node.args
        callee = dotted(node.func)
        what = shown(callee) if callee else "something"
        hint = "defaults are literals, slots, paths and containers of these"
        message = f"{what} is called in the default of a parameter"
        scope.report(CALL_TARGET, node.func, message, hint)


def _below(scope: Scope, node: ast.AST) -> list[ast.AST]:
    """Look at a node that is no call; the nodes that are still to be looked at."""
    if isinstance(node, ast.Name):
        scope.read(node)
        return []
    if isinstance(node, ast.Constant):
        return []
    if isinstance(node, ast.Subscript):
        return [*subscript(scope, node, called=False)]
    if isinstance(node, ast.Attribute):
        return [*attribute(scope, node, called=False)]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [*node.elts]
    return [*ast.iter_child_nodes(node)]
