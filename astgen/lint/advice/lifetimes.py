"""AG203 to AG207: values that are held for nothing, and dels that free nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from astgen.check.finding import Edit, Profile
from astgen.check.report import Problem, shown
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.facts import Body, Facts
from astgen.lint.advice.values import holds_nothing
from astgen.lint.rules.lifetimes import (
    MISSING_DEL,
    REBOUND_NAME,
    TUPLE_HELD,
    UNUSED_VALUE,
    USELESS_DEL,
)

__all__ = ["lifetimes"]

_OWNED = re.compile(r"l_self_(\w+_)?(parameters|buffers)_\w")
_FLAT = re.compile(r"flat(_[0-9]+)?\Z")


def lifetimes(facts: Facts, profile: Profile, editor: Editor) -> Iterator[Problem]:
    """Find what is wrong with the lifetimes of values.

    Args:
        facts: The facts of a program.
        profile: Who generated it.
        editor: Makes the edits.

    Yields:
        The problems.
    """
    for body in facts.bodies:
        again = {name.id for name in body.rebound}
        for target in body.rebound:
            message = f"{shown(target.id)} is bound again"
            hint = "give each value a name of its own"
            yield Problem(REBOUND_NAME, target, message, hint)
        for name, index in body.bound.items():
            # Where a name means two values, a del is not about one of them.
            if name in again:
                continue
            if name not in body.last:
                # astgen takes nested inputs apart even if the graph reads none.
                if profile != "astgen-1" or not _FLAT.match(name):
                    yield from _unused(facts, body, name, index, editor)
            elif name not in body.deleted:
                yield from _held(facts, body, name, index, editor)
        yield from _useless(body, editor)
        if body is facts.entry and profile != "astgen-1":
            yield from _owned(body)


def _held(
    facts: Facts, body: Body, name: str, index: int, editor: Editor
) -> Iterator[Problem]:
    """A value that lives on while something runs that does not need it."""
    last = body.last[name]
    while last in body.parts:
        last += 1
    if last <= index or not body.running or last >= body.running[-1]:
        return
    node = body.node.body[index]
    if not isinstance(node, ast.Assign) or holds_nothing(facts, node.value):
        return
    is_tuple = name not in body.whole
    edit = _add_del(body, last, name, editor)
    hint = f"add 'del {name}' behind its last use in line {_line(body, last)}"
    if is_tuple:
        message = f"{shown(name)} is held after its last item was taken"
        yield Problem(TUPLE_HELD, node.targets[0], message, hint, (edit,))
    else:
        message = f"{shown(name)} is held after its last use"
        yield Problem(MISSING_DEL, node.targets[0], message, hint, (edit,))


def _unused(
    facts: Facts, body: Body, name: str, index: int, editor: Editor
) -> Iterator[Problem]:
    node = body.node.body[index]
    if not isinstance(node, ast.Assign):
        return
    places = body.deleted.get(name, [])
    if not places:
        if not body.running or index >= body.running[-1]:
            return
        if holds_nothing(facts, node.value):
            return
    what = "bound and deleted, but never read" if places else "bound, but never read"
    edits: list[Edit | None] = [editor.drop_target(node)]
    for place in places:
        statement = body.node.body[place]
        if isinstance(statement, ast.Delete):
            edits.append(editor.drop_names(statement, frozenset({name})))
    mended = tuple(edit for edit in edits if edit is not None)
    if len(mended) < len(edits) or not isinstance(node.value, ast.Call):
        # Without its name, only a call is a statement.
        mended = ()
    hint = "leave the name out if the call is there for its effect"
    message = f"{shown(name)} is {what}"
    yield Problem(UNUSED_VALUE, node.targets[0], message, hint, mended)


def _useless(body: Body, editor: Editor) -> Iterator[Problem]:
    """Dels right before a return that calls nothing."""
    statements = body.node.body
    start = len(statements) - 1
    while start > 0 and isinstance(statements[start - 1], ast.Delete):
        start -= 1
    # A body of nothing else runs nothing: inputs that nobody reads come first.
    if start == 0 or start == len(statements) - 1 or _calls(statements[-1]):
        return
    for node in statements[start:-1]:
        edit = editor.drop_statement(node)
        edits = () if edit is None else (edit,)
        message = "this del frees nothing earlier than the return behind it"
        yield Problem(USELESS_DEL, node, message, "remove it", edits)


def _calls(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Return):
        return True
    return any(isinstance(below, ast.Call) for below in ast.walk(node))


def _owned(body: Body) -> Iterator[Problem]:
    """Dels of what belongs to the model, one problem a statement."""
    owned: dict[int, list[str]] = {}
    for name, places in body.deleted.items():
        if name in body.parameters and _OWNED.match(name):
            owned.setdefault(places[0], []).append(name)
    for place, names in owned.items():
        more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
        message = f"{shown(names[0])}{more} deleted, but the model keeps what it owns"
        hint = "leave weights and buffers to the model; the del costs time and text"
        yield Problem(USELESS_DEL, body.node.body[place], message, hint)


def _add_del(body: Body, index: int, name: str, editor: Editor) -> Edit:
    """A del behind a statement, or one name more in the del that is there."""
    following = body.node.body[index + 1]
    if isinstance(following, ast.Delete):
        last = following.targets[-1]
        if isinstance(last, ast.Tuple) and last.elts:
            last = last.elts[-1]
        return editor.insert_behind(last, f", {name}")
    return editor.add_statement(body.node.body[index], f"del {name}")


def _line(body: Body, index: int) -> int:
    return body.node.body[index].lineno
