"""When the values of a function are bound, read for the last time, and gone."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from astgen.check.finding import Profile
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.facts import Body, Facts
from astgen.lint.advice.lifetimes import lifetimes
from astgen.lint.advice.values import is_constant
from astgen.lint.rules.lifetimes import MISSING_DEL, TUPLE_HELD, UNUSED_VALUE

__all__ = ["Life", "held_too_long", "is_late", "lives", "needed"]

_HELD = frozenset({MISSING_DEL.code, TUPLE_HELD.code, UNUSED_VALUE.code})


@dataclass
class Life:
    """A name while it stands for one value.

    Attributes:
        name: The name.
        node: What binds it.
        first: The statement that does, -1 for a parameter.
        last_use: The last one that reads it; `first` if none does.
        end: The first sample without it.
        is_deleted: Whether a `del` ends it.
        is_only: Whether the name stands for no other value.
    """

    name: str
    node: ast.arg | ast.Name
    first: int
    last_use: int
    end: int
    is_deleted: bool = False
    is_only: bool = True


def lives(facts: Facts, body: Body) -> list[Life]:
    """Find the values of a function.

    Args:
        facts: The facts of the program.
        body: Those of the function.

    Returns:
        Its parameters without the list of pieces, and what its statements bind, in
        that order.
    """
    again = {name.id for name in body.rebound}
    end = len(body.node.body)
    found = []
    for name, arg in body.parameters.items():
        if name != facts.dialect.submods and name not in again:
            found.append(_of_one(body, name, arg, -1, end))
    for name, first in body.bound.items():
        target = _target(body.node.body[first])
        if name not in again and target is not None:
            found.append(_of_one(body, name, target, first, end))
    if again:
        found += _of_many(body, again)
        found.sort(key=lambda life: life.first)
    return found


def held_too_long(facts: Facts, profile: Profile, text: str) -> set[int]:
    """Find values of which the linter says that they are held, or never read.

    Args:
        facts: The facts of a program.
        profile: Who generated it.
        text: Its text.

    Returns:
        The identities of the nodes that bind them.
    """
    problems = lifetimes(facts, profile, Editor(text))
    return {id(one.node) for one in problems if one.rule.code in _HELD}


def needed(body: Body, life: Life) -> int:
    """The last statement that needs a value: if that makes a part, what takes it."""
    last = life.last_use
    return body.taker(last) if last > life.first else last


def is_late(facts: Facts, body: Body, life: Life) -> bool:
    """Whether something runs between the last use of a value and its `del`."""
    if not life.is_deleted or not life.is_only:
        return False
    following = bisect_right(body.running, needed(body, life))
    if following == len(body.running) or body.running[following] > life.end:
        return False
    node = body.node.body[life.first] if life.first >= 0 else None
    return not (isinstance(node, ast.Assign) and is_constant(facts, node.value))


def _of_one(
    body: Body, name: str, node: ast.arg | ast.Name, first: int, end: int
) -> Life:
    """The life of a name that is bound once."""
    last = max(body.last.get(name, first), first)
    deleted = body.deleted.get(name)
    if deleted:
        return Life(name, node, first, last, deleted[0], is_deleted=True)
    return Life(name, node, first, last, end)


def _of_many(body: Body, names: AbstractSet[str]) -> list[Life]:
    """The lives of names that are bound more than once."""
    end = len(body.node.body)
    found = [
        Life(name, arg, -1, -1, end, is_only=False)
        for name, arg in body.parameters.items()
        if name in names
    ]
    now = {life.name: life for life in found}
    for index, node in enumerate(body.node.body):
        for name in _read(node):
            if name in now:
                now[name].last_use = index
        target = _target(node)
        gone = _gone(node) if target is None else [target.id]
        for name in gone:
            if name in now:
                now[name].end = index
                now.pop(name).is_deleted = target is None
        if target is not None and target.id in names:
            life = Life(target.id, target, index, index, end, is_only=False)
            now[target.id] = life
            found.append(life)
    return found


def _read(node: ast.stmt) -> set[str]:
    return {
        below.id
        for below in ast.walk(node)
        if isinstance(below, ast.Name) and isinstance(below.ctx, ast.Load)
    }


def _gone(node: ast.stmt) -> list[str]:
    return [
        below.id
        for below in ast.walk(node)
        if isinstance(below, ast.Name) and isinstance(below.ctx, ast.Del)
    ]


def _target(node: ast.stmt) -> ast.Name | None:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0]
    return None
