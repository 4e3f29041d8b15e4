"""`astgen fmt`: dumps of any generator in black's layout, in place."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from astgen.cli.console import DIFFERENT, FAILED, show_error
from astgen.errors import AstgenError, CaptureError, SettingsError
from astgen.lint.sources.discover import STDIN, Found, discover
from astgen.lint.sources.refusal import display

__all__ = ["fmt_command"]


@click.command("fmt", short_help="Lay out dumps of generated code with black.")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(readable=False),
    metavar="PATH...",
)
@click.option("--check", is_flag=True, help="Write nothing; say what would change.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.pass_context
def fmt_command(
    ctx: click.Context, paths: tuple[str, ...], check: bool, diff: bool
) -> None:
    """Lay out texts of generated code, edited by hand or not, with black, in place.

    PATH is a text, a folder in which generated code is looked for, or - for standard
    input, which goes to standard output. The syntax tree stays, or the file does.

    Exit codes: 0 all is laid out, 1 something would change (--check, --diff), 2 it
    could not be done.
    """
    run = _Run(check, diff)
    for found in discover(paths):
        try:
            run.file(found)
        except SettingsError:
            raise
        except AstgenError as error:
            show_error(str(error))
            run.failed = True
    run.summary()
    if run.failed:
        ctx.exit(FAILED)
    if run.changed and (check or diff):
        ctx.exit(DIFFERENT)


class _Run:
    """One run of the command.

    Attributes:
        changed: How many files changed, or would.
        unchanged: How many are laid out already.
        failed: Whether something could not be done.
    """

    def __init__(self, check: bool, diff: bool) -> None:
        self.check = check
        self.diff = diff
        self.changed = self.unchanged = 0
        self.failed = False

    def file(self, found: Found) -> None:
        """Lay out one file.

        Raises:
            AstgenError: It cannot be done.
        """
        from astgen.review.formatting import Formatted, format_bytes, format_file

        result: Formatted | None
        if found.finding is not None:
            show_error(str(found.finding))
            self.failed = True
            return
        if found.path == STDIN:
            result = format_bytes(_read_stdin(), "<stdin>")
        else:
            result = format_file(found.path, explicit=found.explicit)
        if result is None:
            return
        if result.before == result.after:
            self.unchanged += 1
        else:
            self.changed += 1
        if self.diff:
            self._show(result.before, result.after, display(result.path))
        elif self.check and result.before != result.after:
            click.echo(f"would change: {display(result.path)}", err=True)
        elif not self.check and found.path == STDIN:
            click.echo(result.after.encode(), nl=False)
        elif not self.check and result.before != result.after:
            self._write(result.path, result.after, result.stamp)

    def _show(self, before: str, after: str, path: str) -> None:
        from astgen.lint.fix import diff
        from astgen.lint.output.cells import printable

        shown = diff(before, after, path)
        if sys.stdout.isatty():
            shown = "\n".join(map(printable, shown.split("\n")))
        click.echo(shown.encode("utf-8", "backslashreplace"), nl=False)

    def _write(self, path: str, text: str, known: tuple[int, ...]) -> None:
        from astgen.cli.files import write_text
        from astgen.lint.engine import stamp

        if stamp(path) != known:
            raise CaptureError(f"{display(path)} has changed meanwhile; run it again")
        write_text(Path(path), text)

    def summary(self) -> None:
        """Say how many files there were, on standard error."""
        would = "would change" if self.check or self.diff else "laid out"
        parts = [
            f"{count} {'file' if count == 1 else 'files'} {what}"
            for count, what in (
                (self.changed, would),
                (self.unchanged, "as it should be"),
            )
            if count
        ]
        click.echo(f"{', '.join(parts) or 'no generated code found'}.", err=True)


def _read_stdin() -> bytes:
    from astgen.lint.sources.limits import Limits

    return sys.stdin.buffer.read(Limits().file_bytes + 1)
