"""One file -> its result: read, judge, suppress, select, mend.

This is what runs in each worker process. Nothing that a file holds can end it:
what cannot be read is a finding, and so is a mistake of the linter's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from typing import Any, BinaryIO

from astgen.check.finding import Finding
from astgen.check.report import Lines
from astgen.errors import SettingsError
from astgen.lint.profile import detect
from astgen.lint.program import judge
from astgen.lint.report import Result, lines_around
from astgen.lint.rules.engine import INTERNAL_ERROR
from astgen.lint.rules.layout import NOT_FORMATTED
from astgen.lint.select import selected
from astgen.lint.settings import Settings, nearest, read_settings
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.subject import Contents, Subject
from astgen.lint.suppress import suppressions

__all__ = [
    "Job",
    "broken",
    "lint_bytes",
    "lint_file",
    "lint_stream",
    "settings_for",
    "stamp",
    "unread",
]


_MANY = 100_000
"""Findings of one program that are mended at once."""


@dataclass(frozen=True)
class Job:
    """What the command line wants of every file.

    Attributes:
        given: Fields of `Settings` that it gives, over those of configuration.
        config: The only file of configuration, if it names one.
        isolated: Whether nothing beside the command line counts: no configuration
            that it does not name, no comment in the files.
        mend: Whether findings that carry edits are mended.
        resolve_ops: Whether operators are looked up in this process's PyTorch.
        imports: Modules that are imported before, since they register operators.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    config: str | None = None
    isolated: bool = False
    mend: bool = False
    resolve_ops: bool = False
    imports: tuple[str, ...] = ()


def settings_for(path: str, job: Job) -> Settings:
    """The settings that hold for a file or folder.

    Raises:
        SettingsError: A file of configuration is wrong.
    """
    if job.config is not None:
        found = read_settings(job.config) or Settings()
    elif job.isolated:
        found = Settings()
    else:
        found = nearest(path)
    return found.over(**job.given)


def lint_file(path: str, explicit: bool, job: Job) -> Result:
    """Look at one file.

    Args:
        path: The file.
        explicit: Whether the command line names it, rather than a folder above it.
        job: What is wanted.

    Returns:
        What was found.

    Raises:
        SettingsError: A file of configuration is wrong.
    """
    return _guarded(path, job, lambda desk: desk.read(explicit))


def lint_bytes(data: bytes, path: str, job: Job) -> Result:
    """Look at bytes that come from anywhere; see `lint_file`."""
    return _guarded(path, job, lambda desk: desk.read_bytes(data))


def lint_stream(stream: BinaryIO, path: str, job: Job) -> Result:
    """Look at standard input, at no more of it than of a file; see `lint_file`."""

    def read_it(desk: _Desk) -> Contents:
        return desk.read_bytes(stream.read(desk.limits.file_bytes + 1))

    return _guarded(path, job, read_it)


def unread(path: str, finding: Finding, job: Job) -> Result:
    """The result of a path at which there is nothing to read; see `lint_file`."""
    return _guarded(path, job, lambda desk: Contents(findings=[finding]))


