"""Run again whenever one of the files changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

import click

__all__ = ["watch"]

_PAUSE_SECONDS = 0.4

_State = tuple[int, int, int]


def watch(run: Callable[[], object], files: Callable[[], Iterable[str]]) -> None:
    """Run, and again after every change, until interrupted.

    Args:
        run: What is run; the screen is cleared before in a terminal.
        files: The files to look at; asked anew each time, since files come and go.

    Raises:
        KeyboardInterrupt: The only way out.
    """
    while True:
        # Looked at before the run: a change during it is not missed.
        before = _states(files())
        click.clear()
        run()
        click.echo("Watching for changes; end with Ctrl-C.", err=True)
        while _states(files()) == before:
            time.sleep(_PAUSE_SECONDS)


def _states(files: Iterable[str]) -> dict[str, _State | None]:
    return {file: _state(file) for file in files}


def _state(file: str) -> _State | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
