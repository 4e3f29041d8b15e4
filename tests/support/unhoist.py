"""The tree that is compiled, back to the tree that was checked."""

from __future__ import annotations

import ast
import copy

from astgen.check import Dialect, scan
from astgen.run.hoist import hoist

__all__ = ["equal", "hoisted", "lookups", "unhoisted"]

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def hoisted(text: str, dialect: Dialect) -> ast.Module:
    """What becomes of a text before it is compiled."""
    found = scan(text, dialect=dialect)
    if found.findings or found.tree is None:
        raise ValueError(f"the checker refuses it: {found.findings}")
    hoist(found.references)
    return found.tree


def unhoisted(tree: ast.Module) -> ast.Module:
    """Undo it: names that no text can spell are parsed."""

    class Undo(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            if node.id.isidentifier():
                return node
            parsed = ast.parse(node.id, mode="eval").body
            # The whole expression must stand where it stood in the text; where the
            # parts of it stood is nobody's business.
            for name in _PLACE:
                setattr(parsed, name, getattr(node, name))
            return parsed

    changed: ast.Module = Undo().visit(copy.deepcopy(tree))
    return changed


def lookups(tree: ast.AST, dialect: Dialect) -> list[str]:
    """Paths and slots that are still looked up inside functions."""
    roots = {"torch", "operator", dialect.consts, dialect.submods}
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Attribute, ast.Subscript))
        and isinstance(node.value, ast.Name)
        and node.value.id in roots
    ]


def equal(left: ast.AST, right: ast.AST) -> bool:
    """Whether two trees are the same, positions aside.

    Not by `ast.dump`: it prints numbers, and Python refuses to print very long ones.
    """
    return _shape(left) == _shape(right)


def _shape(tree: ast.AST) -> list[object]:
    shape: list[object] = []
    for node in ast.walk(tree):
        shape.append(type(node))
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                shape.append((name, [type(item) for item in value]))
            elif not isinstance(value, ast.AST):
                shape.append((name, type(value), value))
    return shape
