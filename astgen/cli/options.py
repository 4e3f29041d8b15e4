"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["namespace_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def namespace_option(command: Command) -> Command:
    """Add `--namespace`: what the checker lets through beside what it knows."""
    return click.option(
        "--namespace",
        "namespaces",
        multiple=True,
        metavar="NAME",
        help="Operators of torch.ops.NAME may be called. Repeatable.",
    )(command)
