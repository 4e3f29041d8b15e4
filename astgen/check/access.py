"""Attributes and items: paths, methods, slots, and items of values.

Each function reports what is wrong with one node and returns the nodes below it
that are still to be looked at, so that nothing here recurses.
"""

from __future__ import annotations

import ast

from astgen.check.dialect import MODULES
from astgen.check.finding import Rule
from astgen.check.judge import judge_method, judge_path, judge_value
from astgen.check.report import shown
from astgen.check.rules.pieces import ARITY, SUBMOD_INDEX
from astgen.check.rules.slots import CONST_INDEX, SLOT_ESCAPE
from astgen.check.rules.syntax import ATTRIBUTE_PATH, CALL_TARGET
from astgen.check.scope import Reference, Scope

__all__ = ["attribute", "dotted", "item", "subscript"]


def attribute(scope: Scope, node: ast.Attribute, called: bool) -> list[ast.expr]:
    """Look at `value.name`.

    Args:
        scope: The names at this point; problems are reported there.
        node: The attribute.
        called: Whether it stands where something is called.

    Returns:
        The nodes below that are still to be looked at.
    """
    root = _root(scope, node)
    if isinstance(root, ast.Name) and not scope.is_bound(root.id):
        if root.id in MODULES:
            _path(scope, node, root, called)
            return []
        if root.id not in scope.functions:
            # One finding is enough for a name without meaning, or a list of slots.
            scope.read(root)
            return []
    value = node.value if called else node
    if isinstance(value, ast.Attribute):
        hint = "attributes of values are read by a callable in a constant slot"
        message = f"attribute {shown(value.attr)} of a value"
        scope.report(ATTRIBUTE_PATH, value, message, hint)
    verdict = judge_method(node.attr) if called else None
    if verdict is not None:
        scope.report(verdict.rule, node, verdict.message, verdict.hint)
    return [root]


def subscript(scope: Scope, node: ast.Subscript, called: bool) -> list[ast.expr]:
    """Look at `value[index]`; arguments and result as for `attribute`."""
    owner = node.value.id if isinstance(node.value, ast.Name) else None
    if owner == scope.dialect.consts:
        _slot(scope, node, CONST_INDEX, called)
        return []
    if owner == scope.dialect.submods:
        _piece(scope, node, called)
        return []
    if called:
        if owner is None or not scope.is_excused(owner):
            hint = "callees are listed paths and methods, slots and functions"
            scope.report(CALL_TARGET, node, "an item of a value is called", hint)
        return [node.slice]
    item(scope, node, node.value, node.slice)
    return [node.value, node.slice]


def dotted(node: ast.expr) -> str | None:
    """The dotted path that a node spells, if it spells one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _root(scope: Scope, node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute) and id(node) not in scope.refused:
        node = node.value
    return node


def _path(scope: Scope, node: ast.Attribute, root: ast.Name, called: bool) -> None:
    path = dotted(node) or ""
    verdict = (judge_path if called else judge_value)(path, scope.dialect)
    if verdict is not None:
        scope.report(verdict.rule, node, verdict.message, verdict.hint)
        return
    scope.paths.add(path)
    if called:
        scope.callees.add(path)
    scope.references.append(Reference(node, path, called))
    if not scope.is_excused(root.id):
        scope.needs_import(root)


def _piece(scope: Scope, node: ast.Subscript, called: bool) -> None:
    if scope.is_excused(scope.dialect.submods):
        return
    if not scope.has_submods and isinstance(node.value, ast.Name):
        scope.read(node.value)
    elif called:
        slot = _slot(scope, node, SUBMOD_INDEX, called)
        if slot is not None:
            scope.pieces.add(slot)
    else:
        hint = "call it, or use a constant slot"
        scope.report(SLOT_ESCAPE, node, "a piece is used as a value", hint)


def _slot(scope: Scope, node: ast.Subscript, rule: Rule, called: bool) -> int | None:
    """The slot that a literal index takes, None if it was reported."""
    index = node.slice
    if id(index) in scope.refused:
        scope.forgive(index)
        return None
    name = dotted(node.value) or ""
    value = index.value if isinstance(index, ast.Constant) else None
    if type(value) is not int:
        hint = "slots are taken by a literal number from 0"
        message = f"the index of {shown(name)} is no literal number from 0"
        scope.report(rule, node, message, hint)
    elif not scope.has_slot(name, value):
        count = scope.consts if name == scope.dialect.consts else scope.submods
        hint = "code and slots do not belong together; generate both again"
        have = "cannot have so many" if count is None else f"has {count}"
        message = f"slot {_number(value)} of {shown(name)}, which {have}"
        scope.report(rule, node, message, hint)
    else:
        scope.references.append(Reference(node, f"{name}[{value}]", called))
        return value
    return None


def item(scope: Scope, node: ast.expr, value: ast.expr, place: ast.expr) -> None:
    """Look at an item of a tuple whose length is plain to see, by a literal index.

    Args:
        scope: The names at this point; problems are reported there.
        node: What takes the item.
        value: What it is taken of.
        place: The index.
    """
    size = scope.size(value)
    if size is None:
        return
    try:
        index = ast.literal_eval(place)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return
    if type(index) is int and not -size <= index < size:
        hint = "caller and function do not belong together; generate both again"
        message = f"item {_number(index)} of a result with {size} items"
        scope.report(ARITY, node, message, hint)


def _number(value: int) -> str:
    """A number for a message; Python refuses to print very long ones."""
    return str(value) if abs(value) < 10**20 else "with more than 20 digits"
