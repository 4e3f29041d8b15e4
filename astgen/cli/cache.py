"""`astgen cache`: what is in a cache, why it was missed, and less of it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from astgen.cli.console import DIFFERENT, show_error, table
from astgen.errors import ArtifactError, AstgenError
from astgen.lint.sources.refusal import display

if TYPE_CHECKING:
    from astgen.backend.cache.folder import Entry

__all__ = ["cache_command"]

_SHORT = 12
_WIDEST = 100
_DAY = 24 * 60 * 60
_FOLDER = click.argument("folder", type=click.Path(readable=False))


@click.group("cache", short_help="List, explain and prune a compile cache.")
def cache_command() -> None:
    """Look after the folder that options={"cache_dir": ...} of the backend names.

    Nothing of it is loaded or run, and PyTorch is not needed.
    """


@cache_command.command("list", short_help="Show the entries.")
@_FOLDER
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def list_command(folder: str, as_json: bool) -> None:
    """Show the entries of FOLDER, the one that was used last first.

    Exit codes: 0 they are shown, 2 the folder could not be read.
    """
    from astgen.backend.cache.folder import entries

    found = entries(folder)
    rows = [(entry, _about(entry)) for entry in found]
    if as_json:
        records = [{**vars(entry), "about": about} for entry, about in rows]
        click.echo(json.dumps(records, indent=2))
        return
    head = ("key", "bytes", "used", "pieces", "nodes", "torch")
    lines = [(*_cells(entry), *about.values()) for entry, about in rows]
    if lines:
        click.echo(table([head, *lines], left=[0, 2, 3, 5]))
    total = sum(entry.size for entry in found)
    plural = "y" if len(found) == 1 else "ies"
    click.echo(f"{len(found)} entr{plural}, {total} bytes")


@cache_command.command("explain-miss", short_help="Show what two entries differ in.")
@_FOLDER
@click.argument("first", metavar="KEY")
@click.argument("second", metavar="[KEY]", required=False)
@click.pass_context
def explain_command(
    ctx: click.Context, folder: str, first: str, second: str | None
) -> None:
    """Show why the entry KEY was not found where there was another.

    KEY is a key in FOLDER, or the beginning of one. Without a second one, the entry
    is compared with the nearest other.

    Exit codes: 0 they have the same ingredients, 1 they differ, 2 it could not be
    done.
    """
    from astgen.backend.cache.difference import differences, nearest
    from astgen.backend.cache.folder import entries, ingredients_of

    found = [entry for entry in entries(folder) if not entry.is_damaged]
    one = _named(found, first)
    wanted = ingredients_of(one.path)
    if second is None:
        others = {}
        for entry in found:
            if entry.key != one.key:
                try:
                    others[entry.key] = ingredients_of(entry.path)
                except ArtifactError as error:
                    show_error(str(error))
        nearby = nearest(wanted, others)
        if nearby is None:
            raise _Unknown(f"{one.key[:_SHORT]} is the only entry; name another cache")
        second = nearby
    other = _named(found, second)
    click.echo(f"{one.key[:_SHORT]} and {other.key[:_SHORT]} differ in")
    missed = differences(wanted, ingredients_of(other.path))
    for difference in missed:
        click.echo(click.style(difference.ingredient, bold=True))
        for sign, text in (("-", difference.first), ("+", difference.second)):
            click.echo(f"  {sign} {display(text)[:_WIDEST]}")
        if difference.more:
            click.echo(f"  and {difference.more} more of the kind")
    if not missed:
        click.echo("nothing")
    ctx.exit(DIFFERENT if missed else 0)


def _number(ctx: click.Context, _: click.Parameter, value: float | None) -> Any:
    # No time is longer ago than one that is no number, so nothing would be old.
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("it is no number of days", ctx)
    return value


@cache_command.command("prune", short_help="Remove entries.")
@_FOLDER
@click.option(
    "--days",
    type=click.FloatRange(min=0),
    callback=_number,
    help="Those not used for so long.",
)
@click.option(
    "--keep-bytes", type=click.IntRange(min=0), help="The oldest beyond so much."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def prune_command(
    folder: str, days: float | None, keep_bytes: int | None, dry_run: bool
) -> None:
    """Remove entries of FOLDER: damaged ones, and those that the options name.

    Exit codes: 0 it is done, 2 it could not be done.
    """
    from astgen.backend.cache.folder import entries, remove, sweep_folder

    kept = freed = count = 0
    for entry in entries(folder):
        is_old = days is not None and time.time() - entry.used > days * _DAY
        is_beyond = keep_bytes is not None and kept + entry.size > keep_bytes
        if not (entry.is_damaged or is_old or is_beyond):
            kept += entry.size
            continue
        count, freed = count + 1, freed + entry.size
        if not dry_run:
            remove(entry)
    if not dry_run:
        sweep_folder(folder)
    plural = "y" if count == 1 else "ies"
    verb = "would be removed" if dry_run else "removed"
    click.echo(f"{count} entr{plural} {verb}, {freed} bytes; {kept} bytes are kept")


class _Unknown(AstgenError):
    """A key names no entry, or several."""


def _named(found: list[Entry], key: str) -> Entry:
    named = [entry for entry in found if entry.key.startswith(key)]
    if len(named) != 1:
        many = "several entries begin" if named else "no entry begins"
        raise _Unknown(f"{many} with {key!r}; `astgen cache list` shows the keys")
    return named[0]


def _cells(entry: Entry) -> tuple[str, str, str]:
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
    return entry.key[:_SHORT], str(entry.size), used


def _about(entry: Entry) -> dict[str, str]:
    from astgen.backend.cache.folder import ingredients_of

    if entry.is_damaged:
        return {"pieces": "damaged", "nodes": "", "torch": ""}
    try:
        said = ingredients_of(entry.path)
    except ArtifactError:
        return {"pieces": "damaged", "nodes": "", "torch": ""}
    return {
        "pieces": _text(said, "options", "pieces"),
        "nodes": str(len(said.get("graph", ()))),
        "torch": _text(said, "versions", "torch"),
    }


def _text(said: Mapping[str, Any], *steps: str) -> str:
    value: Any = said
    for step in steps:
        value = value.get(step, "") if isinstance(value, dict) else ""
    return display(str(value))
