"""Text from elsewhere, so that a page shows all of it and nothing of it acts.

Characters that are not seen, that turn the direction of writing, or that stand on top of
others are spelled as Python spells them in strings. Markup is no concern here: the page
never parses text.
"""

from __future__ import annotations

from unicodedata import category

__all__ = ["Strings", "visible"]

_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"})


def visible(text: str) -> str:
    """Spell what cannot be seen.

    Args:
        text: Any text.

    Returns:
        A text without control and format characters, lone surrogates, spaces other
        than the usual one, and marks that combine with what stands before them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char == " " or category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape").decode()


class Strings:
    """Texts that are named by number, each of them once: types and paths repeat."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The number of a text, -1 for the empty one; it is made visible."""
        if not text:
            return -1
        return self._places.setdefault(visible(text), len(self._places))

    def all(self) -> list[str]:
        """The texts, in the order of their numbers."""
        return list(self._places)
