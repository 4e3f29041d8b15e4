"""Calls: what may be called by name, and the keywords of any call."""

from __future__ import annotations

import ast

from astgen.check.access import attribute, dotted, item, subscript
from astgen.check.dialect import BUILTINS, MAX_KEYWORDS
from astgen.check.report import shown
from astgen.check.rules.pieces import ARITY
from astgen.check.rules.syntax import CALL_TARGET, EXPRESSION_KIND
from astgen.check.scope import Scope
from astgen.check.signature import keyword_names

__all__ = ["call"]


def call(scope: Scope, node: ast.Call) -> list[ast.expr]:
    """Look at a call.

    Args:
        scope: The names at this point; problems are reported there.
        node: The call.

    Returns:
        The nodes below that are still to be looked at.
    """
    callee = node.func
    below: list[ast.expr] = list(node.args)
    if id(callee) in scope.refused:
        scope.forgive(callee)
    elif isinstance(callee, ast.Name):
        below = _by_name(scope, node, callee)
    elif isinstance(callee, ast.Attribute):
        below += attribute(scope, callee, called=True)
        _sort_key(scope, node, callee)
        _check_message(scope, node, callee)
        if callee.attr == "getitem" and len(node.args) == 2:
            item(scope, node, *node.args)
    elif isinstance(callee, ast.Subscript):
        below += subscript(scope, callee, called=True)
    if node.keywords:
        below += _keywords(scope, node)
    return below


def _by_name(scope: Scope, node: ast.Call, callee: ast.Name) -> list[ast.expr]:
    """Look at a call of a name; the arguments that are still to be looked at."""
    name = callee.id
    below: list[ast.expr] = list(node.args)
    if name in scope.alive and not scope.is_excused(name):
        hint = "callees are listed paths and methods, slots and functions"
        message = f"the local {shown(name)} is called"
        scope.report(CALL_TARGET, callee, message, hint)
    elif name in scope.functions and not scope.is_excused(name):
        return _inlined(scope, node, callee)
    elif name not in BUILTINS:
        scope.read(callee)
        if scope.dialect.is_inlined(name) and _passes_submods(scope, node):
            # That the function is missing is enough.
            below.pop()
    return below


def _inlined(scope: Scope, node: ast.Call, callee: ast.Name) -> list[ast.expr]:
    signature = scope.functions[callee.id].signature
    misfit = signature.misfit(node)
    passes_submods = _passes_submods(scope, node)
    if misfit is None and signature.takes_submods and not passes_submods:
        misfit = f"the last argument is not {shown(scope.dialect.submods)}"
    if misfit is not None:
        hint = "caller and function do not belong together; generate both again"
        message = f"call of {shown(callee.id)}: {misfit}"
        scope.report(ARITY, node, message, hint)
    if passes_submods and (signature.takes_submods or misfit is not None):
        return node.args[:-1]
    return list(node.args)


def _passes_submods(scope: Scope, node: ast.Call) -> bool:
    last = node.args[-1] if node.args else None
    name = last.id if isinstance(last, ast.Name) else None
    return name == scope.dialect.submods and scope.has_submods


def _sort_key(scope: Scope, node: ast.Call, callee: ast.Attribute) -> None:
    """Report a key for `list.sort`, which would call it; tensors take none."""
    keys = [item for item in node.keywords if "key" in keyword_names(item)]
    if callee.attr == "sort" and keys and id(keys[0]) not in scope.refused:
        hint = "callees are listed paths and methods, slots and functions"
        message = "the keyword 'key' of 'sort' would be called"
        scope.report(CALL_TARGET, keys[0], message, hint)


def _check_message(scope: Scope, node: ast.Call, callee: ast.Attribute) -> None:
    """Report a message of `torch._check` that is no slot: it would be called."""
    if callee.attr != "_check":
        return
    named = [item for item in node.keywords if "message" in keyword_names(item)]
    messages = [*node.args[1:2], *(item.value for item in named)]
    for message in messages:
        is_slot = isinstance(message, ast.Subscript) and scope.dialect.consts == (
            dotted(message.value)
        )
        if not (is_slot or isinstance(message, ast.Constant)):
            hint = "callees are listed paths and methods, slots and functions"
            what = "the message of '_check' would be called"
            scope.report(CALL_TARGET, message, what, hint)


def _keywords(scope: Scope, node: ast.Call) -> list[ast.expr]:
    seen: set[str] = set()
    below: list[ast.expr] = []
    if len(node.keywords) > MAX_KEYWORDS:
        message = f"a call with {len(node.keywords)} keywords"
        hint = f"a call has at most {MAX_KEYWORDS} keywords"
        scope.report(EXPRESSION_KIND, node, message, hint)
    for keyword in node.keywords:
        below.append(keyword.value)
        if id(keyword) in scope.refused or id(keyword.value) in scope.refused:
            continue
        names = keyword_names(keyword)
        repeated = _repeated(names, seen)
        if keyword.arg is None and not _is_text_dict(keyword.value):
            hint = "names that are no identifiers go through **{'name': value}"
            message = "unpacking of something that is no dict with literal names"
            scope.report(EXPRESSION_KIND, keyword, message, hint)
        elif repeated is not None:
            message = f"keyword {shown(repeated)} stands twice"
            scope.report(EXPRESSION_KIND, keyword, message, "give each keyword once")
        elif keyword.arg == "__debug__":
            message = "keyword '__debug__' does not compile"
            hint = "pass it through **{'__debug__': value}"
            scope.report(EXPRESSION_KIND, keyword, message, hint)
    return below


def _repeated(names: list[str], seen: set[str]) -> str | None:
    """Add names to those seen; the first that was there already.

    Of two in one dict Python would keep the last and drop the other in silence.
    """
    repeated: str | None = None
    for name in names:
        if name in seen and repeated is None:
            repeated = name
        seen.add(name)
    return repeated


def _is_text_dict(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and all(
        isinstance(key, ast.Constant) and isinstance(key.value, str)
        for key in node.keys
    )
