"""Texts that are kept from Python's parser, because it would not come back from them.

`import a.a.a` and so on takes memory in the square of its length, in every version:
a megabyte of it takes more than a machine has. And up to Python 3.10, the parser's
tree becomes Python objects by recursion in C that nobody counts: a chain of a hundred
thousand attributes, calls or operators ends the process. This module asks a text, not
a tree, so it estimates; what it refuses is far beyond what the checker lets through.
"""

from __future__ import annotations

import re
import sys
from unicodedata import combining

__all__ = ["chain", "tower"]

_MAX_NAMES = 120
_MAX_CHAIN = 20_000
_MAX_MARKS = 100
_FOREIGN = re.compile(r"[^\x00-\x7f]{%d,}" % _MAX_MARKS)
_PART = (
    # A name is everything that is no space and no mark, so that none is overlooked.
    # Spaces are those of Python's tokenizer: a character that were both a space and
    # part of a name would make this search endless.
    r"[ \t\f\r\n\\]*[^\x00-/:-@\[-^`{-\x7f]+[ \t\f\r\n\\]*"
)
# A pattern that begins with a plain character is looked for much faster.
_DOTTED = re.compile(rf"\.{_PART}(?:\.{_PART}){{{_MAX_NAMES - 1}}}")
_MARKS = ".+-*/%@&|^<>(["
_MARK = re.compile(f"[{re.escape(_MARKS)}]")
_PIECE = re.compile(
    r"""
    (?P<skipped> \#[^\r\n]* | \\(?:\r\n?|\n) )
    | (?P<string> '''(?:[^\\]|\\.)*?''' | \"\"\"(?:[^\\]|\\.)*?\"\"\"
        | '(?!'')(?:[^'\\\r\n]|\\.)*' | "(?!"")(?:[^"\\\r\n]|\\.)*" )
    | (?P<unclosed> ['"] )
    | (?P<open> [(\[{] )
    | (?P<close> [)\]}] )
    | (?P<end> [\r\n] )
    | (?P<comma> [,;:=] )
    | (?P<mark> [.+\-*/%@&|^<>]+ )
    """,
    re.VERBOSE | re.DOTALL,
)


def tower(text: str) -> str | None:
    """Why a text must not be parsed, None if it may be."""
    if not text.isascii() and _piled(text):
        return f"more than {_MAX_MARKS} combining marks in a row"
    # To count takes a tenth of what searching takes, and most texts have few.
    if text.count(".") >= _MAX_NAMES and _DOTTED.search(text):
        return f"a dotted name of more than {_MAX_NAMES} parts"
    if sys.version_info < (3, 11) and chain(text) > _MAX_CHAIN:
        return "it is nested too deeply for the parser"
    return None


def _piled(text: str) -> bool:
    """Whether marks are piled on a letter by the hundred.

    Python brings names into a normal form, and sorts such marks one by one.
    """
    for run in _FOREIGN.finditer(text):
        row = 0
        for character in run.group():
            row = row + 1 if combining(character) else 0
            if row > _MAX_MARKS:
                return True
    return False


def chain(text: str) -> int:
    """How deep a tree can become by what stands in a row; a bound from above.

    Args:
        text: Any text. Up to the first string that does not end it is looked at:
            the parser does not make a tree of such a text.

    Returns:
        The most attributes, calls, items and operators around one place.
    """
    # Most texts have fewer marks in all.
    marks = sum(map(text.count, _MARKS))
    return _deepest(text) if marks > _MAX_CHAIN else marks


def _deepest(text: str) -> int:
    levels, total, deepest = [0], 0, 0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "unclosed":
            break
        if kind == "close":
            total -= levels.pop() if len(levels) > 1 else 0
            continue
        if kind == "comma" or kind == "end" and len(levels) == 1:
            total -= levels[-1]
            levels[-1] = 0
            continue
        count = _count(text, piece)
        levels[-1] += count
        total += count
        deepest = max(deepest, total)
        if kind == "open":
            levels.append(0)
    return deepest


def _count(text: str, piece: re.Match[str]) -> int:
    """What one piece adds to the row in which it stands."""
    if piece.lastgroup == "open":
        return 1
    if piece.lastgroup == "mark":
        return len(piece.group())
    before = text[max(piece.start() - 2, 0) : piece.start()].lower()
    # An f-string holds expressions.
    is_f = piece.lastgroup == "string" and "f" in before
    return len(_MARK.findall(piece.group())) if is_f else 0
