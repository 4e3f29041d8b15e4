"""`astgen lint`: files and folders in, findings out, and an exit code."""

from __future__ import annotations

from typing import Any

import click

from astgen.cli.lint_options import lint_options
from astgen.cli.lint_run import Options, files_of, run
from astgen.cli.watch import watch
from astgen.lint.engine import Job

__all__ = ["lint_command"]

_SETTINGS = (
    "select",
    "ignore",
    "extend_select",
    "severity",
    "profile",
    "exclude",
    "force_exclude",
    "max_file_size",
)


@click.command("lint", short_help="Find what is wrong in generated code and caches.")
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATH]...")
@lint_options
@click.pass_context
def lint_command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    config: str | None,
    isolated: bool,
    resolve_ops: bool,
    imports: tuple[str, ...],
    watch_files: bool,
    **given: Any,
) -> None:
    """Find what is wrong in generated stitching code, without running any of it.

    PATH is a .py file, a compile cache or another pickle, an astgen artifact, a
    TORCH_TRACE log, a zip archive of these, a folder of any of them, or - for
    standard input. Without a PATH, the current folder is searched.

    Exit codes: 0 nothing to report, 1 findings, 2 it could not be done.
    """
    if imports and not resolve_ops:
        raise click.UsageError("--import goes with --resolve-ops")
    settings = {name: _joined(given.pop(name)) for name in _SETTINGS}
    options = Options(paths=paths or (".",), **given)
    job = Job(
        given=settings,
        config=config,
        isolated=isolated,
        mend=options.fix or options.diff,
        resolve_ops=resolve_ops,
        imports=imports,
    )
    if watch_files:
        watch(lambda: run(options, job), lambda: files_of(options, job))
    ctx.exit(run(options, job))


def _joined(value: Any) -> Any:
    """A repeatable option as one tuple; None if it was not given."""
    if not isinstance(value, tuple):
        return value
    flat = [
        one for part in value for one in (part if isinstance(part, tuple) else [part])
    ]
    return tuple(flat) or None