def stamp(path: str) -> tuple[int, ...]:
    """What changes when a file does; nothing if there is no such file."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def broken(path: str, reason: str) -> Result:
    """The result of a file that the linter broke down on."""
    message = f"the linter broke down: {ascii(reason[:500])[1:-1]}"
    hint = "this is a bug of astgen, please report it with the file"
    finding = Finding(1, 1, 1, 1, INTERNAL_ERROR.code, message, hint, path)
    return Result(path, findings=(finding,), failed=True)


def _guarded(path: str, job: Job, read_it: Callable[[_Desk], Contents]) -> Result:
    try:
        _import(job.imports)
        desk = _Desk(path, job)
        return desk.result(read_it(desk))
    except SettingsError:
        raise
    except Exception as error:
        return broken(path, f"{type(error).__name__}: {error}")


@cache
def _import(names: tuple[str, ...]) -> None:
    """Import what the command line names, once a process."""
    for name in names:
        try:
            import_module(name)
        except ImportError as error:
            raise SettingsError(f"--import {name}: {error}; install it") from error


class _Desk:
    """Where one file is looked at: what holds for it, and what is done with it."""

    def __init__(self, path: str, job: Job) -> None:
        self.path = path
        self.job = job
        self.settings = settings_for(path, job)
        self.active = _active(self.settings, self.settings.ignored_in(path))
        size = self.settings.max_file_size
        self.stamp = stamp(path) if job.mend else ()
        self.limits = Limits() if size is None else Limits().for_files_of(size)

    def read(self, explicit: bool) -> Contents:
        names = frozenset(self.settings.pickle_globals)
        return read(self.path, self.limits, explicit=explicit, names=names)

    def read_bytes(self, data: bytes) -> Contents:
        names = frozenset(self.settings.pickle_globals)
        return read_bytes(data, self.path, self.limits, explicit=True, names=names)

    def result(self, contents: Contents) -> Result:
        """Judge the programs of a file, and keep what is to be reported."""
        # Readers make paths printable; whoever writes a report knows better how.
        found = [
            replace(one, path=self.path)
            for one in contents.findings
            if one.rule in self.active
        ]
        texts: dict[str, str] = {}
        mended: str | None = None
        difference, suppressed = "", 0
        for subject in contents.subjects:
            subject = replace(subject, path=self.path)
            if self.job.mend and not subject.member:
                # The layout tells one generator from the other, and may change.
                profile = subject.profile or detect(subject.text)
                subject = replace(subject, profile=profile)
                mended, difference = self._mended(subject)
                subject = replace(subject, text=mended)
            findings, count = self._judged(subject, self.active)
            texts[subject.member] = subject.text
            found += findings
            suppressed += count
        shown = [one for one in found if self.settings.reports(one.rule)]
        return Result(
            self.path,
            programs=len(contents.subjects),
            findings=tuple(shown),
            lines=_lines(shown, texts),
            hidden=len(found) - len(shown),
            suppressed=suppressed,
            passed=contents.passed,
            mended=mended,
            diff=difference,
            stamp=self.stamp,
        )

    def _mended(self, subject: Subject) -> tuple[str, str]:
        """A text after the safe fixes, and the difference."""
        # Few runs mend.
        from astgen.lint.fix import diff, mend

        layout = NOT_FORMATTED.code in self.active
        layout = layout and self.settings.reports(NOT_FORMATTED.code)
        text = mend(subject.text, partial(self._again, subject), layout=layout)
        return text, diff(subject.text, text, self.path)

    def _again(self, subject: Subject, text: str) -> Sequence[Finding]:
        # The layout comes last, once: it costs more than everything else.
        active = self.active - {NOT_FORMATTED.code}
        found = self._judged(replace(subject, text=text), active, _MANY)[0]
        return [one for one in found if self.settings.reports(one.rule)]

    def _judged(
        self, subject: Subject, active: Set[str], most: int | None = None
    ) -> tuple[Sequence[Finding], int]:
        """The findings of a program, and how many of them a comment suppresses."""
        found: Sequence[Finding] = judge(
            subject,
            self.settings,
            active,
            most=most or self.limits.findings,
            resolve_ops=self.job.resolve_ops,
        )
        # What is shipped in a cache does not decide how it is judged.
        if subject.member or self.job.isolated:
            return found, 0
        return suppressions(subject.text, subject.path).apply(found, active)


@cache
def _active(settings: Settings, ignored: tuple[str, ...]) -> Set[str]:
    extended = settings.extend_select
    return selected(settings.select, settings.ignore, extended, ignored)


def _lines(
    findings: Sequence[Finding], texts: Mapping[str, str]
) -> dict[tuple[str, int], str]:
    """The lines that findings point at, and those around."""
    split: dict[str, list[str]] = {}
    kept: dict[tuple[str, int], str] = {}
    for finding in findings:
        member = finding.member
        if member not in texts:
            continue
        if member not in split:
            split[member] = Lines(texts[member]).lines
        lines = split[member]
        for number in lines_around(finding):
            if 0 < number <= len(lines):
                kept[member, number] = lines[number - 1]
    return kept
