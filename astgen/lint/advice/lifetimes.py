"""AG203 to AG207: values that are held for nothing, and dels that free nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set

from astgen.check.finding import Edit, Profile
from astgen.check.report import Problem, shown
from astgen.dynamo_names import is_owned
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.facts import Body, Facts
from astgen.lint.advice.values import holds_nothing, is_constant
from astgen.lint.rules.lifetimes import (
    MISSING_DEL,
    REBOUND_NAME,
    TUPLE_HELD,
    UNUSED_VALUE,
    USELESS_DEL,
)

__all__ = ["lifetimes"]

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
                is_flat = profile == "astgen-1" and _FLAT.match(name)
                if not is_flat or name not in body.deleted:
                    yield from _unused(facts, body, name, index, editor)
            elif name not in body.deleted:
                yield from _held(facts, body, name, index, editor)
        if profile != "astgen-1":
            yield from _held_parameters(facts, body, again, editor)
        yield from _useless(body, editor)
        if body is facts.entry and profile != "astgen-1":
            yield from _owned(body)


def _held(
    facts: Facts, body: Body, name: str, index: int, editor: Editor
) -> Iterator[Problem]:
    """A value that lives on while something runs that does not need it."""
    last = body.taker(body.last[name])
    if last <= index or not body.runs_behind(last):
        return
    node = body.node.body[index]
    # Generators delete whatever they compute, even if it is an empty tuple.
    if not isinstance(node, ast.Assign) or is_constant(facts, node.value):
        return
    if name in body.whole:
        yield _missing(body, name, node.targets[0], last, editor)
        return
    message = f"{shown(name)} is held after its last item was taken"
    edit, hint = _add_del(body, last, name, editor)
    yield Problem(TUPLE_HELD, node.targets[0], message, hint, (edit,))


def _held_parameters(
    facts: Facts, body: Body, again: Set[str], editor: Editor
) -> Iterator[Problem]:
    """Parameters without the del that vLLM gives each one that is used."""
    for name, node in body.parameters.items():
        if name in body.deleted or name in again or name == facts.dialect.submods:
            continue
        if name in body.last:
            last = body.taker(body.last[name])
            if last >= 0 and body.runs_behind(last):
                yield _missing(body, name, node, last, editor)


def _missing(
    body: Body, name: str, node: ast.AST, last: int, editor: Editor
) -> Problem:
    message = f"{shown(name)} is held after its last use"
    edit, hint = _add_del(body, last, name, editor)
    return Problem(MISSING_DEL, node, message, hint, (edit,))


def _unused(
    facts: Facts, body: Body, name: str, index: int, editor: Editor
) -> Iterator[Problem]:
    node = body.node.body[index]
    if not isinstance(node, ast.Assign):
        return
    places = body.deleted.get(name, [])
    if not places:
        if not body.runs_behind(index) or holds_nothing(facts, node.value):
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
        if name in body.parameters and is_owned(name):
            owned.setdefault(places[0], []).append(name)
    for place, names in owned.items():
        more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
        message = f"{shown(names[0])}{more} deleted, but the model keeps what it owns"
        hint = "generate it with astgen, which leaves weights and buffers to the model"
        yield Problem(USELESS_DEL, body.node.body[place], message, hint)


def _add_del(body: Body, index: int, name: str, editor: Editor) -> tuple[Edit, str]:
    """A del behind a statement, or one name more in the del that is there."""
    line = body.node.body[index].lineno
    hint = f"add 'del {name}' behind its last use in line {line}"
    following = body.node.body[index + 1]
    if isinstance(following, ast.Delete):
        last = following.targets[-1]
        if isinstance(last, ast.Tuple) and last.elts:
            last = last.elts[-1]
        return editor.insert_behind(last, f", {name}"), hint
    return editor.add_statement(body.node.body[index], f"del {name}"), hint
