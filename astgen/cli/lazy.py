"""A group of commands that are imported when they are asked for.

`astgen lint` answers in a tenth of a second; importing what the other commands
need would be a third of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group whose commands are in modules of their own.

    Args:
        homes: For each command its module; it is called `<name>_command` there.
        kwargs: As for `click.Group`.
    """

    def __init__(self, *args: Any, homes: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = self._homes.get(cmd_name)
        if home is None:
            return None
        return cast(click.Command, getattr(import_module(home), f"{cmd_name}_command"))
