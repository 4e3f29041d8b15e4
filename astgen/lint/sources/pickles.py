"""vLLM's and PyTorch's pickled compile caches: read, never loaded.

`pickle_machine` follows the opcodes and describes what they would make; this module
looks for programs in that, for names that should not be there, and for pickles in the
byte strings, which are read in turn.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from astgen.check.finding import Finding, Rule
from astgen.lint.rules.artifacts import BAD_MAGIC, EMPTY_ARTIFACT, INCOMPLETE
from astgen.lint.rules.files import TOO_LARGE
from astgen.lint.rules.pickles import LEGACY_ARTIFACT
from astgen.lint.sources.limits import OPTION, Limits
from astgen.lint.sources.pickle_machine import Budget, Damage, Reading, run
from astgen.lint.sources.pickle_nested import Blob, blobs, is_pickle
from astgen.lint.sources.pickle_paths import Paths, joined
from astgen.lint.sources.pickle_programs import CODE, Found, Programs, entry, states
from astgen.lint.sources.pickle_tally import Tally
from astgen.lint.subject import Contents, Subject

__all__ = ["read_pickle"]

_LEVELS = 8
_SMALL = 1 << 20
_MOST_INCOMPLETE = 100
_RAISE = f"no compile cache is like that; {OPTION} raises the limits in proportion"
_REBUILD = "delete the cache; it is built anew at the next start"


def read_pickle(
    data: bytes,
    path: str,
    member: str,
    limits: Limits,
    *,
    names: Collection[str] = frozenset(),
    found: list[tuple[str, Found]] | None = None,
) -> Contents:
    """Read a pickle without loading it.

    Args:
        data: The file's bytes.
        path: What the file is called in findings.
        member: Where in the file the pickle stands, empty if it is the file.
        limits: How many opcodes, memo entries and nested pickles are read.
        names: Names that the pickle may import beside the listed ones.
        found: Gets each program with its place, if it is given. What the pickle
            would make stays in memory then.

    Returns:
        The programs in it, also those in nested pickles, and what is wrong with it.
        Nothing is raised, whatever the bytes are.
    """
    reader = _Reader(path, limits, names, found)
    with _no_collection():
        reader.read(data, member)
    reader.contents.opcodes = limits.opcodes - max(reader.budget.opcodes, 0)
    return reader.contents


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of small objects that all stay alive make collections the main cost."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@dataclass(frozen=True)
class _Job:
    """A byte string that is to be read."""

    data: bytes
    member: str
    depth: int = 0
    expected: bool = False
    """Whether vLLM would read it as the state of a compiled function."""


class _Reader:
    """The pickles of one file, one after the other; only one is held at a time."""

    def __init__(
        self,
        path: str,
        limits: Limits,
        names: Collection[str],
        found: list[tuple[str, Found]] | None,
    ) -> None:
        self.path = path
        self.found = found
        self.limits = limits
        self.most = limits.programs
        self.budget = Budget(limits.opcodes, limits.memo)
        self.tally = Tally(path, names)
        self.contents = Contents()

    def read(self, data: bytes, member: str) -> None:
        jobs = deque([_Job(data, member)])
        # Every level of nesting is copied once; caches have four.
        left = _LEVELS * len(data) + _SMALL
        while jobs:
            job = jobs.popleft()
            left -= len(job.data)
            if left < 0:
                self.too_much(job.member, "the nested pickles are too many bytes")
                break
            jobs += self.read_one(job)
            if self.budget.opcodes < 0 or len(self.contents.subjects) >= self.most:
                break
        self.contents.findings += self.tally.findings(member)

    def read_one(self, job: _Job) -> list[_Job]:
        reading = run(job.data, self.budget)
        damage = reading.damage
        if damage is not None and damage.too_large:
            self.too_much(job.member, _breaks_off(damage))
        elif job.depth and not (job.expected or is_pickle(job.data, reading)):
            return []
        elif damage is not None:
            self.report(BAD_MAGIC, job.member, _breaks_off(damage), _REBUILD)
        elif not job.depth and reading.end < len(job.data):
            left = len(job.data) - reading.end
            message = f"{left:,} bytes follow the end of the pickle"
            self.report(BAD_MAGIC, job.member, message, _REBUILD)
        self.tally.add(reading, job.member)
        inside, without = states(reading.nodes)
        paths = Paths(reading.top)
        self.programs(job, reading, paths)
        for node in without[:_MOST_INCOMPLETE]:
            self.incomplete(joined(job.member, paths.path(node)))
        if damage is None and job.expected and not entry(reading.top, CODE)[0]:
            self.incomplete(job.member)
        return self.nested(job, blobs(reading), paths, inside)

    def nested(
        self, job: _Job, found: list[Blob], paths: Paths, inside: set[int]
    ) -> list[_Job]:
        jobs = []
        for blob in found:
            place = paths.path(blob.value)
            if not place or place == "...":
                place = f"byte {blob.position}"
            member, expected = joined(job.member, place), id(blob.value) in inside
            if job.depth < self.limits.depth:
                jobs.append(_Job(blob.data, member, job.depth + 1, expected))
            elif is_pickle(blob.data, run(blob.data, self.budget)):
                message = f"pickles are nested more than {self.limits.depth} deep"
                self.too_much(member, message)
        return jobs

    def programs(self, job: _Job, reading: Reading, paths: Paths) -> None:
        for program in Programs().find(reading.nodes):
            if len(self.contents.subjects) >= self.most:
                self.too_much(job.member, f"more than {self.most:,} programs")
                return
            place = joined(paths.path(program.holder), CODE)
            self.program(program, joined(job.member, place))

    def program(self, program: Found, member: str) -> None:
        if program.code is None:
            message = f"the entry {CODE} is no text"
            return self.report(INCOMPLETE, member, message, _REBUILD)
        if not program.code.strip():
            message = f"the entry {CODE} is empty"
            return self.report(EMPTY_ARTIFACT, member, message, _REBUILD)
        if program.legacy:
            message = "the cache has no constants: it is from before vLLM 0.32"
            self.report(LEGACY_ARTIFACT, member, message, _REBUILD)
        elif program.consts is None:
            message = "the constants beside the code are no list that a program has"
            self.report(INCOMPLETE, member, message, _REBUILD)
        subject = Subject(
            text=program.code,
            path=self.path,
            member=member,
            profile=program.profile,
            submod_names=program.names,
            consts=program.consts,
        )
        self.contents.subjects.append(subject)
        if self.found is not None:
            self.found.append((member, program))

    def incomplete(self, member: str) -> None:
        message = f"the state of vLLM's compiled function has no {CODE}"
        self.report(INCOMPLETE, member, message, _REBUILD)

    def too_much(self, member: str, message: str) -> None:
        self.report(TOO_LARGE, member, message, _RAISE)

    def report(self, rule: Rule, member: str, message: str, hint: str) -> None:
        finding = Finding(
            1, 1, 1, 1, rule.code, message, hint, path=self.path, member=member
        )
        self.contents.findings.append(finding)


def _breaks_off(damage: Damage) -> str:
    return f"the pickle breaks off at byte {damage.position:,}: {damage.reason}"
