"""Python's garbage collector, out of the way while many small objects are made.

Syntax trees are half a million objects that all stay: the collector looks at them
again and again, and frees nothing. It takes as long as the work itself.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused"]


class _Pause:
    """How many are at work, and whether the collector was on before the first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.workers = 0
        self.was_on = False

    def begin(self) -> None:
        with self.lock:
            if not self.workers:
                self.was_on = gc.isenabled()
                gc.disable()
            self.workers += 1

    def end(self) -> None:
        with self.lock:
            self.workers -= 1
            if not self.workers and self.was_on:
                gc.enable()

    def forget(self) -> None:
        """In a forked child no other thread goes on, so nobody would end for it."""
        self.lock = threading.Lock()
        if self.workers and self.was_on:
            gc.enable()
        self.workers = 0


_pause = _Pause()
os.register_at_fork(after_in_child=_pause.forget)


@contextmanager
def paused() -> Iterator[None]:
    """Switch automatic collections off, for all threads, and back on at the end.

    A caller who had switched them off finds them off. May be nested, and entered by
    several threads: the last one that leaves puts back what the first one found.
    """
    _pause.begin()
    try:
        yield
    finally:
        _pause.end()
