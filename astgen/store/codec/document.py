"""Documents as bytes: JSON of one spelling, read with limits. No torch here.

One document has one spelling: sorted keys, no spaces, ASCII, no fractions. What is
spelled otherwise is refused, so equal documents are equal bytes and the other way
around, and no reader can see another value in them than this one does.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any, NoReturn

from astgen.errors import ArtifactError

__all__ = ["MAX_BYTES", "MAX_NESTING", "NAME", "dumps", "loads"]

NAME = "consts.json"
"""The member of an artifact that the document is."""

MAX_BYTES = 1 << 26
"""Constants are few and small; what is large about them lies outside the document."""

MAX_NESTING = 320
"""Brackets in brackets. The JSON reader of Python is recursive, in C, and may be told
not to stop before its stack ends."""

_MAX_ITEMS = 1 << 22
_ROUNDS = 12
_LONG_NUMBER = re.compile(rb"[0-9]{20}")
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def dumps(document: Any) -> bytes:
    """Spell a document.

    Args:
        document: What `encode` made: objects, lists, text, whole numbers, booleans
            and null.

    Returns:
        Its bytes.

    Raises:
        ArtifactError: It is nothing that `loads` would read.
    """
    try:
        data = _spelled(document)
    except (TypeError, ValueError, RecursionError) as error:
        raise _error(f"it has no spelling: {type(error).__name__}") from error
    try:
        _demand_size(data, MAX_BYTES)
        _check(data)
    except ArtifactError as error:
        hint = "use fewer constants, and tensors for those that are many numbers"
        raise ArtifactError(error.reason, path=NAME, hint=hint) from error
    return data


def loads(data: bytes, max_bytes: int = MAX_BYTES) -> Any:
    """Read a document.

    Args:
        data: The bytes.
        max_bytes: The most bytes that are read.

    Returns:
        The document.

    Raises:
        ArtifactError: It is too large, nested too deeply, no JSON, or spelled
            otherwise than `dumps` does.
    """
    _demand_size(data, max_bytes)
    _check(data)
    try:
        document = json.loads(
            data, parse_float=_no_fraction, parse_constant=_no_fraction
        )
        same = _spelled(document) == data
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise _error(f"it is no JSON: {reason}") from error
    if not same:
        raise _error("it is not in the one spelling that documents have")
    return document


def _spelled(document: Any) -> bytes:
    return json.dumps(
        document, allow_nan=False, separators=(",", ":"), sort_keys=True
    ).encode("ascii")


def _demand_size(data: bytes, most: int) -> None:
    if len(data) > most:
        raise _error(f"it has {len(data)} bytes, more than {most}")


def _check(data: bytes) -> None:
    """Refuse what is dangerous to read, or slow, before it is read."""
    text = data
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = b'"'.join(text.split(b'"')[::2])
    if _LONG_NUMBER.search(structure):
        raise _error("a number in it has more than 19 digits")
    brackets = structure.translate(_BRACKETS, _NO_BRACKETS)
    if structure.count(b",") + len(brackets) > _MAX_ITEMS:
        raise _error(f"it holds more than {_MAX_ITEMS} items")
    depth = 0
    while brackets and depth < _ROUNDS:
        # One level a round, the innermost, without a loop over the bytes.
        brackets, depth = brackets.replace(b"[]", b""), depth + 1
    steps = map({ord("["): 1, ord("]"): -1}.__getitem__, brackets)
    if depth + max(accumulate(steps), default=0) > MAX_NESTING:
        raise _error(f"it is nested deeper than {MAX_NESTING} levels")


def _no_fraction(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no whole number")


def _error(reason: str) -> ArtifactError:
    return ArtifactError(reason, path=NAME)
