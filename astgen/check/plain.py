"""Statements as nearly all of generated code has them, accepted at one look.

Comparing every node with the grammar and then asking every name takes as long as
Python takes to parse. Here whole argument lists are asked at once. A statement is
accepted only if all of it is one of the shapes below, nothing in it is to be
reported, and nothing was before; the names are brought up to date as
`astgen.check.walk` would. Whatever is not accepted is not judged: grammar and walk
look at it. A test holds the two equal.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from astgen.check.access import dotted
from astgen.check.dialect import MAX_KEYWORDS, MAX_SLOTS
from astgen.check.grammar import is_literal
from astgen.check.paths import methods
from astgen.check.scope import Reference, Scope

__all__ = ["plain"]

_ID = attrgetter("id")
"""Of all nodes, only names have an `id`; a test asks every version of Python."""
_ARG = attrgetter("arg")
_LOOKED_AT = frozenset({"_check", "getitem", "sort"})
"""Callees whose arguments have rules of their own (`astgen.check.calls`)."""


def plain(scope: Scope, body: Sequence[ast.stmt], start: int = 0) -> int:
    """Accept statements as long as they are plain.

    Args:
        scope: The names at this point, with nothing reported so far; they are
            brought up to date by each statement that is accepted.
        body: Any statements of a function.
        start: Which of them is the first to be looked at.

    Returns:
        The position of the first one that was not accepted, about which nothing is
        said; the number of statements if there is none.
    """
    position, count = start, len(body)
    while position < count:
        node = body[position]
        shape = _SHAPES.get(type(node))
        if shape is None:
            break
        if shape(scope, node):
            position += 1
            continue
        behind = _items(scope, body, position)
        if behind == position:
            break
        position = behind
    return position


def _items(scope: Scope, body: Sequence[ast.stmt], start: int) -> int:
    """Accept lines that bind an item of a local; the position behind the last one.

    Results of pieces are taken apart in such lines, many in a row: they share what is
    looked up here.
    """
    alive, bound, sizes = scope.alive, scope.bound, scope.sizes
    reserved, inlined = scope.reserved, scope.dialect.inlined
    for position in range(start, len(body)):
        node = body[position]
        if type(node) is not ast.Assign or type(node.value) is not ast.Subscript:
            return position
        target, owner, index = node.targets[0], node.value.value, node.value.slice
        if (
            not type(target) is type(owner) is ast.Name
            or type(index) is not ast.Constant
        ):
            return position
        name, value = target.id, index.value
        if (
            # Of an owner in `sizes` it is plain to see how many items it has.
            owner.id not in alive
            or owner.id in sizes
            or not (type(value) is int and value < MAX_SLOTS or _is_plain(index))
            or name in reserved
            or name.startswith(inlined)
            or len(node.targets) != 1
            or node.type_comment
        ):
            return position
        alive.add(name)
        bound.add(name)
        sizes.pop(name, None)
    return len(body)


def _assign(scope: Scope, node: ast.Assign) -> bool:
    """A call, whose result is bound."""
    target, value = node.targets[0], node.value
    if type(value) is not ast.Call or type(target) is not ast.Name:
        return False
    name = target.id
    if scope.is_reserved(name) or len(node.targets) != 1 or node.type_comment:
        return False
    if not _call(scope, value):
        return False
    scope.rebind(name, scope.size(value) if type(value.func) is ast.Name else None)
    return True


def _expression(scope: Scope, node: ast.Expr) -> bool:
    return type(node.value) is ast.Call and _call(scope, node.value)


def _delete(scope: Scope, node: ast.Delete) -> bool:
    targets = node.targets
    if type(targets[0]) is ast.Tuple and len(targets) == 1:
        targets = targets[0].elts
    try:
        names = {*map(_ID, targets)}
    except AttributeError:
        return False
    if not names or len(names) != len(targets) or not names <= scope.alive:
        return False
    scope.unbind(names)
    return True


def _call(scope: Scope, node: ast.Call) -> bool:
    if not _are_values(scope, node.args):
        return False
    if node.keywords and not _are_keywords(scope, node.keywords):
        return False
    callee = node.func
    if type(callee) is ast.Subscript:
        return _slot(scope, callee)
    if type(callee) is ast.Attribute:
        return _attribute(scope, callee)
    return type(callee) is ast.Name and _inlined(scope, callee.id, node)


def _are_values(scope: Scope, nodes: Sequence[ast.expr]) -> bool:
    """Whether all are locals or literals."""
    try:
        return scope.alive.issuperset(map(_ID, nodes))
    except AttributeError:
        # There are others than names.
        pass
    for node in nodes:
        if type(node) is ast.Name:
            if node.id not in scope.alive:
                return False
        elif type(node) is not ast.Constant or not _is_plain(node):
            return False
    return True


def _is_plain(node: ast.Constant) -> bool:
    """Whether a constant is a literal that the text may hold."""
    return node.kind is None and is_literal(node.value)


def _are_keywords(scope: Scope, nodes: Sequence[ast.keyword]) -> bool:
    names = {*map(_ARG, nodes)}
    return (
        len(names) == len(nodes) <= MAX_KEYWORDS
        and None not in names
        and "__debug__" not in names
        and _are_values(scope, [node.value for node in nodes])
    )


def _slot(scope: Scope, node: ast.Subscript) -> bool:
    """A slot, which is called."""
    owner, index = node.value, node.slice
    if type(owner) is not ast.Name or type(index) is not ast.Constant:
        return False
    name, slot = owner.id, index.value
    if type(slot) is not int or not scope.has_slot(name, slot):
        return False
    if name == scope.dialect.submods and scope.has_submods:
        scope.pieces.add(slot)
    elif name != scope.dialect.consts:
        return False
    scope.references.append(Reference(node, f"{name}[{slot}]", True))
    return True


def _attribute(scope: Scope, node: ast.Attribute) -> bool:
    """A path that may be called, as was seen before, or a listed method of a local."""
    if node.attr in _LOOKED_AT:
        return False
    if type(node.value) is ast.Name and node.value.id in scope.alive:
        return node.attr in methods()
    path = dotted(node)
    if path not in scope.callees:
        return False
    scope.references.append(Reference(node, path, True))
    return True


def _inlined(scope: Scope, name: str, call: ast.Call) -> bool:
    """A function that takes exactly these arguments, and no pieces."""
    function = scope.functions.get(name)
    return (
        function is not None
        and not call.keywords
        and not function.signature.takes_submods
        and not function.signature.required
        and len(call.args) == len(function.signature.names) == function.signature.least
    )


_SHAPES: dict[type[ast.stmt], Callable[[Scope, Any], bool]] = {
    ast.Assign: _assign,
    ast.Delete: _delete,
    ast.Expr: _expression,
}
