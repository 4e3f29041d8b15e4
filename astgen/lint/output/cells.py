"""Text from files -> what a terminal may be shown of it.

A file can hold sequences that clear a screen, move the cursor or reorder a line so
that it reads as something else. Every character that does not stand in a cell of
its own, visibly and from left to right, is shown escaped as Python writes it. How
many cells each character takes is known, so that carets stand where they should.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Cut", "cells", "cut", "printable", "printable_path"]

_TAB = "    "
_ELLIPSIS = "…"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_MARKS = frozenset({"Mn", "Me", "Mc"})
_MOST_MARKS = 2
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
"""Letters and marks that leave no ink, though Python calls them printable."""

_BYTE = re.compile("[\udc80-\udcff]")
"""What Python puts in the place of bytes in file names that are not UTF-8."""


@dataclass(frozen=True)
class Cut:
    """A part of a line that fits, and where in it something is marked.

    Attributes:
        shown: What is shown; `…` stands for what is not.
        before: Cells before what is marked.
        marked: Cells of what is marked, at least one.
    """

    shown: str
    before: int
    marked: int


def printable(text: str) -> str:
    """A text for a terminal, on one line, with nothing in it that is not visible."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(shown for shown, _ in cells(text, tab="\\t"))


def printable_path(path: str) -> str:
    """A path for a terminal, with the bytes in it that are not UTF-8."""
    plain = _BYTE.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", path)
    return printable(plain)


def cells(text: str, tab: str = _TAB) -> Iterator[tuple[str, int]]:
    """What is shown for each character of a text, and the cells that it takes.

    Args:
        text: Any text, lone surrogates and control characters included.
        tab: What is shown for a tab.
    """
    marks = 0
    for char in text:
        if " " <= char <= "~":
            marks = 0
            yield char, 1
            continue
        category = unicodedata.category(char)
        marks = marks + 1 if category in _MARKS else 0
        if char == "\t":
            yield tab, len(tab)
        elif not _is_plain(char) or marks > _MOST_MARKS:
            escaped = ascii(char)[1:-1]
            yield escaped, len(escaped)
        elif category in _MARKS:
            yield char, 1 if category == "Mc" else 0
        else:
            yield char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_plain(char: str) -> bool:
    if not char.isprintable() or char in _INVISIBLE:
        return False
    # Variation selectors are marks, and none of them is visible.
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return False
    return unicodedata.bidirectional(char) not in _RIGHT_TO_LEFT


def cut(line: str, start: int, end: int, room: int) -> Cut:
    """Cut a line around what is marked in it.

    Args:
        line: The line.
        start: The index of the first character that is marked.
        end: The index after the last one.
        room: How many cells there are.

    Returns:
        What fits. If not even what is marked does, its beginning.
    """
    # The third mark on a letter is escaped, so of three characters one takes a cell,
    # and what is further away than this cannot be in view.
    reach = 3 * room
    start = min(max(start, 0), len(line))
    end = min(max(end, start), len(line), start + reach)
    low, high = max(start - reach, 0), min(end + reach, len(line))
    drawn = list(cells(line[low:high]))
    widths = [width for _, width in drawn]
    first, last = start - low, end - low
    if low > 0 or high < len(line) or sum(widths) > room:
        left, right = _window(widths, first, last, room - 2 * len(_ELLIPSIS))
    else:
        left, right = 0, len(drawn)
    begins, ends = low + left == 0, low + right == len(line)
    shown = "".join(text for text, _ in drawn[left:right])
    return Cut(
        shown=f"{'' if begins else _ELLIPSIS}{shown}{'' if ends else _ELLIPSIS}",
        before=(not begins) + sum(widths[left:first]),
        marked=max(1, sum(widths[first : min(last, right)])),
    )


def _window(widths: list[int], first: int, last: int, room: int) -> tuple[int, int]:
    """The indices between which a line is shown: as much on both sides, if it can."""
    left, right = first, first
    used = 0
    while right < last and used + widths[right] <= room:
        used += widths[right]
        right += 1
    if right < last:
        return left, right
    behind = sum(widths[last:])
    half = max((room - used) // 2, room - used - behind)
    while left > 0 and widths[left - 1] <= half:
        left -= 1
        half -= widths[left]
        used += widths[left]
    while right < len(widths) and used + widths[right] <= room:
        used += widths[right]
        right += 1
    return left, right
