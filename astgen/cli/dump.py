"""`astgen dump`: generated code, out of whatever it is in, as people read it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from astgen.cli.console import DIFFERENT
from astgen.cli.options import namespace_option

if TYPE_CHECKING:
    from astgen.check import Finding
    from astgen.review.dump import Options
    from astgen.review.programs import ReadProgram

__all__ = ["dump_command"]

_SHOWN = 20
_MOST_COLORED = 1_000_000
"""Characters; beyond, colour takes seconds."""

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")


@click.command("dump", short_help="Show generated code, laid out for readers.")
@click.argument("source", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="A file, or a folder (with / behind it) that gets a file for each program.",
)
@click.option(
    "--member",
    metavar="PLACE",
    help="The only program that is shown, by its place in SOURCE.",
)
@click.option("--alias", is_flag=True, help="Give long names short ones.")
@click.option("--fold", is_flag=True, help="Show repeated layers once; for reading.")
@click.option(
    "--annotate",
    is_flag=True,
    help="Say in comments which type, module and line of the model is behind what, if "
    "SOURCE is an artifact that was saved with its provenance.",
)
@click.option("--legend", is_flag=True, help="Say what is in the slots, in comments.")
@namespace_option
@click.pass_context
def dump_command(
    ctx: click.Context,
    source: str,
    output: str | None,
    member: str | None,
    alias: bool,
    fold: bool,
    legend: bool,
    annotate: bool,
    namespaces: tuple[str, ...],
) -> None:
    """Show generated code exactly as it would run, in black's layout.

    SOURCE is a .py file, an artifact, a compile cache or another pickle, a TORCH_TRACE
    log, a zip archive of these, a folder of any of them, or - for standard input. It
    is read, never loaded or run. Strings and comments are spelled in ASCII; names stay.
    With --alias, the text is called by position; with --fold, it does not run.

    Exit codes: 0 it was shown, 1 the checker refuses it or a part could not be read
    (what there is was shown), 2 it could not be done.
    """
    from astgen.cli.files import demand_other
    from astgen.lint.sources.refusal import display
    from astgen.review.dump import Options
    from astgen.review.programs import choose, read_source

    if output is not None and not source.endswith(".py"):
        # A text may be laid out in its place, what holds it may not be replaced by it.
        demand_other(Path(output), source)
    found = read_source(source)
    programs = choose(found.programs, member, display(source))
    options = Options(alias, fold, legend, annotate, namespaces)
    folder = output is not None and (output.endswith(os.sep) or os.path.isdir(output))
    findings = list(found.findings)
    if output is not None and folder:
        findings += _write_each(programs, options, Path(output))
    else:
        text, more = _joined(programs, options)
        findings += more
        _write(text, output)
    _tell(findings)
    if findings:
        ctx.exit(DIFFERENT)


def _joined(programs: list[ReadProgram], options: Options) -> tuple[str, list[Finding]]:
    """All programs as one text, each below its place if there are several."""
    from astgen.review.dump import dump

    parts: list[str] = []
    findings: list[Finding] = []
    for program in programs:
        title = program.place if len(programs) > 1 else ""
        shown = dump(program, options, title)
        parts.append(shown.text)
        findings += _placed(shown.findings, program.place)
    return "\n\n".join(parts), findings


def _write_each(
    programs: list[ReadProgram], options: Options, folder: Path
) -> Iterator[Finding]:
    from astgen.cli.files import prepare_directory, write_text
    from astgen.review.dump import dump

    prepare_directory(folder)
    taken: set[str] = set()
    for program in programs:
        shown = dump(program, options)
        name = _file_name(program.place, taken)
        write_text(folder / name, shown.text)
        click.echo(f"{click.format_filename(folder / name)}: {program.place}", err=True)
        yield from _placed(shown.findings, name)


def _file_name(place: str, taken: set[str]) -> str:
    """A name for the file of a program, which no other program of the source has."""
    stem = _UNSAFE.sub("_", place.removesuffix(".py")).strip("_.")[:150] or "program"
    name, number = f"{stem}.py", 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}_{number}.py"
    taken.add(name.lower())
    return name


def _write(text: str, output: str | None) -> None:
    if output is None:
        # As bytes: names may have letters that the terminal of somebody does not.
        click.echo(_colored(text).encode(), nl=False)
    else:
        from astgen.cli.files import write_text

        write_text(Path(output), text)


def _colored(text: str) -> str:
    """A text as terminals show it, if this is one and pygments is there."""
    if sys.stdout is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    if os.environ.get("TERM") == "dumb" or len(text) > _MOST_COLORED:
        return text
    try:
        pygments = import_module("pygments")
        lexer = import_module("pygments.lexers.python").PythonLexer(stripnl=False)
        formatter = import_module("pygments.formatters.terminal").TerminalFormatter()
    except ModuleNotFoundError:
        return text
    colored: str = pygments.highlight(text, lexer, formatter)
    return colored


def _placed(findings: tuple[Finding, ...], place: str) -> Iterator[Finding]:
    return (replace(finding, path=place) for finding in findings)


def _tell(findings: list[Finding]) -> None:
    from astgen.lint.output.cells import printable

    for finding in findings[:_SHOWN]:
        click.echo(printable(str(finding)), err=True)
    if len(findings) > _SHOWN:
        click.echo(f"... and {len(findings) - _SHOWN} more findings", err=True)
