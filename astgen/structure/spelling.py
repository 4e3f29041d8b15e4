"""Statements as text, however long their integers are."""

from __future__ import annotations

import ast
import copy

__all__ = ["spelled"]

_BITS = 2000
"""Python refuses to write longer ones in decimal; it always takes more than these."""


def spelled(node: ast.AST) -> str:
    """The text of a node; integers that are too long for decimal are hexadecimal."""
    if any(_is_long(below) for below in ast.walk(node)):
        node = _Hexadecimal().visit(copy.deepcopy(node))
    return ast.unparse(node)


class _Hexadecimal(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        return (
            ast.Name(hex(value)) if isinstance(value, int) and _is_long(node) else node
        )


def _is_long(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int) and value.bit_length() > _BITS
