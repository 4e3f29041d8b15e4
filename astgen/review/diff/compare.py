"""Two functions compared: which lines differ, and in what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from astgen.review.diff.deaths import compare_deaths
from astgen.review.diff.difference import Difference, Place
from astgen.review.diff.matching import Matching, Side, match_lines
from astgen.review.diff.signatures import compare_signatures
from astgen.structure.lines import Function, Hole, Line

__all__ = ["Pairs", "compare_functions"]


class Pairs:
    """Slots of the left that stand for slots of the right, by kind of slot."""

    def __init__(self) -> None:
        self._to_right: dict[tuple[str, int | str], int | str] = {}
        self._to_left: dict[tuple[str, int | str], int | str] = {}

    def agree(self, left: Hole, right: Hole) -> bool:
        """Whether two slots may be the same: neither stood for another so far."""
        key, back = (left.kind, left.key), (right.kind, right.key)
        known = self._to_right.setdefault(key, right.key)
        return (
            known == right.key and self._to_left.setdefault(back, left.key) == left.key
        )


def compare_functions(left: Side, right: Side, pairs: Pairs) -> list[Difference]:
    """Compare a function with its counterpart.

    Args:
        left: One function.
        right: The other one.
        pairs: Which slots stood for which so far; brought up to date.

    Returns:
        The differences, in the order of the text.
    """

    def agree(one: Hole, other: Hole) -> bool:
        same = left.meanings.of(one) == right.meanings.of(other)
        slot = one.kind in ("piece", "constant")
        return same and (not slot or pairs.agree(one, other))

    found, parameters = compare_signatures(left.function, right.function, agree)
    matching = match_lines(left, right, parameters)
    lines = _Lines(left, right, matching, pairs)
    found += lines.differences()
    found += compare_deaths(left.function, right.function, matching)
    return found


@dataclass
class _Lines:
    """The lines of two functions, matched."""

    left: Side
    right: Side
    matching: Matching
    pairs: Pairs

    def differences(self) -> list[Difference]:
        to_left = self.matching.to_left
        found: list[tuple[int, Difference]] = []
        for place, line in enumerate(self.left.lines):
            other = self.matching.to_right.get(place)
            if other is None:
                found.append((place, self.told("call removed", line, None)))
                continue
            found += [(place, one) for one in self.pair(line, self.right.lines[other])]
            if place in self.matching.moved:
                pair = line, self.right.lines[other]
                found.append((place, self.told("order changed", *pair)))
        before = -1
        for place, line in enumerate(self.right.lines):
            before = to_left.get(place, before)
            if place not in to_left:
                found.append((before, self.told("call added", None, line)))
        found.sort(key=lambda one: one[0])
        return [difference for _, difference in found]

    def pair(self, left: Line, right: Line) -> Iterator[Difference]:
        """What differs between two lines that stand for each other."""
        kinds = [[hole.kind for hole in line.holes] for line in (left, right)]
        if left.frame != right.frame or kinds[0] != kinds[1]:
            category = "result changed" if left.is_return else "call changed"
            yield self.told(category, left, right)
            return
        flow: list[str] = []
        constants: list[str] = []
        pieces: tuple[int, int] | None = None
        for one, other in zip(left.holes, right.holes):
            detail = self.hole(one, other)
            if detail:
                if one.kind == "piece":
                    pieces = int(one.key), int(other.key)
                (constants if one.kind in ("literal", "constant") else flow).append(
                    detail
                )
        if flow:
            category = "result changed" if left.is_return else "call changed"
            told = self.told(category, left, right, "; ".join(flow))
            yield replace(told, pieces=pieces)
        if constants:
            yield self.told("constant changed", left, right, "; ".join(constants))

    def hole(self, left: Hole, right: Hole) -> str:
        """What differs between what is in two holes; empty if nothing does."""
        if left.kind == "value":
            return self.value(int(left.key), int(right.key))
        meanings = self.left.meanings.of(left), self.right.meanings.of(right)
        if meanings[0] != meanings[1]:
            told = self.left.meanings.told(left), self.right.meanings.told(right)
            return " became ".join(told)
        if left.kind in ("piece", "constant") and not self.pairs.agree(left, right):
            return (
                f"another {left.kind} than before: slot {left.key} and slot {right.key}"
            )
        return ""

    def value(self, left: int, right: int) -> str:
        known = self.matching.to_right.get(left)
        if known == right:
            return ""
        if known is None or right not in self.matching.to_left:
            # What computed it is told to be removed, or to be added.
            return ""
        names = _name(self.left.function, left), _name(self.right.function, right)
        meant = _name(self.right.function, known)
        return f"it takes {names[1]} where {names[0]} ({meant} there) was taken"

    def told(
        self, category: str, left: Line | None, right: Line | None, detail: str = ""
    ) -> Difference:
        return Difference(
            category,
            _place(self.left.function, left),
            _place(self.right.function, right),
            detail,
        )


def _place(function: Function, line: Line | None) -> Place | None:
    return None if line is None else Place(function.name, line.number, line.text)


def _name(function: Function, value: int) -> str:
    if value < 0:
        return function.parameters[-1 - value].name
    return function.lines[value].binds
