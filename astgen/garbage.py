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


class _Worker:
    """Somebody for whom the collector is paused.

    If an interrupt keeps it from ending the pause, its own end does.
    """

    def __del__(self) -> None:
        _pause.end(self)


class _Pause:
    """Who is at work, and whether the collector was on before the first."""

    def __init__(self) -> None:
        # A signal handler may come in between and generate, too.
        self.lock = threading.RLock()
        self.workers: set[int] = set()
        self.was_on = False

    def begin(self, worker: _Worker) -> None:
        with self.lock:
            if not self.workers:
                self.was_on = gc.isenabled()
            self.workers.add(id(worker))
            gc.disable()

    def end(self, worker: _Worker) -> None:
        with self.lock:
            # It is not there if it did not begin, has ended, or is older than the fork.
            if id(worker) in self.workers:
                if len(self.workers) == 1 and self.was_on:
                    gc.enable()
                self.workers.remove(id(worker))
                # A signal handler that came in between, and paused, found this one
                # still at work, and left the collector off.
                if not self.workers and self.was_on:
                    gc.enable()

    def forget(self) -> None:
        """In a forked child no other thread goes on, so nobody would end for it."""
        self.lock = threading.RLock()
        if self.workers and self.was_on:
            gc.enable()
        self.workers.clear()


_pause = _Pause()
os.register_at_fork(after_in_child=_pause.forget)


@contextmanager
def paused() -> Iterator[None]:
    """Switch automatic collections off, for all threads, and back on at the end.

    A caller who had switched them off finds them off. May be nested, and entered by
    several threads: the last one that leaves puts back what the first one found, so
    what other threads say to the collector meanwhile is lost.
    """
    worker = _Worker()
    # An interrupt may come anywhere, even while it begins.
    try:
        _pause.begin(worker)
        yield
    finally:
        _pause.end(worker)
