"""One round of mending: the edits of findings are applied to a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from astgen.check.finding import Edit, Finding

__all__ = ["Fixed", "fix", "newline_of"]

_NEWLINE = re.compile(r"\r\n|\r|\n")

_Span = tuple[int, int, str]
"""First character, the one behind the last, and what takes their place."""


@dataclass(frozen=True)
class Fixed:
    """What one round made of a text.

    Attributes:
        text: The new text.
        applied: The findings that were mended.
    """

    text: str
    applied: tuple[Finding, ...]


def fix(text: str, findings: Iterable[Finding]) -> Fixed:
    """Apply the edits of findings.

    Args:
        text: The text that the findings are about.
        findings: In order of importance: where edits meet, the first finding wins.
            The edits of a finding are applied together or not at all.

    Returns:
        The new text. Ends of lines are those of the text, whatever the edits have.
    """
    starts = _line_starts(text)
    newline = newline_of(text)
    taken = _Taken()
    applied = []
    for finding in findings:
        spans = [_span(edit, starts, len(text)) for edit in finding.edits]
        found = [span for span in spans if span is not None]
        if found and len(found) == len(spans) and taken.add(found):
            applied.append(finding)
    parts: list[str] = []
    end = 0
    for start, stop, new in taken.spans:
        parts += [text[end:start], new.replace("\n", newline)]
        end = stop
    return Fixed("".join([*parts, text[end:]]), tuple(applied))


def newline_of(text: str) -> str:
    """What ends the first line of a text."""
    found = _NEWLINE.search(text)
    return found[0] if found else "\n"


class _Taken:
    """The spans of accepted edits, sorted; no two of them meet.

    Attributes:
        spans: The spans.
    """

    def __init__(self) -> None:
        self.spans: list[_Span] = []

    def add(self, spans: list[_Span]) -> bool:
        """Take the spans of one finding, if all of them are free."""
        added: list[_Span] = []
        for span in spans:
            place = bisect_left(self.spans, span)
            around = self.spans[max(place - 1, 0) : place + 1]
            if any(_meet(span, other) for other in around):
                for one in added:
                    self.spans.remove(one)
                return False
            self.spans.insert(place, span)
            added.append(span)
        return True


def _meet(one: _Span, other: _Span) -> bool:
    """Whether two spans share a character, or would insert at one place."""
    if one[0] == one[1] and other[0] == other[1]:
        return one[0] == other[0]
    return one[0] < other[1] and other[0] < one[1]


def _span(edit: Edit, starts: list[int], length: int) -> _Span | None:
    """The characters of an edit; None if the text has no such place."""
    if not 0 < edit.line <= edit.end_line <= len(starts):
        return None
    start = starts[edit.line - 1] + edit.column - 1
    stop = starts[edit.end_line - 1] + edit.end_column - 1
    if edit.column < 1 or edit.end_column < 1 or not start <= stop <= length:
        return None
    return start, stop, edit.text


def _line_starts(text: str) -> list[int]:
    """Where each line begins, as Python's tokenizer splits them."""
    return [0, *(found.end() for found in _NEWLINE.finditer(text))]
