"""One difference between two programs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CATEGORIES", "Difference", "Place"]

CATEGORIES = {
    "signature changed": "callers have to give other arguments",
    "call added": "a line that the left does not have",
    "call removed": "a line that the right does not have",
    "call changed": "another callee, or other arguments",
    "constant changed": "another literal or constant",
    "order changed": "a line stands elsewhere",
    "result changed": "another value is returned",
    "del moved": "a value is deleted elsewhere, or not any more, or now",
}


@dataclass(frozen=True)
class Place:
    """A line of a text.

    Attributes:
        function: The function that it is in.
        line: Its number, from 1.
        text: It, on one line.
    """

    function: str
    line: int
    text: str


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes:
        category: One of `CATEGORIES`.
        left: Where, on the left; None for what is on the right only.
        right: Where, on the right; None for what is on the left only.
        detail: What differs, for people; may be empty.
        pieces: The slots of two pieces that do not do the same, if that is it.
        inside: What differs in these, for people, as far as it is known.
    """

    category: str
    left: Place | None
    right: Place | None
    detail: str = ""
    pieces: tuple[int, int] | None = None
    inside: tuple[str, ...] = ()
