"""What the commands share in talking to a terminal: exit codes, errors, progress."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from types import TracebackType

import click

__all__ = [
    "DIFFERENT",
    "FAILED",
    "INTERRUPTED",
    "PIPE_CLOSED",
    "Progress",
    "show_error",
    "table",
]

DIFFERENT = 1
FAILED = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

_ERASE_LINE = "\r\x1b[2K"


def show_error(message: str) -> None:
    """Say on stderr what went wrong."""
    click.echo(f"{click.style('astgen: error:', fg='red')} {message}", err=True)


class Progress:
    """What is going on, on stderr, for as long as the `with` block runs.

    One line that is rewritten and goes away in a terminal, a line a stage
    elsewhere, nothing if `quiet`.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._rewrites = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._rewrites and not self._quiet:
            click.echo(_ERASE_LINE, err=True, nl=False, color=True)

    def __call__(self, stage: str) -> None:
        """Show what begins now."""
        if self._quiet:
            return
        if not self._rewrites:
            click.echo(f"astgen: {stage}", err=True)
            return
        width = shutil.get_terminal_size().columns - 1
        line = f"astgen: {stage} ..."[:width]
        click.echo(f"{_ERASE_LINE}{line}", err=True, nl=False, color=True)


def table(rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Lay out rows of cells, the head first; numbers end below each other.

    Args:
        rows: Rows of equal length.
        left: Columns that are text and begin below each other.

    Returns:
        Lines without a newline at the end.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
