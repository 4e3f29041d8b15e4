"""One program -> everything that can be said of it.

The checker says what is wrong, and with it whether the program may run. Advice is
added where the text has the shape of generated code; elsewhere it would be noise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from dataclasses import replace

from astgen.check import Finding, scan
from astgen.check.report import Problem, locate
from astgen.check.rules.pieces import SUBMOD_INDEX
from astgen.check.rules.slots import CONST_INDEX
from astgen.errors import SettingsError
from astgen.lint.advice import advise
from astgen.lint.profile import detect, dialect_of
from astgen.lint.rules.engine import TOO_MANY_FINDINGS
from astgen.lint.rules.indexes import CALL_ORDER, UNUSED_CONST, UNUSED_SUBMOD
from astgen.lint.rules.layout import NOT_FORMATTED
from astgen.lint.settings import Settings
from astgen.lint.subject import Subject
from astgen.lint.suggest import suggest

__all__ = ["judge"]

_ABOUT_INDEXES = (
    (CONST_INDEX.code, {UNUSED_CONST.code}),
    (SUBMOD_INDEX.code, {UNUSED_SUBMOD.code, CALL_ORDER.code}),
)
"""Errors in indexes, and the advice that takes all of them to be numbers."""


def judge(
    subject: Subject,
    settings: Settings,
    active: Set[str],
    *,
    most: int,
    resolve_ops: bool = False,
) -> tuple[Finding, ...]:
    """Look at one program.

    Args:
        subject: The program.
        settings: Its profile, and what is allowed beside the lists.
        active: Codes of the rules that are on.
        most: The most findings that are given.
        resolve_ops: Whether operators are looked up in this process's PyTorch.

    Returns:
        The findings of active rules, in the order of the text.

    Raises:
        SettingsError: A package is missing that a wanted rule needs.
    """
    text = subject.text
    profile = settings.profile or subject.profile or detect(text)
    names, consts = subject.submod_names, subject.consts
    dialect = dialect_of(text, profile, settings.namespaces, settings.paths)
    if subject.entry:
        dialect = replace(dialect, entry=subject.entry)
    scanned = scan(
        text,
        consts=None if consts is None else len(consts),
        submods=None if names is None else len(names),
        dialect=dialect,
        most=most + 1,
    )
    found = list(scanned.findings)
    if scanned.tree is not None and scanned.in_grammar:
        found += advise(subject, scanned.tree, profile, most + 1)
    if scanned.tree is not None and resolve_ops:
        found += locate(_operators(scanned.tree), text, most + 1)
    if scanned.tree is not None and NOT_FORMATTED.code in active:
        from astgen.lint.fix.layout import not_formatted

        layout = not_formatted(text)
        found += [] if layout is None else [layout]
    wanted = active - _unsure(found)
    found = sorted(one for one in found if one.rule in wanted)
    if len(found) > most:
        found = [*found[:most], _cut(found, most)]
    found = suggest(found, text)
    return tuple(
        replace(finding, path=subject.path, member=subject.member) for finding in found
    )


def _operators(tree: ast.Module) -> list[Problem]:
    # The only part that needs torch, and the only reason to import it.
    try:
        from astgen.lint.operators import judge_operators
    except ImportError as error:
        message = f"--resolve-ops needs PyTorch: {error}; install torch"
        raise SettingsError(message) from error
    return judge_operators(tree)


def _unsure(found: Iterable[Finding]) -> Set[str]:
    """What cannot be said of a text: an index that is no number may be any number."""
    broken = {finding.rule for finding in found}
    return {
        advice for rule, about in _ABOUT_INDEXES if rule in broken for advice in about
    }


def _cut(found: list[Finding], most: int) -> Finding:
    first = found[most]
    return replace(
        first,
        rule=TOO_MANY_FINDINGS.code,
        message=f"more than {most} findings; those from here on are not shown",
        hint="mend the first ones; they may be the reason of the others",
        edits=(),
    )
