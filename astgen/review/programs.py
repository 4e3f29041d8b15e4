"""A source that somebody names -> the programs in it, read and never loaded.

A source is a text, an artifact, a pickled compile cache, a TORCH_TRACE log, a zip
archive of these, a folder of any of them, or standard input. The linter's readers do
the reading, with the linter's limits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from astgen.check import Dialect, Finding
from astgen.check.finding import Profile
from astgen.errors import ArtifactError
from astgen.lint.profile import detect, dialect_of
from astgen.lint.rules.artifacts import BAD_MAGIC
from astgen.lint.rules.files import NO_CODE, TOO_LARGE
from astgen.lint.sources.discover import STDIN, discover
from astgen.lint.sources.limits import Limits, Spent
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.sources.refusal import Refused, display
from astgen.lint.subject import Constant, Contents, Subject
from astgen.provenance.document import MOST_BYTES, read_provenance
from astgen.provenance.model import Provenance
from astgen.store.asked import asked_names
from astgen.store.contents import read_content_keys
from astgen.store.manifest import Manifest
from astgen.store.members import CODE, CONSTANTS, PROVENANCE

__all__ = ["ReadProgram", "Source", "choose", "read_programs", "read_source"]

_OF_LOADING = frozenset({"AG604", "AG605", "AG608", "AG610"})
"""What is said of files that somebody loads: here they are only looked at."""

_SHOWN = 10

T = TypeVar("T")


@dataclass(frozen=True)
class ReadProgram:
    """A program as a file has it.

    Attributes:
        code: The source text.
        submod_names: The names of the pieces in slot order, None if they are not in
            the file; a name is None if the file has none for that slot.
        constants: The constants in slot order as the file describes them, None if
            they are not in the file. They were never made. Keys of an artifact's are
            equal for constants of equal content.
        place: Where in the source it stands, empty if it is the source: a file in a
            folder, a member of an archive, or both as `file[member]`.
        profile: Who generated the text.
        entry: The name of the function that is called, if the file says it.
        manifest: The manifest of the artifact that it is of, if it is of one.
        provenance: Where its statements come from, if the file says it.
    """

    code: str
    submod_names: tuple[str | None, ...] | None = None
    constants: tuple[Constant, ...] | None = None
    place: str = ""
    profile: Profile = "astgen-1"
    entry: str = ""
    manifest: Manifest | None = None
    provenance: Provenance | None = None

    @property
    def blobs(self) -> dict[str, str]:
        """The digest of what a backend compiled, by the name of the piece."""
        said = self.manifest
        if said is None:
            return {}
        return {
            name: said.members[member].sha256 for name, member in said.blobs.items()
        }

    def dialect(self, namespaces: Sequence[str] = ()) -> Dialect:
        """The names that the text may use.

        Args:
            namespaces: Operator namespaces that are allowed beside the usual ones.
        """
        dialect = dialect_of(self.code, self.profile, namespaces)
        if self.manifest is not None:
            return asked_names(self.manifest, dialect)
        return replace(dialect, entry=self.entry) if self.entry else dialect


@dataclass(frozen=True)
class Source:
    """What a source holds.

    Attributes:
        programs: The programs, in the order of names and of their places in files. A
            text that stands beside its artifact in a folder is not there twice.
        findings: What cannot be read of it, or is not what it should be.
    """

    programs: tuple[ReadProgram, ...]
    findings: tuple[Finding, ...] = ()


def read_programs(
    path: str | os.PathLike[str], *, member: str | None = None
) -> list[ReadProgram]:
    """Read a source of which every part is wanted.

    Args:
        path: A file or a folder, or `-` for standard input.
        member: The place of the only program that is wanted.

    Returns:
        The programs; at least one.

    Raises:
        ArtifactError: There is none, none at that place, or a part of the source
            cannot be read.
    """
    source = read_source(path)
    for finding in source.findings:
        raise _refused(finding)
    return choose(source.programs, member, _shown(os.fsdecode(path)))


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read what can be read of a source.

    Args:
        path: A file or a folder, or `-` for standard input.

    Returns:
        The programs, at least one, and what is wrong with the rest.

    Raises:
        ArtifactError: There is no program.
    """
    name = os.fsdecode(path)
    programs: list[ReadProgram] = []
    findings: list[Finding] = []
    for place, contents in _contents(name):
        findings += [one for one in contents.findings if one.rule not in _OF_LOADING]
        for subject in contents.subjects:
            program, more = _program(subject, place)
            programs.append(program)
            findings += more
    if not programs:
        raise _refused(findings[0]) if findings else _empty(name)
    return Source(tuple(_once(programs)), tuple(findings))


