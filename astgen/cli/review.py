"""`astgen review`: generated code as a page for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from astgen.cli.console import DIFFERENT
from astgen.cli.options import namespace_option

if TYPE_CHECKING:
    from astgen.check import Finding
    from astgen.review.report import Shown

__all__ = ["review_command"]

_TOLD = 20


@click.command("review", short_help="Write a page for a browser about generated code.")
@click.argument("source", type=click.Path(readable=False))
@click.argument("other", type=click.Path(readable=False), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="astgen-review.html",
    show_default=True,
    help="The file that is written.",
)
@click.option(
    "--member",
    metavar="PLACE",
    help="The only program that is shown, by its place in SOURCE and OTHER.",
)
@namespace_option
@click.pass_context
def review_command(
    ctx: click.Context,
    source: str,
    other: str | None,
    output: str,
    member: str | None,
    namespaces: tuple[str, ...],
) -> None:
    """Write one HTML file that shows a program: its code with types and modules, its
    layers, pieces and constants, what the linter says, and how long values live. With
    OTHER, the two are side by side. The file needs no network and asks for nothing.

    SOURCE is a .py file, an artifact, a compile cache or another pickle, a TORCH_TRACE
    log, a zip archive of these, a folder of any of them, or - for standard input. It
    is read, never loaded or run. The page holds code of the model.

    Exit codes: 0 it was written, 1 the checker refuses a program or a part could not
    be read (what there is was shown), 2 it could not be done.
    """
    from astgen.cli.files import demand_other, write_text
    from astgen.review.report import report

    demand_other(Path(output), source, *([] if other is None else [other]))
    shown = _read(source, member)
    beside = None if other is None else _read(other, member)
    found = report(shown, beside, namespaces)
    write_text(Path(output), found.html)
    click.echo(f"{click.format_filename(output)}: {_size(found.html)}", err=True)
    unread = [*shown.findings, *(beside.findings if beside else ())]
    _tell(unread, found.refused)
    if unread or found.refused:
        ctx.exit(DIFFERENT)


def _read(source: str, member: str | None) -> Shown:
    from astgen.lint.sources.refusal import display
    from astgen.review.programs import choose, read_source
    from astgen.review.report import Shown

    found = read_source(source)
    programs = choose(found.programs, member, display(source))
    return Shown(source, programs, found.findings)


def _size(html: str) -> str:
    return f"{len(html) / 1e6:.1f} MB" if len(html) >= 1e5 else f"{len(html)} bytes"


def _tell(findings: Sequence[Finding], refused: int) -> None:
    from astgen.lint.output.cells import printable

    for finding in findings[:_TOLD]:
        click.echo(printable(str(finding)), err=True)
    if len(findings) > _TOLD:
        click.echo(f"... and {len(findings) - _TOLD} more findings", err=True)
    if refused:
        programs = "a program" if refused == 1 else f"{refused} programs"
        click.echo(f"the checker refuses {programs}; the page says why", err=True)
