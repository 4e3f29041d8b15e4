"""Text to syntax tree, or to the one finding why there is none."""

from __future__ import annotations

import ast
import re
import threading
from dataclasses import replace

from astgen.check.finding import Finding
from astgen.check.report import Lines
from astgen.check.rules.parsing import SYNTAX_ERROR
from astgen.check.towers import tower

__all__ = ["PARSER", "parse"]

PARSER = threading.RLock()
"""Held while trees are made of text, or code of trees.

CPython 3.11 counts the depth of both in one place for all threads, and a finalizer
that runs in between lets another thread in.
"""

_REPR = re.compile(
    r"<(?:(?:built-in )?(?:function|method) |bound method |slot wrapper '"
    r"|(?:class|enum|module) '"
    r"|[A-Za-z_][\w.]*: [^<>]*>"
    r"|[A-Za-z_][^<>]* at 0x[0-9A-Fa-f])"
)
"""What repr() writes of functions, modules, classes, members of enums and objects."""
_DAMAGED = "the file is damaged, or no generated code; generate it again"
_WRITTEN_WITH_REPR = "a value was written with repr(); it belongs into a constant slot"


def parse(text: str) -> ast.Module | Finding:
    """Parse a text.

    Args:
        text: Anything; nothing of it is run.

    Returns:
        The tree, or the finding if there is none: bad syntax, null bytes, lone
        surrogates, or more depth than Python's parser takes.
    """
    if "\0" in text:
        # What Python says of them, and where, differs between its versions.
        return _finding("null bytes", *_position(text, text.index("\0")))
    why_not = tower(text)
    if why_not is not None:
        return _finding(why_not)
    # Warnings of the tokenizer are not silenced: that cannot be done for one
    # thread alone, and generated text gives none.
    try:
        with PARSER:
            return ast.parse(text)
    except SyntaxError as error:
        found = _finding(
            error.msg, error.lineno, error.offset, error.end_lineno, error.end_offset
        )
        return replace(found, hint=_hint(text, found.line))
    except UnicodeEncodeError as error:
        return _finding("a lone surrogate", *_position(text, error.start))
    except (RecursionError, MemoryError):
        return _finding("it is nested too deeply for the parser")


def _position(text: str, index: int) -> tuple[int, int]:
    """Line and column of a character."""
    before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _hint(text: str, line: int) -> str:
    """Why a line may be broken, and the way out."""
    broken = "".join(Lines(text).lines[line - 1 : line])
    return _DAMAGED if _REPR.search(broken) is None else _WRITTEN_WITH_REPR


def _finding(
    reason: str,
    line: int | None = None,
    column: int | None = None,
    end_line: int | None = None,
    end_column: int | None = None,
) -> Finding:
    """Python leaves positions out or at 0 where it has none."""
    line, column = max(line or 1, 1), max(column or 1, 1)
    end = max((line, column), (end_line or line, end_column or column))
    return Finding(
        line=line,
        column=column,
        end_line=end[0],
        end_column=end[1],
        rule=SYNTAX_ERROR.code,
        message=f"not a Python program: {reason}",
        hint=_DAMAGED,
    )
