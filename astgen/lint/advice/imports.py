"""AG106: imports that nothing needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from astgen.check.finding import Edit, Profile
from astgen.check.report import Problem, shown
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.facts import Facts
from astgen.lint.rules.imports import UNUSED_IMPORT

__all__ = ["unused_imports"]


def unused_imports(facts: Facts, profile: Profile, editor: Editor) -> Iterator[Problem]:
    """Find imports that stand twice, or that no path begins with.

    Args:
        facts: The facts of a program.
        profile: Who generated it; astgen begins every text with the same two lines.
        editor: Makes the edits.

    Yields:
        A problem for each name that is imported in vain.
    """
    seen: set[str] = set()
    for node in facts.imports:
        vain: list[tuple[ast.alias, str]] = []
        for alias in node.names:
            bound = alias.asname or alias.name
            if bound in seen:
                vain.append((alias, "is imported twice"))
            elif profile != "astgen-1" and bound not in facts.names:
                vain.append((alias, "is imported, but nothing of it is used"))
            seen.add(bound)
        for alias, what in vain:
            message = f"module {shown(alias.name)} {what}"
            edit = _without(node, alias, editor)
            edits = () if edit is None else (edit,)
            yield Problem(UNUSED_IMPORT, alias, message, "remove the import", edits)


def _without(node: ast.Import, alias: ast.alias, editor: Editor) -> Edit | None:
    kept = [one for one in node.names if one is not alias]
    if not kept:
        return editor.drop_statement(node)
    if editor.has_comment(node):
        return None
    names = (f"{one.name} as {one.asname}" if one.asname else one.name for one in kept)
    return editor.replace(node, f"import {', '.join(names)}")
