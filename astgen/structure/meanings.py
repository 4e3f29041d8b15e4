"""What slots and functions of a text mean, so that their numbers need not agree.

Constants are told by value and pieces by name, where both sides know them; inlined
functions by what they do. What is not known stays open: whoever compares has to
see that one slot always stands for the same other one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from astgen.structure.lines import Function, Hole, Line

__all__ = ["OPEN", "Meanings", "digest", "line_keys", "value_keys"]

OPEN = "?"
"""The meaning of a slot of which nothing is known."""


@dataclass
class Meanings:
    """What the slots and functions of one text mean.

    Attributes:
        constants: For each slot, a text that is equal for equal values.
        pieces: For each slot, a text that is equal for the same piece.
        functions: For each inlined function, a text that is equal for functions that
            are compared with each other.
        shown: What people are told of a constant, by its meaning.
        names: What people are told of a piece that is known by content, by its slot.
        stored: The slots whose constants are known by content.
    """

    constants: Mapping[int, str] = field(default_factory=dict)
    pieces: Mapping[int, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    stored: frozenset[int] = frozenset()

    def of(self, hole: Hole) -> str:
        """The meaning of what is in a hole; that of a value is its place."""
        if hole.kind == "constant":
            return self.constants.get(int(hole.key), OPEN)
        if hole.kind == "piece":
            return self.pieces.get(int(hole.key), OPEN)
        if hole.kind == "function":
            return self.functions.get(str(hole.key), str(hole.key))
        return str(hole.key)

    def told(self, hole: Hole) -> str:
        """What people are told of what is in a hole."""
        meaning = self.of(hole)
        if hole.kind == "piece":
            return self.names.get(int(hole.key), meaning)
        return self.shown.get(meaning, meaning)


def line_keys(function: Function, meanings: Meanings) -> list[tuple[str, ...]]:
    """For each line, what it does, whatever it does it to."""
    return [
        (line.frame, *(meanings.of(one) for one in line.holes if one.kind != "value"))
        for line in function.lines
    ]


def value_keys(function: Function, meanings: Meanings) -> list[str]:
    """For each line, what it does and to what, back to the parameters."""
    found: list[str] = []
    for line, key in zip(function.lines, line_keys(function, meanings)):
        operands = [
            found[value] if value >= 0 else f"parameter {-value}"
            for value in map(int, line.of("value"))
        ]
        found.append(_hash(*key, "of", *operands))
    return found


def digest(function: Function, meanings: Meanings) -> str:
    """Equal for functions that are the same up to the names of locals.

    Args:
        function: The function.
        meanings: What its slots and the functions that it calls mean.
    """
    head = [
        f"{one.kind} {one.name if one.kind == 'keyword' else ''} {one.default} "
        + " ".join(map(meanings.of, one.holes))
        for one in function.parameters
    ]
    lines: Sequence[Line] = function.lines
    body = [
        "\n".join([*key, *map(str, line.of("value"))])
        for line, key in zip(lines, line_keys(function, meanings))
    ]
    deaths = [
        f"{value} {behind}" for value, (behind, _) in sorted(function.deaths.items())
    ]
    return _hash(function.takes_pieces, *head, "lines", *body, "deaths", *deaths)


def _hash(*parts: str) -> str:
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
