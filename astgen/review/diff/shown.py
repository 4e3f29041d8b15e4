"""Differences as text, line by line with a style, and as JSON."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from astgen.review.diff.difference import Difference, Place
from astgen.review.diff.programs import Comparison
from astgen.review.programs import ReadProgram
from astgen.structure.lines import Line, functions_of

__all__ = ["as_json", "as_lines", "uncompared"]

_WIDEST = 160
"""Characters of a statement that are shown; calls of pieces take dozens of names."""

_number = attrgetter("number")

Styled = tuple[str, str]
"""A style (`head`, `removed`, `added`, `note` or none) and a line."""


def as_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as a value of JSON."""
    return {
        "verdict": comparison.verdict,
        "not_compared": {
            "pieces": comparison.pieces,
            "constants": comparison.constants,
        },
        "counts": dict(Counter(one.category for one in comparison.differences)),
        "differences": [
            {
                "category": one.category,
                "left": _place(one.left),
                "right": _place(one.right),
                "detail": one.detail,
                "inside": list(one.inside),
            }
            for one in comparison.differences
        ],
    }


def as_lines(
    comparison: Comparison, left: ReadProgram, right: ReadProgram, context: int
) -> Iterator[Styled]:
    """A comparison as lines for a terminal.

    Args:
        comparison: What was found.
        left: The one program.
        right: The other one.
        context: How many statements around each place are shown.

    Yields:
        Lines with their styles.
    """
    sides = _Around(left), _Around(right)
    for one in comparison.differences:
        yield "head", f"{one.category}: {_where(one)}"
        yield from _body(one, sides, context)
        if one.detail:
            yield "note", f"  {one.detail}"
        for line in one.inside:
            yield "note", f"    {_cut(line)}"
        yield "", ""
    counts = Counter(one.category for one in comparison.differences)
    told = ", ".join(f"{category} {count}" for category, count in counts.items())
    yield "head", comparison.verdict + f": {told}" * bool(told)
    if comparison.pieces or comparison.constants:
        yield "note", uncompared(comparison.pieces, comparison.constants)


def uncompared(pieces: int, constants: int) -> str:
    """A line that says what was not compared, since a source does not say it.

    Args:
        pieces: The number of pieces whose graphs are not known.
        constants: The number of constants that are not known.
    """
    parts = []
    if pieces:
        parts.append(f"what {pieces} piece{'s do' if pieces > 1 else ' does'}")
    if constants:
        parts.append(f"what {constants} constant{'s are' if constants > 1 else ' is'}")
    hint = "; a source has no provenance" if pieces else ""
    return f"not compared: {', '.join(parts)}{hint}"


def _body(
    one: Difference, sides: tuple[_Around, _Around], context: int
) -> Iterator[Styled]:
    place, side = (
        (one.left, sides[0]) if one.left is not None else (one.right, sides[1])
    )
    before, behind = side.around(place, context)
    for text in before:
        yield "", f"    {_cut(text)}"
    if one.left is not None and one.right is not None:
        if one.left.text == one.right.text and one.pieces is not None:
            # The same call, of a piece that does something else.
            yield "head", f"  = {_cut(one.left.text)}"
            yield from (("", f"    {_cut(text)}") for text in behind)
            return
    if one.left is not None:
        yield "removed", f"  - {_cut(one.left.text)}"
    if one.right is not None:
        yield "added", f"  + {_cut(one.right.text)}"
    for text in behind:
        yield "", f"    {_cut(text)}"


class _Around:
    """The statements of a program, to show some around a place."""

    def __init__(self, program: ReadProgram) -> None:
        self.lines: dict[str, list[Line]] = {}
        tree = ast.parse(program.code)
        for function in functions_of(tree, program.dialect()):
            self.lines[function.name] = function.lines

    def around(
        self, place: Place | None, context: int
    ) -> tuple[Sequence[str], Sequence[str]]:
        """The statements before a place and behind it."""
        if place is None or not context:
            return [], []
        lines = self.lines.get(place.function, [])
        at = bisect_left(lines, place.line, key=_number)
        behind = at + (at < len(lines) and lines[at].number == place.line)
        shown = lines[max(at - context, 0) : at], lines[behind : behind + context]
        return [line.text for line in shown[0]], [line.text for line in shown[1]]


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"function": place.function, "line": place.line, "text": place.text}


def _where(one: Difference) -> str:
    sides = [
        f"{place.function} line {place.line} {side}"
        for place, side in ((one.left, "left"), (one.right, "right"))
        if place is not None
    ]
    return ", ".join(sides)


def _cut(text: str) -> str:
    if len(text) <= _WIDEST:
        return text
    half = _WIDEST // 2 - 2
    return f"{text[:half]} ... {text[-half:]}"
