"""The rules over what a file keeps beside its program: constants and names of pieces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from astgen.check.finding import Rule
from astgen.check.report import Problem, shown
from astgen.lint.constant_names import HOLDS_NODE, PORTABLE, RANK_BOUND_NAMES
from astgen.lint.rules.constants import (
    CONST_HOLDS_NODE,
    CONST_NOT_PORTABLE,
    DEVICE_PINNED,
    DUPLICATE_CONST,
    RANK_BOUND,
    SUBMOD_UNBOUND,
)
from astgen.lint.subject import Constant, Subject

__all__ = ["judge_slots"]

_PINNED = re.compile(r"torch\.device\('\w*(?:', |:)\d")
_ANYWHERE = ast.Module(body=[], type_ignores=[])
"""Stands for a slot that the text does not read: it is reported at the beginning."""


def judge_slots(
    subject: Subject,
    consts_read: Mapping[int, ast.AST],
    pieces_called: Mapping[int, ast.AST],
) -> list[Problem]:
    """Judge constants and names of pieces.

    Args:
        subject: The program, with what its file keeps beside it.
        consts_read: For each slot of a constant that the text reads, a node that
            reads it.
        pieces_called: Likewise for pieces that the text calls.

    Returns:
        The problems. What the file does not say is not judged.
    """
    problems = list(_unnamed(subject.submod_names, pieces_called))
    first: dict[str, int] = {}
    for slot, constant in enumerate(subject.consts or ()):
        node = consts_read.get(slot, _ANYWHERE)
        for rule, what, hint in _faults(constant):
            problems.append(Problem(rule, node, f"constant {slot} {what}", hint))
        other = first.setdefault(constant.key, slot)
        if other != slot:
            message = f"constants {other} and {slot} are equal: {shown(constant.shown)}"
            hint = "generate the code anew with astgen, which shares slots by value"
            problems.append(Problem(DUPLICATE_CONST, node, message, hint))
    return problems


def _unnamed(
    names: tuple[str | None, ...] | None, pieces_called: Mapping[int, ast.AST]
) -> Iterator[Problem]:
    for slot, node in sorted(pieces_called.items(), key=lambda item: item[0]):
        if names is not None and slot < len(names) and names[slot] is None:
            message = f"piece {slot} is called, and the file has no name for it"
            hint = "delete the cache; it is built anew at the next start"
            yield Problem(SUBMOD_UNBOUND, node, message, hint)


def _faults(constant: Constant) -> Iterator[tuple[Rule, str, str]]:
    text = shown(constant.shown)
    names = set(constant.names)
    if held := names & HOLDS_NODE:
        what = f"holds {shown(min(held))}, an object of the trace: {text}"
        hint = "make it an input of the graph, or spell its parts out in the code"
        yield CONST_HOLDS_NODE, what, hint
    elif bound := names & RANK_BOUND_NAMES:
        what = f"holds {shown(min(bound))}, which belongs to one rank: {text}"
        yield RANK_BOUND, what, "refer to groups by name in the graph"
    elif foreign := names - PORTABLE:
        listed = ", ".join(shown(name) for name in sorted(foreign)[:3])
        what = f"needs {listed} to be made: {text}"
        hint = "keep such objects out of the graph, or pass them as inputs"
        yield CONST_NOT_PORTABLE, what, hint
    if "torch.device" in names and _PINNED.search(constant.shown):
        what = f"is bound to one device of the machine: {text}"
        hint = "use the device without an index: it is the current one of each rank"
        yield DEVICE_PINNED, what, hint
