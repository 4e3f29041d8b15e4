"""A text in printable ASCII that means the same.

Look-alike letters, letters that turn the direction of writing and escape sequences for
terminals do nothing to who reads a dump: in strings and comments they are spelled as
escapes. Names cannot be: those that are not ASCII stay.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from io import StringIO
from tokenize import COMMENT, NAME, TokenError, generate_tokens
from unicodedata import normalize

from astgen.review.dump.splices import Offsets, Splice, spliced

__all__ = ["comment", "escaped", "plain"]

_ODD = re.compile(r"[^\n\t\x20-\x7e]")
_LINE_FEEDS = re.compile(r"(?m)^[ \t\f]*\f")
_PRAGMA = re.compile(r"(astgen|coding|fmt|noqa|type|yapf)(\s*)([:=])")


def plain(text: str, tree: ast.Module | None) -> str:
    """Spell a text in printable ASCII, names apart.

    Args:
        text: The text.
        tree: Its tree, None if it has none.

    Returns:
        A text of the same tree. Where there is no tree, everything is escaped, and the
        text does not run as before.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _ODD.search(text) is None:
        return text
    if tree is None:
        return escaped(text)
    text = spliced(text, _strings(text, tree))
    text = _LINE_FEEDS.sub("", text).replace("\f", " ")
    return text if _ODD.search(text) is None else spliced(text, _tokens(text))


def escaped(text: str) -> str:
    """Spell what is not printable ASCII as Python's escapes, wherever it stands."""
    return _ODD.sub(lambda found: _escape(found[0]), text)


def comment(text: str) -> str:
    """Text from elsewhere, for a comment: on one line, and no comment to any tool."""
    # A value or the name of a file could suppress findings, or say an encoding.
    line = escaped(text).replace("\n", "\\n").replace("\t", "\\t")
    return _PRAGMA.sub(r"\1\2\\x3a", line)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def _strings(text: str, tree: ast.Module) -> Iterator[Splice]:
    """Strings with such characters in them, those in f-strings apart."""
    offsets = Offsets(text)
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
            start, end = offsets.span(node)
            if _ODD.search(offsets.part(start, end)) is not None:
                yield start, end, ascii(node.value)
        elif not isinstance(node, ast.JoinedStr):
            todo += ast.iter_child_nodes(node)


def _tokens(text: str) -> Iterator[Splice]:
    """Comments with such characters, and names that are ASCII to Python."""
    offsets = Offsets(text)
    try:
        for token in generate_tokens(StringIO(text).readline):
            if token.type in (COMMENT, NAME) and _ODD.search(token.string):
                wanted = normalize("NFKC", token.string)
                if token.type == COMMENT:
                    wanted = escaped(token.string)
                line, column = token.start
                start = offsets.of_character(line, column)
                yield start, start + len(token.string.encode()), wanted
    except (TokenError, SyntaxError):
        # Python reads the text, and its own reader of tokens does not.
        return
