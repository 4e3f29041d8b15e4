"""Syntax tree against the grammar of the dialect: what has no place is a mismatch.

It knows node types and fields, not names: whether a path is listed or a name
defined is asked by `astgen.check.walk`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from astgen.check.dialect import GRAMMAR, MAX_INTEGER_BITS, MAX_TREE_DEPTH

__all__ = ["Mismatch", "is_literal", "match", "match_frame", "match_statement"]

_LITERALS = (type(None), bool, int, float, str, bytes, type(...))
_IGNORED = frozenset({"ctx", "type_ignores"})
_MANY = 8


@dataclass(frozen=True)
class Mismatch:
    """A node, or a field of one, that the grammar has no place for.

    Attributes:
        node: The node to point at; nothing below it was looked at.
        place: The nonterminal that was expected there.
        found: What stands there instead: a node type, or `type.field` where the
            node is right and what is in the field is not.
    """

    node: ast.AST
    place: str
    found: str


@dataclass(frozen=True)
class _Field:
    """What may stand in a field, whose label is for people; no `place`: nothing."""

    name: str
    label: str
    place: str
    many: bool
    least: int
    holes: bool
    optional: bool


_Fields = tuple[_Field, ...]
_Table = dict[str, dict[type[ast.AST], _Fields]]
_Item = tuple[ast.AST, str, ast.AST, ast.AST, int]
"""Node, its place, where it is, the statement or default around it, its depth."""


def match(tree: ast.Module) -> list[Mismatch]:
    """Compare a whole module with the grammar.

    Args:
        tree: What `ast.parse` made of a text.

    Returns:
        The mismatches in no particular order; none if every node has its place.
    """
    return _match(tree, "module", 0, _TABLE)


def match_frame(tree: ast.Module) -> list[Mismatch]:
    """Compare a module with the grammar, except for the statements of functions."""
    return _match(tree, "module", 0, _FRAME)


def match_statement(node: ast.stmt) -> list[Mismatch]:
    """Compare one statement of a function with the grammar."""
    return _match(node, "statement", _STATEMENT_DEPTH, _TABLE)


def _match(root: ast.AST, place: str, depth: int, table: _Table) -> list[Mismatch]:
    found: list[Mismatch] = []
    deep: dict[int, Mismatch] = {}
    todo: list[_Item] = [(root, place, root, root, depth)]
    while todo:
        node, place, near, top, depth = todo.pop()
        kind = type(node)
        at = node if hasattr(node, "lineno") else near
        if place == "statement" or place == "default" and top is root:
            top = node
        fields = table[place].get(kind)
        if fields is None:
            found.append(Mismatch(at, place, kind.__name__))
        elif depth > MAX_TREE_DEPTH:
            deep[id(top)] = Mismatch(top, "depth", kind.__name__)
        else:
            for field in fields:
                value = getattr(node, field.name, None)
                if not value and field.optional:
                    continue
                alternatives = table.get(field.place, {})
                children = _children(field, value, at, found)
                if len(children) > _MANY and _are_bare(alternatives, children):
                    continue
                todo += [
                    (child, field.place, at, top, depth + 1)
                    for child in children
                    # Most nodes are names, with nothing in them to compare.
                    if alternatives.get(type(child)) != ()
                ]
    return [*found, *deep.values()]


def _children(
    field: _Field, value: Any, at: ast.AST, found: list[Mismatch]
) -> list[ast.AST]:
    """The nodes in a field that are still to be compared."""
    values: list[Any] = value if isinstance(value, list) else [value]
    if value is None:
        values = []
    if not field.place:
        found += [
            Mismatch(child if hasattr(child, "lineno") else at, "", field.label)
            for child in values
        ]
    elif field.place in _VALUES:
        if not _VALUES[field.place](value):
            found.append(Mismatch(at, field.place, field.label))
    elif len(values) < field.least or len(values) > 1 and not field.many:
        found.append(Mismatch(at, field.place, field.label))
    elif None in values and not field.holes:
        found.append(Mismatch(at, field.place, field.label))
    else:
        return [child for child in values if child is not None]
    return []


def _are_bare(
    alternatives: Mapping[type[ast.AST], _Fields], nodes: Sequence[ast.AST]
) -> bool:
    """Whether all nodes are of one kind that has only fields that must be empty, and
    are: long lists of parameters are."""
    kind = type(nodes[0])
    fields = alternatives.get(kind)
    if not fields or any(field.place for field in fields):
        return False
    values = [attrgetter(field.name) for field in fields]
    return {*map(type, nodes)} == {kind} and not any(
        any(map(value, nodes)) for value in values
    )


def is_literal(value: object) -> bool:
    """Whether a constant of the tree is one that the text may hold."""
    if type(value) is int:
        return value.bit_length() <= MAX_INTEGER_BITS
    if type(value) is float:
        return math.isfinite(value)
    return type(value) in _LITERALS


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and is_literal(value)


_VALUES = {"@literal": is_literal, "@number": _is_number}


def _alternatives(place: str) -> dict[type[ast.AST], _Fields]:
    found: dict[type[ast.AST], _Fields] = {}
    for kind, fields in GRAMMAR[place].items():
        if isinstance(fields, str):
            found.update(_alternatives(fields))
        else:
            node_type: type[ast.AST] = getattr(ast, kind)
            found[node_type] = tuple(
                _field(kind, name, fields.get(name, ""))
                for name in node_type._fields
                if name not in _IGNORED and fields.get(name) != "@text"
            )
    return found


def _field(kind: str, name: str, spec: str) -> _Field:
    suffix = spec[-1:] if spec[-1:] in ("?", "*", "+", "~") else ""
    return _Field(
        name=name,
        label=f"{kind}.{name}",
        place=spec.removesuffix(suffix),
        many=suffix in ("*", "+", "~"),
        least=1 if suffix in ("", "+") else 0,
        holes=suffix == "~",
        optional=not spec or suffix in ("?", "*", "~"),
    )


_TABLE: _Table = {place: _alternatives(place) for place in GRAMMAR}
_FRAME: _Table = {
    **_TABLE,
    "toplevel": {
        kind: tuple(field for field in fields if field.name != "body")
        for kind, fields in _TABLE["toplevel"].items()
    },
}
_STATEMENT_DEPTH = 2
"""Below the module and its function."""
