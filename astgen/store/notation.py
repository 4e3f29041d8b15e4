"""JSON as artifacts have it: one spelling for one value, and limits before parsing."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["parse_json", "write_json"]

_STRING = re.compile(rb'"[^"]*"?')
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


def write_json(value: Any) -> bytes:
    """The canonical spelling of a value: keys in order, ASCII, no spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def parse_json(data: bytes, depth: int) -> Any:
    """Read JSON that nobody vouches for.

    Args:
        data: The bytes, of which the caller has checked that they are not too many.
        depth: How deep lists and objects may be nested.

    Returns:
        The value.

    Raises:
        ValueError: It is no JSON, nested too deeply, or has a key twice.
    """
    level = 0
    # The parser recurses, and how far it gets depends on the Python.
    bare = data.replace(rb"\\", b"").replace(rb"\"", b"")
    for bracket in _STRING.sub(b"", bare).translate(None, _NO_BRACKETS):
        level += 1 if bracket in b"[{" else -1
        if level > depth:
            raise ValueError(f"it is nested more than {depth} deep")
    return json.loads(
        data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        # Which of the values counts depends on the reader.
        raise ValueError("a key stands there twice")
    return content


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
