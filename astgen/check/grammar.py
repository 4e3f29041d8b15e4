"""Syntax tree against the grammar of the dialect: what has no place is a mismatch.

The first pass of the checker. It knows node types and fields, not names: whether
a path is listed or a name defined is asked by `astgen.check.scope`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from astgen.check.dialect import GRAMMAR, MAX_TREE_DEPTH

__all__ = ["Mismatch", "match"]

_LITERALS = (type(None), bool, int, float, str, bytes, type(...))
_IGNORED = frozenset({"ctx", "type_ignores"})


@dataclass(frozen=True)
class Mismatch:
    """A node, or a field of it, that the grammar has no place for.

    Attributes:
        node: The node to point at; scope must not look below it.
        place: The nonterminal that was expected there.
        what: What stands there instead, in words.
    """

    node: ast.AST
    place: str
    what: str


@dataclass(frozen=True)
class _Field:
    place: str
    many: bool
    least: int
    holes: bool


def match(tree: ast.Module) -> list[Mismatch]:
    """Compare a whole module with the grammar.

    Args:
        tree: What `ast.parse` made of the text.

    Returns:
        The mismatches in the order of the text; empty if every node has its place.
    """
    return list(_match(tree, "module", tree, 0))


def _alternatives(place: str) -> dict[str, dict[str, _Field]]:
    found: dict[str, dict[str, _Field]] = {}
    for kind, fields in GRAMMAR[place].items():
        if isinstance(fields, str):
            found.update(_alternatives(fields))
        else:
            found[kind] = {name: _field(spec) for name, spec in fields.items()}
    return found


def _field(spec: str) -> _Field:
    suffix = spec[-1] if spec[-1] in "?*+~" else ""
    return _Field(
        place=spec.removesuffix(suffix),
        many=suffix in ("*", "+", "~"),
        least=1 if suffix in ("", "+") else 0,
        holes=suffix == "~",
    )


_TABLE = {place: _alternatives(place) for place in GRAMMAR}


def _match(node: ast.AST, place: str, near: ast.AST, depth: int) -> Iterator[Mismatch]:
    kind = type(node).__name__
    fields = _TABLE[place].get(kind)
    at = node if hasattr(node, "lineno") else near
    if fields is None:
        yield Mismatch(at, place, kind)
        return
    if depth > MAX_TREE_DEPTH:
        yield Mismatch(at, "depth", f"nesting deeper than {MAX_TREE_DEPTH} levels")
        return
    for name, value in ast.iter_fields(node):
        field = fields.get(name)
        if field is None:
            if name not in _IGNORED and value not in (None, []):
                yield Mismatch(at, place, f"{kind}.{name}")
        elif field.place.startswith("@"):
            if not _fits(field.place, value):
                yield Mismatch(at, place, f"{kind} {_shown(value)}")
        else:
            yield from _children(field, value, at, depth)


def _children(
    field: _Field, value: object, near: ast.AST, depth: int
) -> Iterator[Mismatch]:
    values = value if isinstance(value, list) else [value]
    if value is None and not field.least:
        return
    if not field.many and len(values) > 1 or len(values) < field.least:
        yield Mismatch(near, field.place, f"{len(values)} items")
        return
    for child in values:
        if isinstance(child, ast.AST):
            yield from _match(child, field.place, near, depth + 1)
        elif not (child is None and field.holes):
            yield Mismatch(near, field.place, _shown(child))


def _fits(place: str, value: object) -> bool:
    if place == "@text":
        return type(value) is str
    if place == "@literal":
        return type(value) in _LITERALS
    if place == "@index":
        return type(value) is int
    return True


def _shown(value: object) -> str:
    if value is None:
        return "an unpacking"
    return type(value).__name__
