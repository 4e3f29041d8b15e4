"""What a value may be, as far as the text says."""

from __future__ import annotations

import ast

from astgen.lint.advice.facts import Facts, is_slot

__all__ = ["holds_nothing", "is_constant"]


def is_constant(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a literal, or a constant of the program.

    Args:
        facts: The facts of the program.
        node: The expression that a name is bound to.

    Returns:
        True if it is.
    """
    return isinstance(node, ast.Constant) or is_slot(node, facts.dialect.consts)


def holds_nothing(facts: Facts, node: ast.expr) -> bool:
    """Whether what an expression gives holds no memory of its own.

    Args:
        facts: The facts of the program.
        node: The expression that a name is bound to.

    Returns:
        True for literals, constants, and calls of inlined functions that return
        nothing.
    """
    if is_constant(facts, node):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    callee = facts.functions.get(node.func.id)
    if callee is None:
        return False
    last = callee.node.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return True
    if isinstance(last.value, ast.Tuple):
        return not last.value.elts
    return isinstance(last.value, ast.Constant)
