"""Values -> JSON that every reader takes."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["dumped", "well_formed"]


def dumped(value: Any) -> str:
    """A value as JSON on one line, in ASCII, whatever its texts hold.

    Args:
        value: What JSON has, tuples included.

    Returns:
        The text; see `well_formed` for the strings in it.
    """
    return json.dumps(_clean(value))


def well_formed(text: str) -> str:
    """A text that every reader takes.

    Lone surrogates, of which the names of files have one for each byte that is not
    UTF-8, are escaped as Python writes them: strict readers refuse them.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value