def choose(
    programs: Sequence[ReadProgram], member: str | None, shown: str
) -> list[ReadProgram]:
    """Choose the program at a place.

    Args:
        programs: The programs of a source.
        member: The place; None for all of them.
        shown: What the source is called.

    Raises:
        ArtifactError: No program stands there.
    """
    chosen = [one for one in programs if member is None or one.place == member]
    if not chosen:
        listed = ", ".join(repr(one.place) for one in programs[:_SHOWN])
        more = len(programs) - _SHOWN
        listed += f" and {more} more" * (more > 0)
        reason = f"it has no program {member!r}; it has {listed}"
        raise ArtifactError(reason, path=shown, hint="name one of these")
    return chosen


def _once(programs: list[ReadProgram]) -> Iterator[ReadProgram]:
    """The same without texts that stand beside their artifacts, as tools write them."""
    stored = {
        (one.place.removesuffix(f".astgen[{CODE}]"), one.code)
        for one in programs
        if one.place.endswith(f".astgen[{CODE}]")
    }
    for one in programs:
        if (one.place.removesuffix(".py"), one.code) not in stored:
            yield one


def _contents(path: str) -> Iterator[tuple[str, Contents]]:
    """What the files of a source hold, with their places in it."""
    limits = Limits()
    if path == STDIN:
        stream = sys.stdin.buffer if sys.stdin is not None else None
        data = b"" if stream is None else stream.read(limits.file_bytes + 1)
        yield "", read_bytes(data, _shown(path), limits)
        return
    folder = os.path.isdir(path)
    for found in discover([path]):
        place = display(os.path.relpath(found.path, path)) if folder else ""
        if found.finding is not None:
            yield place, Contents(findings=[found.finding])
        else:
            yield place, read(found.path, limits, explicit=not folder)


def _beside(
    subject: Subject,
    read: Callable[[int], bytes] | None,
    parse: Callable[[bytes], T],
    name: str,
) -> tuple[T | None, list[Finding]]:
    """What a member beside a program says, and what is wrong with it."""
    if read is None:
        return None, []
    try:
        return parse(read(MOST_BYTES)), []
    except Refused as error:
        refused = error
    except Spent as error:
        refused = error.refused
    except ArtifactError as error:
        rule = TOO_LARGE if error.rule == TOO_LARGE.code else BAD_MAGIC
        refused = Refused(rule, error.reason, error.hint)
    member = subject.member.removesuffix(CODE) + name
    return None, [refused.finding(subject.path, member)]


def _program(subject: Subject, place: str) -> tuple[ReadProgram, list[Finding]]:
    """A program with what is beside it, and what is wrong with that."""
    origins, found = _beside(subject, subject.provenance, read_provenance, PROVENANCE)
    keys, more = _beside(subject, subject.stored, read_content_keys, CONSTANTS)
    constants = subject.consts
    if constants is not None and keys is not None and len(keys) == len(constants):
        constants = tuple(
            replace(one, key=key) for one, key in zip(constants, keys, strict=True)
        )
    member = subject.member
    if place and member:
        place = f"{place}[{member}]"
    program = ReadProgram(
        subject.text,
        subject.submod_names,
        constants,
        place or member,
        subject.profile or detect(subject.text),
        subject.entry,
        subject.manifest,
        origins,
    )
    return program, found + more


def _shown(path: str) -> str:
    return "<stdin>" if path == STDIN else display(path)


def _refused(finding: Finding) -> ArtifactError:
    where = f"{finding.path}[{finding.member}]" if finding.member else finding.path
    return ArtifactError(
        finding.message, path=where, rule=finding.rule, hint=finding.hint
    )


def _empty(path: str) -> ArtifactError:
    hint = "name the file that holds it, or the folder of the cache"
    reason = "it holds no generated code"
    return ArtifactError(reason, path=_shown(path), rule=NO_CODE.code, hint=hint)
