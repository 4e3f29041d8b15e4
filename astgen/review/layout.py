"""The layout of black, for texts that do not have it; the meaning stays.

Black is imported when a text needs it.
"""

from __future__ import annotations

import re

from astgen.errors import SettingsError
from astgen.lint.fix.layout import meaning

__all__ = ["has_own_layout", "laid_out", "lay_out"]

_HEAD = re.compile(r"(?:#[^\n]*\n)*import torch\nimport operator\n\n\ndef ")
_WIDTH = 88


def has_own_layout(text: str) -> bool:
    """Whether a text has the looks of astgen's own, which black would not change.

    Black takes a second for what this decides in a millisecond. A line that could
    have been broken says that the text is somebody else's; one name can be longer than
    a line.
    """
    if _HEAD.match(text) is None:
        return False
    return not any(
        len(line) > _WIDTH and ", " in line and not line.startswith("#")
        for line in text.split("\n")
    )


def laid_out(text: str) -> str:
    """A text laid out for readers.

    Args:
        text: Any text.

    Returns:
        The text as it is, if it is astgen's own or black cannot read it; else what
        black makes of it.

    Raises:
        SettingsError: Black is needed and not installed.
    """
    if has_own_layout(text):
        return text
    return lay_out(text) or text


def lay_out(text: str, *, joined: bool = False) -> str | None:
    """What black makes of a text.

    Args:
        text: Any text.
        joined: Whether what has a line for each of its parts, and room on one line,
            goes there.

    Returns:
        A text of the same tree; None if black cannot read this one, or would make
        another one of it.

    Raises:
        SettingsError: Black is not installed.
    """
    try:
        import black
        from black.parsing import InvalidInput
    except ImportError as error:
        message = "the layout is black's, which is not installed; install black"
        raise SettingsError(message) from error
    crlf = "\r\n" in text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    mode = black.Mode(magic_trailing_comma=not joined)
    try:
        wanted = black.format_str(text, mode=mode)
        if meaning(text) != meaning(wanted):
            return None
    except (InvalidInput, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return wanted.replace("\n", "\r\n") if crlf else wanted
