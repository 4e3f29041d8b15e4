"""Generated text where tracebacks, debuggers and `inspect` look for source lines.

The file name is made of the content, so equal programs share one entry. An entry
stays as long as a function compiled from it is alive.
"""

from __future__ import annotations

import hashlib
import io
import linecache
import threading
import weakref
from collections.abc import Sequence
from functools import cached_property
from types import FunctionType
from typing import overload

__all__ = ["file_name", "keep_while_alive"]

_lock = threading.RLock()
_users: dict[str, int] = {}


class _Lines(Sequence[str]):
    """The lines of a text, which is taken apart when somebody asks for one."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        # Python's lines end at line feeds only; str.splitlines knows others, too.
        return list(io.StringIO(self._text, newline=None))

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._lines[place]


def file_name(text: str) -> str:
    """The file name of a text; angle brackets mark that it is no file on disk."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"<astgen {digest[:16]}>"


def keep_while_alive(text: str, name: str, function: FunctionType) -> None:
    """Show `text` as the source of `name` until `function` is gone.

    Args:
        text: The source text.
        name: Its file name, from `file_name`.
        function: A function that was compiled under that name.
    """
    with _lock:
        _users[name] = _users.get(name, 0) + 1
        # No modification time: linecache.checkcache leaves such entries alone.
        entry = (len(text), None, _Lines(text), name)
        linecache.cache[name] = entry  # type: ignore[assignment]
    weakref.finalize(function, _release, name).atexit = False


def _release(name: str) -> None:
    with _lock:
        _users[name] -= 1
        if not _users[name]:
            del _users[name]
            linecache.cache.pop(name, None)
