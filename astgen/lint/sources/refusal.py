"""Why a file, or a part of one, is not looked at: raised deep down, told as a finding."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from zipfile import BadZipFile

from astgen.check.finding import Finding, Rule
from astgen.lint.rules.artifacts import BAD_MAGIC
from astgen.lint.rules.files import UNREADABLE

__all__ = ["Refused", "display", "reading"]

_DAMAGED = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
    struct.error,
    zlib.error,
)


class Refused(Exception):
    """Something is not read on.

    Attributes:
        rule: The rule that it breaks.
        message: What is wrong.
        hint: The way out.
        line: Where in the text, from 1.
        column: Where in the line, from 1.
    """

    def __init__(
        self, rule: Rule, message: str, hint: str, line: int = 1, column: int = 1
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.hint = hint
        self.line = line
        self.column = column

    def finding(self, path: str, member: str = "") -> Finding:
        """The refusal as a finding about a file or a member of it."""
        return Finding(
            line=self.line,
            column=self.column,
            end_line=self.line,
            end_column=self.column,
            rule=self.rule.code,
            message=self.message,
            hint=self.hint,
            path=path,
            member=member,
        )


def display(name: str) -> str:
    """A name of a file for people.

    Args:
        name: As the system or an archive gives it; it may hold anything.

    Returns:
        The name; what does not print, as the bytes of a name that is not UTF-8 or
        an escape sequence for terminals, is spelled as an escape.
    """
    if name.isprintable():
        return name
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in name
    )


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn what goes wrong while bytes are read into a refusal.

    Args:
        what: What is read, as the beginning of a sentence.

    Raises:
        Refused: It cannot be read, or is damaged.
    """
    try:
        yield
    except OSError as error:
        raise Refused(
            UNREADABLE,
            f"{what} cannot be read: {error.strerror or error}",
            "see that it exists and that you may read it",
        ) from error
    except _DAMAGED as error:
        raise Refused(
            BAD_MAGIC,
            f"{what} is damaged: {str(error)[:200]!r}",
            "fetch or generate the file again",
        ) from error
