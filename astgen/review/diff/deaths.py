"""Where values are deleted, in two functions that are matched line by line.

A value is in time if its `del` follows the line that reads it last. If it is so on
both sides, it stands elsewhere for no other reason than that the last reader does, which
is told already; so it is where only the readers changed, and the `del` stayed.
"""

from __future__ import annotations

from astgen.review.diff.difference import Difference, Place
from astgen.review.diff.matching import Matching
from astgen.structure.lines import Function

__all__ = ["compare_deaths"]


def compare_deaths(
    left: Function, right: Function, matching: Matching
) -> list[Difference]:
    """Compare where values are deleted.

    Args:
        left: One function.
        right: The other one.
        matching: Which values are which.

    Returns:
        A difference for each value that both have and that is deleted in another
        place, or on one side only.
    """
    lives = _Lives(left), _Lives(right)
    found = []
    for one, other in sorted(matching.to_right.items()):
        words = lives[0].of(one), lives[1].of(other)
        if words[0] == words[1] != "late" or _same_place(
            left, right, one, other, matching
        ):
            continue
        if "kept to the end" in words and "in time" in words:
            # If another line is the last one now, nothing need be deleted behind it.
            readers = lives[0].reader(one), lives[1].reader(other)
            if matching.to_right.get(readers[0]) != readers[1]:
                continue
        names = lives[0].name(one), lives[1].name(other)
        shown = names[0] if names[0] == names[1] else f"{names[0]} ({names[1]})"
        detail = f"{shown} is deleted {words[1]}, was deleted {words[0]}"
        detail = detail.replace("deleted kept", "kept").replace("deleted not", "not")
        places = lives[0].place(one), lives[1].place(other)
        found.append(Difference("del moved", *places, detail))
    return found


class _Lives:
    """The values of one function: who reads them last, where they are deleted."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.last: dict[int, int] = {}
        for place, line in enumerate(function.lines):
            for value in line.of("value"):
                self.last[int(value)] = place

    def reader(self, value: int) -> int:
        """The line that reads a value last; that which binds it if none does."""
        return self.last.get(value, max(value, -1))

    def of(self, value: int) -> str:
        """How long a value lives."""
        death = self.function.deaths.get(value)
        if death is None:
            return "kept to the end"
        return "in time" if death[0] == self.reader(value) else "late"

    def name(self, value: int) -> str:
        """What the value is called."""
        if value < 0:
            return self.function.parameters[-1 - value].name
        return self.function.lines[value].binds or "it"

    def place(self, value: int) -> Place | None:
        """The `del` of a value, or the line that binds it."""
        function, name = self.function, self.name(value)
        death = function.deaths.get(value)
        if death is not None:
            return Place(function.name, death[1], f"del {name}")
        if value < 0:
            return Place(function.name, function.number, f"def {function.name}(...)")
        line = function.lines[value]
        return Place(function.name, line.number, line.text)


def _same_place(
    left: Function, right: Function, one: int, other: int, matching: Matching
) -> bool:
    """Whether a value is deleted behind lines that stand for each other."""
    if one not in left.deaths or other not in right.deaths:
        return False
    behind, there = left.deaths[one][0], right.deaths[other][0]
    return matching.to_right.get(behind, there) == there if behind >= 0 else there < 0
