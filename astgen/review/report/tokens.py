"""A text as lines with marks, which say what to colour.

The marks of a line are letters, each with a length in UTF-16 units: `v4_1o1_1` is a name of
four letters, a space, an operator, a space. The letters:

    k keyword    s string    m number     h comment    n another name    b root of paths
    f name of a function where it is defined            o operator, bracket, comma
    e no token   _ space     v F p P c C  as in `Names.marks`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Text,
)

from astgen.check.dialect import BUILTINS, MODULES
from astgen.review.report.visible import visible

__all__ = ["marked_lines"]

_ROOTS = frozenset({*MODULES, *BUILTINS})
_TAB = "    "
_LETTERS = (
    (Comment, "h"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name, "n"),
    (String, "s"),
    (Number, "m"),
    (Error, "e"),
    (Text, "_"),
)


def marked_lines(text: str, marks: Mapping[int, str]) -> tuple[list[str], list[str]]:
    """Colour a text.

    Args:
        text: The text, with line feeds only.
        marks: What is known of places in it.

    Returns:
        Its lines, made visible, and their marks.
    """
    lines: list[str] = []
    marked: list[str] = []
    parts: list[str] = []
    found: list[tuple[str, int]] = []
    for letter, part in _tokens(text, marks):
        if part == "\n":
            lines.append("".join(parts))
            marked.append("".join(f"{kind}{size}" for kind, size in found))
            parts, found = [], []
            continue
        shown = part.replace("\t", _TAB) if letter == "_" else part
        shown = visible(shown)
        parts.append(shown)
        if found and found[-1][0] == letter and letter in "o_h":
            found[-1] = letter, found[-1][1] + _size(shown)
        else:
            found.append((letter, _size(shown)))
    if parts or not lines:
        lines.append("".join(parts))
        marked.append("".join(f"{kind}{size}" for kind, size in found))
    return lines, marked


def _tokens(text: str, marks: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Letters and texts; a line feed is always alone."""
    letters: dict[Any, str] = {}
    lexer = PythonLexer()
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        letter = letters.get(kind) or letters.setdefault(kind, _letter(kind))
        letter = marks.get(offset, "b" if value in _ROOTS else letter)
        if "\n" not in value:
            yield letter, value
            continue
        for place, line in enumerate(value.split("\n")):
            if place:
                yield letter, "\n"
            if line:
                yield letter, line


def _size(text: str) -> int:
    """Characters as JavaScript counts them."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _letter(kind: Any) -> str:
    return next((letter for known, letter in _LETTERS if kind in known), "o")
