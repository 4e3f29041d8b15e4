"""AG701 to AG703: what could be shorter or faster."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby

from astgen.check.finding import Edit
from astgen.check.report import Problem, shown
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.facts import Body, Facts, is_slot
from astgen.lint.advice.shape import shape_of
from astgen.lint.rules.performance import (
    GETITEM_CHAIN,
    OP_LOOKUP,
    SHAREABLE_INLINE,
)

__all__ = ["getitem_chains", "op_lookups", "shareable_functions"]

_CHAIN = 3


def shareable_functions(facts: Facts, editor: Editor) -> Iterator[Problem]:
    """Find inlined functions that are equal up to the names of their locals.

    Args:
        facts: The facts of a program.
        editor: Makes the edits.

    Yields:
        A problem for each function that an earlier one could stand for.
    """
    first: dict[tuple[object, ...], Body] = {}
    uses: dict[str, list[ast.Name]] = {}
    for body in facts.bodies:
        if not facts.dialect.is_inlined(body.node.name):
            continue
        known = first.setdefault(shape_of(body), body)
        if known is body:
            continue
        if not uses:
            uses = _uses(facts)
        name, other = body.node.name, known.node.name
        if name == other:
            message = f"{shown(name)} is written again, word for word"
        else:
            message = f"{shown(name)} is equal to {shown(other)} up to names"
        hint = f"call {other} and leave this one out; astgen does so by itself"
        edits = _share(body, other, uses.get(name, []), editor)
        yield Problem(SHAREABLE_INLINE, body.node, message, hint, edits)


def getitem_chains(facts: Facts) -> Iterator[Problem]:
    """Find values that are taken apart item by item, line after line.

    Args:
        facts: The facts of a program.

    Yields:
        A problem for each chain, at its first line.
    """
    for body in facts.bodies:
        for owner, group in groupby(body.node.body, _owner):
            chain = list(group)
            if owner and owner != facts.dialect.consts and len(chain) >= _CHAIN:
                message = f"{len(chain)} items of {shown(owner)} are taken one by one"
                hint = "let the piece return only what others need"
                yield Problem(GETITEM_CHAIN, chain[0], message, hint)


def op_lookups(facts: Facts) -> Iterator[Problem]:
    """Find functions that look operators up each time they run.

    Args:
        facts: The facts of a program.

    Yields:
        A problem for each function.
    """
    for body in facts.bodies:
        count = len(body.lookups)
        if count:
            times = "operator is" if count == 1 else "operators are"
            message = (
                f"{count} {times} looked up at each call of {shown(body.node.name)}"
            )
            hint = "load the text through astgen, which binds operators once"
            yield Problem(OP_LOOKUP, body.node, message, hint)


def _owner(node: ast.stmt) -> str | None:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Subscript):
        return None
    owner = node.value.value
    if not isinstance(owner, ast.Name) or not is_slot(node.value, owner.id):
        return None
    return owner.id


def _uses(facts: Facts) -> dict[str, list[ast.Name]]:
    """Where each inlined function is named."""
    found: dict[str, list[ast.Name]] = {}
    for body in facts.bodies:
        names: list[ast.AST] = [use.node.func for use in body.uses]
        if not facts.functions.keys().isdisjoint(body.last):
            # Some function is used as a value, which is rare.
            names = [*ast.walk(body.node)]
        for node in names:
            if isinstance(node, ast.Name) and node.id in facts.functions:
                found.setdefault(node.id, []).append(node)
    return found


def _share(
    body: Body, other: str, uses: list[ast.Name], editor: Editor
) -> tuple[Edit, ...]:
    dropped = editor.drop_statement(body.node, gap=True)
    if dropped is None:
        return ()
    if body.node.name == other:
        return (dropped,)
    return (dropped, *(editor.replace(node, other) for node in uses))
