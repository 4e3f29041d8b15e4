"""What a value may be, as far as the text says."""

from __future__ import annotations

import ast

from astgen.check.access import dotted
from astgen.lint.advice.facts import Facts, is_slot

__all__ = ["holds_nothing", "may_be_number"]

_NUMBERS = frozenset(
    {
        "dim",
        "element_size",
        "item",
        "ndimension",
        "nelement",
        "numel",
        "size",
        "storage_offset",
        "stride",
    }
)
"""Methods and functions that give a number, or a tuple of them."""


def holds_nothing(facts: Facts, node: ast.expr) -> bool:
    """Whether what an expression gives holds no memory of its own.

    Args:
        facts: The facts of the program.
        node: The expression that a name is bound to.

    Returns:
        True for literals, constants, and calls of inlined functions that return
        nothing.
    """
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Subscript):
        return is_slot(node, facts.dialect.consts)
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


def may_be_number(node: ast.expr) -> bool:
    """Whether an expression may give a number, which astgen leaves alone.

    Args:
        node: The expression that a name is bound to.

    Returns:
        False only where it is plain that it gives tensors, or holds them.
    """
    if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
        return False
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return True
    path = dotted(node.func) or ""
    name = node.func.attr
    if not path.startswith("torch."):
        return path.startswith("operator.") or name in _NUMBERS or name[:2] == "__"
    return any(part.startswith("sym_") or part in _NUMBERS for part in path.split("."))
