"""`astgen diff`: what generated programs differ in, up to names and numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import click

from astgen.cli.console import DIFFERENT
from astgen.cli.graphs import compared_graphs, graph_lines
from astgen.errors import ArtifactError
from astgen.review.diff import classified, compare_programs, contents_of
from astgen.review.diff.shown import as_json, as_lines, uncompared
from astgen.review.programs import ReadProgram, read_programs

__all__ = ["diff_command"]

_STYLES = {
    "head": {"bold": True},
    "removed": {"fg": "red"},
    "added": {"fg": "green"},
    "note": {"fg": "yellow"},
}

Named = tuple[str, ReadProgram]


@click.command("diff", short_help="Tell what generated programs differ in.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--member", metavar="PLACE", help="Of each source, take this program.")
@click.option("--json", "is_json", is_flag=True, help="Write JSON.")
@click.option(
    "-U",
    "--context",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Show so many statements around each difference.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything differs.")
@click.pass_context
def diff_command(
    ctx: click.Context,
    sources: tuple[str, ...],
    member: str | None,
    is_json: bool,
    context: int,
    exit_code: bool,
) -> None:
    """Compare programs: names of locals and of positional parameters, numbers of slots
    and of functions do not count. Nothing is loaded or run.

    SOURCE is a .py file, an artifact, a vLLM cache, a trace log, a zip archive, a
    folder of these, or - for standard input. Two sources are compared program by
    program. More than two, or one with several programs, are put into classes of equal
    programs, and the first of each class is compared with the first of all. Of two
    folders, the readable graphs that vLLM keeps in its cache are compared as text, too.

    Exit codes: 0, or 1 with --exit-code if anything differs; 1 too if one is no
    generated code; 2 it could not be read.
    """
    read = [(name, read_programs(name, member=member)) for name in sources]
    if len(read) == 2 and len(read[0][1]) == len(read[1][1]):
        records, same = _show_pairs(_pairs(*read), is_json, context)
        graphs = [] if member else compared_graphs(*sources)
        same = same and not any(one["differences"] for one in graphs)
        for one in graphs if not is_json else ():
            _print(graph_lines(one))
        if is_json:
            shown = {"version": 1, "pairs": records, "graphs": graphs}
            click.echo(json.dumps(shown, indent=2))
    else:
        programs = [
            (f"{name}[{one.place}]" if one.place else name, one)
            for name, found in read
            for one in found
        ]
        if len(programs) < 2:
            raise ArtifactError(
                "there is one program, and nothing to compare it with",
                path=sources[0],
                hint="name another source",
            )
        same = _show_classes(programs, is_json, context)
    if exit_code and not same:
        ctx.exit(DIFFERENT)


def _pairs(
    left: tuple[str, Sequence[ReadProgram]], right: tuple[str, Sequence[ReadProgram]]
) -> list[tuple[Named, Named]]:
    """Programs of two sources: those of equal places, else in order."""
    places = [[one.place for one in found] for _, found in (left, right)]
    others = list(right[1])
    if sorted(places[0]) == sorted(places[1]):
        others.sort(key=lambda one: places[0].index(one.place))
    return [
        ((_name(left[0], one), one), (_name(right[0], other), other))
        for one, other in zip(left[1], others)
    ]


def _name(source: str, program: ReadProgram) -> str:
    return f"{source}[{program.place}]" if program.place else source


def _show_pairs(
    pairs: Sequence[tuple[Named, Named]], is_json: bool, context: int
) -> tuple[list[dict[str, Any]], bool]:
    same = True
    found = []
    for (name, left), (other, right) in pairs:
        comparison = compare_programs(left, right)
        same = same and not comparison.differences
        found.append({"left": name, "right": other, **as_json(comparison)})
        if not is_json:
            click.secho(f"--- {name}\n+++ {other}", bold=True)
            _print(as_lines(comparison, left, right, context))
    return found, same


def _print(lines: Iterable[tuple[str, str]]) -> None:
    for style, line in lines:
        click.secho(line, **_STYLES.get(style, {}))  # type: ignore[arg-type]


def _show_classes(programs: Sequence[Named], is_json: bool, context: int) -> bool:
    classes = {
        key: [programs[place] for place in places]
        for key, places in classified([program for _, program in programs]).items()
    }
    first, *others = (members[0] for members in classes.values())
    if is_json:
        shown = [
            {
                "hash": key,
                "members": [name for name, _ in members],
                **as_json(compare_programs(first[1], members[0][1])),
            }
            for key, members in classes.items()
        ]
        click.echo(json.dumps({"version": 1, "classes": shown}, indent=2))
        return not others
    for number, (key, members) in enumerate(classes.items(), 1):
        click.secho(f"class {number}, {key[:12]}: {len(members)}", bold=True)
        for name, _ in members:
            click.echo(f"  {name}")
    unknown = [
        sum(not content for content in contents_of(program).values())
        for _, program in programs
    ]
    if max(unknown):
        click.secho(uncompared(max(unknown), 0), **_STYLES["note"])  # type: ignore[arg-type]
    for other in others:
        click.echo()
        _show_pairs([(first, other)], False, context)
    return not others
