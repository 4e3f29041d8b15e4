"""Paths that are not listed -> the listed one that was probably meant.

`astgen.lint.program` asks for the findings that it reports. The checker itself has no
opinion on what a text should have said, and stays fast.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cache

from astgen.check.finding import Finding
from astgen.check.judge import OPS
from astgen.check.paths import operators, torch_paths, values
from astgen.check.report import Lines, shown
from astgen.check.rules.syntax import ATTRIBUTE_PATH

__all__ = ["suggest"]

_MOST = 20
"""A text with more of them was not mistyped: it is from elsewhere."""

_PATH = re.compile(r"\w+(?:\.\w+)+", re.ASCII)
_LONGEST = 150
_MOST_NAMES = 8
_LEAST_LENGTH = 3
_NOT_SHORT = 5
_LONG = 8
"""From this length on, two neighbouring characters may be wrong."""


def suggest(findings: Sequence[Finding], text: str) -> list[Finding]:
    """Say what was meant where a path looks like a listed one.

    Args:
        findings: Findings of a program, in the order of the text.
        text: The program.

    Returns:
        The same findings; the first ones of AG502 may have another hint.
    """
    found = list(findings)
    places = [n for n, one in enumerate(found) if one.rule == ATTRIBUTE_PATH.code]
    lines = Lines(text).lines if places else []
    for place in places[:_MOST]:
        meant = _meant(_covered(found[place], lines))
        if meant is not None:
            hint = f"did you mean {shown(meant)}?"
            found[place] = replace(found[place], hint=hint)
    return found


def _covered(finding: Finding, lines: Sequence[str]) -> str:
    """The characters that a finding covers, if they are few and on one line."""
    size = finding.end_column - finding.column
    if finding.line != finding.end_line or not 0 < size <= _LONGEST:
        return ""
    if not 0 < finding.line <= len(lines):
        return ""
    return lines[finding.line - 1][finding.column - 1 : finding.end_column - 1]


def _meant(path: str) -> str | None:
    """The listed path that differs in one name only, and there not much."""
    names = path.split(".")
    if _PATH.fullmatch(path) is None or len(names) > _MOST_NAMES:
        return None
    # The name that is wrong is the last one most of the time.
    for wrong in range(len(names) - 1, 0, -1):
        above, name, below = ".".join(names[:wrong]), names[wrong], names[wrong + 1 :]
        near = []
        for other in _names_below().get(above, ()):
            distance = _distance(name, other)
            if distance is not None:
                near.append((distance, ".".join([above, other, *below])))
        meant = [(far, other) for far, other in near if other in _listed()]
        if meant:
            return min(meant)[1]
    return None


def _distance(name: str, other: str) -> int | None:
    """How unlikely it is that a name is the other one mistyped; None if it is not.

    Exchanged characters and another case come before one too many or too few, and
    that before a wrong one, of which short names cannot have any. Edits that are
    apart are not looked for: they find names that nobody meant.
    """
    least, most = sorted((len(name), len(other)))
    room = 2 if least >= _LONG else 1
    if least < _LEAST_LENGTH or most - least > room or name == other:
        return None
    start = 0
    while start < least and name[start] == other[start]:
        start += 1
    same = 0
    while same < least - start and name[-1 - same] == other[-1 - same]:
        same += 1
    wrong, right = name[start : len(name) - same], other[start : len(other) - same]
    if wrong.lower() == right.lower() or len(wrong) == 2 and wrong == right[::-1]:
        return 0
    if max(len(wrong), len(right)) > room or wrong and right and least < _NOT_SHORT:
        return None
    return len(wrong) + len(right)


@cache
def _listed() -> frozenset[str]:
    return torch_paths() | values() | {OPS + name for name in operators()}


@cache
def _names_below() -> Mapping[str, Set[str]]:
    """The names that follow each beginning of a listed path."""
    below: dict[str, set[str]] = {}
    for path in _listed():
        above, _, name = path.rpartition(".")
        while above and name not in below.setdefault(above, set()):
            below[above].add(name)
            above, _, name = above.rpartition(".")
    return below
