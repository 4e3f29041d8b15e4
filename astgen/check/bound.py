"""What a part of a tree would bind, of whatever kind it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["bound_names"]


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that anything below a node would bind, or was meant to."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Store):
                yield child.id
        elif isinstance(child, ast.alias):
            yield child.asname or child.name.partition(".")[0]
        elif isinstance(child, ast.ImportFrom):
            yield (child.module or "").partition(".")[0]
        else:
            for name in (getattr(child, "name", None), getattr(child, "rest", None)):
                if isinstance(name, str):
                    yield name
