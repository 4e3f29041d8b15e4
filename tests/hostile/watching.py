"""What Python reports of itself (PEP 578), to see that nothing happened."""

from __future__ import annotations

import codecs
import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from astgen.check import paths

__all__ = ["nothing_happens"]

_watching: list[list[str]] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    # Parsing counts as compiling. For the message of a syntax error, Python looks for
    # the line in a file of the name that it shows.
    harmless = event in ("compile", "builtins.id") or args[:1] == ("<unknown>",)
    if _watching and not harmless:
        _watching[-1].append(event)


@functools.cache
def _start() -> None:
    """A hook cannot be taken away again; the lists are read from files, once."""
    sys.addaudithook(_audit)
    for read_the_list in (
        paths.builtin_namespaces,
        paths.methods,
        paths.operators,
        paths.torch_paths,
        paths.values,
    ):
        read_the_list()
    # Python imports a codec when it is first used; pickles of old protocols use these.
    for codec in ("ascii", "latin-1", "raw-unicode-escape"):
        codecs.lookup(codec)


@contextmanager
def nothing_happens() -> Iterator[None]:
    """No import, no execution, no file, no process, nothing that Python audits."""
    _start()
    events: list[str] = []
    _watching.append(events)
    try:
        yield
    finally:
        _watching.remove(events)
    assert not events, " ".join(events)
