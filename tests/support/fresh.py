"""Tests that depend on how CPython calls functions, in a process where it can.

A call hands its arguments over to the called frame, which may free them, unless a
frame evaluation hook (PEP 523) is installed: then the caller keeps them until the
call returns. PyTorch leaves its hook installed when a backend raises during
`torch.compile`, as other tests have backends do.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import weakref
from collections.abc import Callable

import pytest

__all__ = ["FRESH", "where_calls_hand_over"]

FRESH = "ASTGEN_FRESH_PROCESS"
"""The environment variable of such a process."""

_SINCE_3_11 = pytest.mark.skipif(
    sys.version_info < (3, 11),
    reason="before Python 3.11 a caller holds its arguments until the call returns",
)


def where_calls_hand_over(test: Callable[[], None]) -> Callable[[], None]:
    """Run a test here if calls hand over their arguments, else in a fresh process."""

    @functools.wraps(test)
    def run() -> None:
        if _hands_over() or FRESH in os.environ:
            test()
            return
        node = f"{sys.modules[test.__module__].__file__}::{test.__name__}"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", node],
            env={**os.environ, FRESH: "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    return _SINCE_3_11(run)


class _Thing:
    """Something to have a weak reference to."""


def _hands_over() -> bool:
    made: list[weakref.ref[_Thing]] = []

    def thing() -> _Thing:
        found = _Thing()
        made.append(weakref.ref(found))
        return found

    def drop(given: _Thing) -> bool:
        del given
        return made[0]() is None

    return drop(thing())
