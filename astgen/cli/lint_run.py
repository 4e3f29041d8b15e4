"""One run of `astgen lint`: collect, judge, mend, report.

Findings go to standard output or a file, everything else to standard error, so that
a report can be piped on as it is.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

import click

from astgen import __version__
from astgen.cli.console import DIFFERENT, FAILED
from astgen.errors import SettingsError
from astgen.lint.engine import Job, lint_stream, settings_for, stamp, unread
from astgen.lint.output import renderer, statistics, summary
from astgen.lint.output.cells import printable
from astgen.lint.output.style import Style
from astgen.lint.pool import lint_files
from astgen.lint.report import Report, Result
from astgen.lint.settings import forget
from astgen.lint.sources.discover import STDIN, Found, discover, excluded

__all__ = ["Options", "files_of", "run"]

_COUNTED = ("full", "concise", "json", "jsonl")
"""The formats that counts of findings can be had in."""

_LARGE_RUN = 100
"""Files from which on a bar shows how far a run is."""


@dataclass(frozen=True)
class Options:
    """What the command line says of the run as a whole; see `astgen lint --help`."""

    paths: tuple[str, ...]
    fix: bool
    diff: bool
    baseline: str | None
    write_baseline: str | None
    output_format: str
    output_file: str | None
    statistics: bool
    exit_zero: bool
    quiet: bool
    stdin_filename: str
    jobs: int


def run(options: Options, job: Job) -> int:
    """Look at everything that the command line names, and report.

    Args:
        options: What is wanted of the run.
        job: What is wanted of each file.

    Returns:
        The exit code.

    Raises:
        SettingsError: The configuration or the baseline cannot be used.
        CaptureError: A file cannot be written.
    """
    forget()
    _require_counted(options)
    if options.baseline or options.write_baseline:
        report = _with_baseline(options, job)
    else:
        report = Report(tuple(_results(options, job)), __version__)
    changed = 0
    if options.diff:
        changed = _show_diff(options, report)
    else:
        if options.fix:
            _write_mended(options, report)
        _show(options, report)
    if options.write_baseline and not options.quiet:
        known = sum(result.known for result in report.results)
        click.echo(f"Wrote {known} findings to {options.write_baseline}.", err=True)
    elif not options.quiet:
        click.echo(summary(report, job.given["severity"] or "warning"), err=True)
    if _failed(report):
        return FAILED
    found = report.findings or changed
    return DIFFERENT if found and not options.exit_zero else 0


def _require_counted(options: Options) -> None:
    if options.statistics and options.output_format not in _COUNTED:
        raise SettingsError(
            f"--statistics has no {options.output_format} format; it has "
            f"{', '.join(_COUNTED)}"
        )


def _with_baseline(options: Options, job: Job) -> Report:
    """The report without what a baseline has; or all of it into a baseline."""
    # Most runs have none.
    from astgen.cli.files import write_text
    from astgen.lint import baseline

    known = baseline.read(options.baseline) if options.baseline else None
    report = Report(tuple(_results(options, job)), __version__)
    if options.write_baseline:
        text = baseline.written(report, options.write_baseline)
        write_text(Path(options.write_baseline), text)
        known = baseline.read(options.write_baseline)
    return report if known is None else known.filter(report)


def files_of(options: Options, job: Job) -> list[str]:
    """The files that a run would look at now."""
    written = (options.output_file, options.write_baseline)
    ours = {os.path.realpath(path) for path in written if path is not None}
    found = [one.path for one in _found(options, job) if one.path != STDIN]
    return [path for path in found if os.path.realpath(path) not in ours]


def _found(options: Options, job: Job) -> list[Found]:
    found: dict[str, Found] = {}
    for path in options.paths:
        settings = settings_for(path, job)
        if settings.force_exclude and excluded(path, settings.exclude):
            continue
        for one in discover([path], settings.exclude):
            # What is named twice is looked at once; named as such counts for more.
            if one.path not in found or one.explicit:
                found[one.path] = one
    return list(found.values())


def _results(options: Options, job: Job) -> Iterator[Result]:
    """A result for each file, in order."""
    found = _found(options, job)
    files = [
        (one.path, one.explicit)
        for one in found
        if one.finding is None and one.path != STDIN
    ]
    judged = lint_files(files, job, options.jobs)
    with closing(judged), _bar(len(found), options.quiet) as advance:
        for one in found:
            if one.finding is not None:
                yield unread(one.path, one.finding, job)
            elif one.path == STDIN:
                yield lint_stream(sys.stdin.buffer, options.stdin_filename, job)
            else:
                yield next(judged)
            advance()
        # The processes end before the report begins.
        next(judged, None)


@contextmanager
def _bar(files: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """How far a large run is, on standard error, if that is a terminal."""
    if quiet or files < _LARGE_RUN or not sys.stderr.isatty():
        yield lambda: None
        return
    bar = click.progressbar(length=files, label="astgen lint", file=sys.stderr)
    with bar:
        yield lambda: bar.update(1)


def _show(options: Options, report: Report) -> None:
    """Write the report where it belongs."""
    if options.output_file is None:
        style = Style(color=_wants_color(), width=_width())
        # Standard output is for the mended text, if that came through standard input.
        aside = options.fix and STDIN in options.paths
        _write(_chunks(options, report, style), err=aside)
    else:
        chunks = _chunks(options, report, Style(color=False, width=_width()))
        from astgen.cli.files import write_chunks

        write_chunks(Path(options.output_file), chunks)


def _chunks(options: Options, report: Report, style: Style) -> Iterable[str]:
    if options.statistics:
        table = statistics(report, options.output_format)
        return [f"{table}\n"] if table else []
    return renderer(options.output_format)(report, style)


def _wants_color() -> bool:
    """Colour is for terminals that have it; NO_COLOR and FORCE_COLOR decide first."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _is_terminal() and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _write(chunks: Iterable[str], err: bool = False) -> None:
    """Write to a stream as it is: what looks like colour may be part of a program."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    if isinstance(stream, TextIOWrapper):
        # Code has letters that the terminal of somebody may not have.
        stream.reconfigure(errors="backslashreplace")
    for chunk in chunks:
        stream.write(chunk)
    stream.flush()


def _width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


def _show_diff(options: Options, report: Report) -> int:
    """Show what would change; in how many files."""
    changed = [result for result in report.results if result.diff]
    _write(_for_terminal(r.diff) if _is_terminal() else r.diff for r in changed)
    if not options.quiet:
        files = "file" if len(changed) == 1 else "files"
        click.echo(f"{len(changed)} {files} would change.", err=True)
    return len(changed)


def _for_terminal(diff: str) -> str:
    return "\n".join(map(printable, diff.split("\n")))


def _write_mended(options: Options, report: Report) -> None:
    """Write what was mended: files where they were, standard input behind it."""
    from astgen.cli.files import write_text

    changed = 0
    for result in report.results:
        if result.mended is not None and _is_stdin(options, result):
            sys.stdout.buffer.write(result.mended.encode())
            sys.stdout.flush()
        elif result.mended is not None and result.diff:
            if stamp(result.path) != result.stamp:
                path = click.format_filename(result.path)
                raise SettingsError(f"{path} has changed meanwhile; run --fix again")
            write_text(Path(result.path), result.mended)
            changed += 1
    if changed and not options.quiet:
        click.echo(f"Mended {changed} {'file' if changed == 1 else 'files'}.", err=True)


def _is_stdin(options: Options, result: Result) -> bool:
    return STDIN in options.paths and result.path == options.stdin_filename


def _failed(report: Report) -> bool:
    return any(result.failed for result in report.results)
