"""Advice on programs of the right shape: what is suspicious, what could be better.

The checker decides whether a program may run. What is said here never decides that:
warnings and notes about values that are held, slots that nothing uses and work that
is done twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from astgen.check import Finding
from astgen.check.finding import Profile
from astgen.check.report import Problem, locate
from astgen.lint.advice.editor import Editor
from astgen.lint.advice.execution import calls_of
from astgen.lint.advice.facts import Facts, gather
from astgen.lint.advice.imports import unused_imports
from astgen.lint.advice.indexes import call_order, unused_consts, unused_submods
from astgen.lint.advice.leaks import repr_leaks
from astgen.lint.advice.lifetimes import lifetimes
from astgen.lint.advice.performance import (
    getitem_chains,
    op_lookups,
    shareable_functions,
)
from astgen.lint.constants import judge_slots
from astgen.lint.profile import dialect_of
from astgen.lint.subject import Subject

__all__ = ["advise"]


def advise(
    subject: Subject, tree: ast.Module, profile: Profile, most: int | None = None
) -> tuple[Finding, ...]:
    """Give advice on a program.

    Args:
        subject: The program, and what is known beside its text.
        tree: What it parses to; every node has its place in the grammar.
        profile: Who generated it.
        most: How much advice is given, the first of the text; None for all.

    Returns:
        Warnings and notes, in the order of the text.
    """
    facts = gather(tree, dialect_of(subject.text, profile))
    return locate(_problems(subject, facts, profile), subject.text, most)


def _problems(subject: Subject, facts: Facts, profile: Profile) -> Iterator[Problem]:
    editor = Editor(subject.text)
    names, consts = subject.submod_names, subject.consts
    calls = calls_of(facts)
    yield from unused_imports(facts, profile, editor)
    yield from lifetimes(facts, profile, editor)
    yield from unused_consts(facts, None if consts is None else len(consts))
    yield from unused_submods(facts, calls, None if names is None else len(names))
    yield from call_order(facts, calls)
    pieces = {slot: nodes[0] for slot, nodes in facts.pieces().items()}
    yield from judge_slots(subject, facts.consts, pieces)
    if profile != "astgen-1":
        # Our own generator shares functions, and writes no object as a string.
        yield from repr_leaks(facts, subject.text)
        yield from shareable_functions(facts, editor)
        yield from getitem_chains(facts)
        yield from op_lookups(facts)
