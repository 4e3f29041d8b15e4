"""`astgen inspect`: what is in an artifact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from astgen.cli.console import table
from astgen.lint.sources.refusal import display
from astgen.store.manifest import supplied_of

if TYPE_CHECKING:
    from astgen.store.inspect import Inspected

__all__ = ["inspect_command"]

_MOST = 50
_WIDEST = 120


@click.command("inspect", short_help="Show what is in an artifact.")
@click.argument("file", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def inspect_command(file: str, as_json: bool) -> None:
    """Show what is in an artifact: program, constants, members, where it is from.

    FILE is what `Program.save` wrote. Every byte of it is compared with its digests;
    nothing of it is loaded or run, and PyTorch is not needed.

    Exit codes: 0 it was shown, 2 it could not be read, or is not whole.
    """
    from astgen.store.inspect import inspect_artifact

    found = inspect_artifact(file)
    if as_json:
        click.echo(json.dumps(found.record(), indent=2))
    else:
        click.echo("\n\n".join(_parts(click.format_filename(file), found)))


def _parts(file: str, found: Inspected) -> Iterator[str]:
    said = found.manifest
    absent = supplied_of(said.consts)
    major, minor = said.version
    facts = [
        ("format", f"astgen {major}.{minor}"),
        ("producer", said.producer or "not said"),
        ("entry", f"{said.entry}({_parameters(found)})"),
        ("digest", found.digest),
        *((f"{name} hash", value) for name, value in sorted(said.hashes.items())),
        *sorted(said.environment.items()),
    ]
    if said.namespaces or said.paths:
        facts.append(("needs", ", ".join((*said.namespaces, *said.paths))))
    yield click.style(file, bold=True) + "\n" + table(_texts(facts), left=[0, 1])
    yield _section("Pieces", ("slot", "name", "called with"), _pieces(found))
    yield _section("Constants", ("slot", "kind", "value"), _consts(found))
    if rows := [(str(slot), kind, found.uses.get(slot, "")) for slot, kind in absent]:
        yield _section("Not in the file", ("slot", "type", "used by"), rows) + (
            "\nWhoever loads the program hands these over: supplied={slot: object}."
        )
    members = [
        (name, str(one.size), one.kind and f"opaque, {one.kind}")
        for name, one in said.members.items()
    ]
    yield _section("Members", ("name", "bytes", ""), members, right=1)
    if said.blobs:
        blobs = list(said.blobs.items())
        yield _section("Opaque blobs", ("for", "member"), blobs) + (
            "\nThey are pickles or code of the backend: reading them runs what is in "
            "them,\nand loading hands them out only with trust=True."
        )
    if found.findings:
        lines = "\n".join(f"  {one}" for one in found.findings[:_MOST])
        yield f"{click.style('The checker refuses the program', fg='red')}\n{lines}"


def _parameters(found: Inspected) -> str:
    if not found.interface:
        return "..."
    marks = {"*": "*", "**": "**"}
    return ", ".join(
        marks.get(kind, "") + name + "=..." * default
        for kind, name, default in found.interface["parameters"]
    )


def _pieces(found: Inspected) -> Iterator[tuple[str, str, str]]:
    said: list[list[object]] = found.interface.get("pieces", [])
    known = [calls for _, calls in said]
    for slot, name in enumerate(found.manifest.submod_names or ()):
        calls = known[slot] if slot < len(known) else []
        yield str(slot), name or "none", _arities(calls)


def _arities(calls: object) -> str:
    if not isinstance(calls, list) or not calls:
        return "not called"
    parts = [
        f"{count} argument{'s' * (count != 1)}"
        + "".join(f", {word}=" for word in words)
        for count, words in calls
    ]
    return "; ".join(parts)


def _consts(found: Inspected) -> Iterator[tuple[str, str, str]]:
    for slot, one in enumerate(found.manifest.consts or ()):
        yield str(slot), one.kind, one.shown


def _section(
    title: str,
    head: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    right: int = -1,
) -> str:
    lines = list(rows)
    if not lines:
        return f"{title}: none"
    left = [column for column in range(len(head)) if column != right]
    body = table([head, *_texts(lines[:_MOST])], left=left)
    if len(lines) > _MOST:
        body += f"\n... and {len(lines) - _MOST} more; --json has them"
    return f"{title}\n{body}"


def _texts(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Cells that move no terminal, whatever the file says."""
    return [tuple(display(cell)[:_WIDEST] for cell in row) for row in rows]
