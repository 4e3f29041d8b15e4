"""`astgen verify`: are artifacts whole, byte for byte?"""

from __future__ import annotations

import click

from astgen.cli.console import DIFFERENT, FAILED, show_error
from astgen.errors import ArtifactError

__all__ = ["verify_command"]

_NOT_LOOKED_AT = frozenset({"AG004", "AG005"})


@click.command("verify", short_help="Tell whether artifacts are whole.")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(readable=False), metavar="FILE..."
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what is whole.")
@click.pass_context
def verify_command(ctx: click.Context, files: tuple[str, ...], quiet: bool) -> None:
    """Compare every byte of artifacts with their digests. Nothing is loaded or run.

    FILE is what `Program.save` wrote. Whether the program in it may be run is another
    question, which `astgen lint` answers.

    Exit codes: 0 all are whole, 1 one is damaged, 2 one could not be looked at.
    """
    from astgen.store.inspect import verify_artifact

    code = 0
    for file in files:
        shown = click.format_filename(file)
        try:
            found = verify_artifact(file)
        except ArtifactError as error:
            if error.rule in _NOT_LOOKED_AT:
                code = FAILED
                show_error(str(error))
            else:
                code = code or DIFFERENT
                where = f"{error.field}: " * bool(error.field)
                reason = f"{where}{error.reason}"
                click.echo(f"{shown}: {click.style('damaged', fg='red')}: {reason}")
        else:
            if not quiet:
                count = len(found.manifest.members)
                members = f"{count} member{'s' * (count != 1)}, {found.size} bytes"
                click.echo(f"{shown}: {click.style('whole', fg='green')}: {members}")
    ctx.exit(code)
