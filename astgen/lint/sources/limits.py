"""How much of what nobody vouches for is read, before it is refused.

Every limit is a field here, so that one place says what a hostile file can cost.
The numbers are measured: at all of them, a file takes seconds and stays below a
gigabyte. Real generated code is far below: the text for 80 layers has 170 kB.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from astgen.lint.rules.files import TOO_LARGE
from astgen.lint.sources.refusal import Refused
from astgen.lint.subject import Contents

__all__ = [
    "OPTION",
    "Budget",
    "Limits",
    "Spent",
    "amount",
    "too_large",
    "too_many",
    "within",
]

OPTION = "--max-file-size"
"""What raises the limits, all in proportion."""

_MIB = 1 << 20
_WORDS = bytes(code for code in range(128) if chr(code).isalnum() or chr(code) == "_")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Limits:
    """What one file may cost.

    Attributes:
        file_bytes: Bytes of a file, or member of an archive, that is held in memory.
        trace_bytes: Bytes of a trace log; it is read in blocks and never held.
        program_bytes: Bytes of the text of one program.
        program_marks: Characters of one program that are no letters or digits. What
            parsing costs goes by them: a megabyte of `a;` takes as much memory as
            90 megabytes of generated code.
        program_braces: Opening braces times bytes, of one program. Up to Python 3.11
            the time that an f-string takes goes by them.
        programs: Programs in one file.
        total_bytes: Bytes of all programs of one file.
        total_marks: Marks of all programs of one file.
        manifest_bytes: Bytes of a manifest.
        line_bytes: Bytes of the line that announces a payload in a trace log.
        members: Members of an archive, archives in it included.
        archive_bytes: Bytes that are inflated for one file, archives in it included;
            bytes that are read for one manifest.
        archives: How deep archives may stand in each other.
        opcodes: Opcodes of all pickles in a file.
        memo: Values that a pickle may remember.
        depth: How deep pickles and their values may be nested.
        findings: Findings that are shown of one program.
    """

    file_bytes: int = 256 * _MIB
    trace_bytes: int = 1024 * _MIB
    program_bytes: int = 4 * _MIB
    program_marks: int = 250_000
    program_braces: int = 10_000_000_000
    programs: int = 2_000
    total_bytes: int = 64 * _MIB
    total_marks: int = 500_000
    manifest_bytes: int = 4 * _MIB
    line_bytes: int = _MIB
    members: int = 10_000
    archive_bytes: int = 256 * _MIB
    archives: int = 4
    opcodes: int = 3_000_000
    memo: int = 1_000_000
    depth: int = 100
    findings: int = 1_000

    def for_files_of(self, size: int) -> Limits:
        """The limits of somebody who wants files of another size read.

        Args:
            size: The most bytes of a file that is read.

        Returns:
            Limits with that `file_bytes`. What costs memory or time by size grows in
            proportion; smaller files are no reason to lower it.
        """
        factor = max(size / self.file_bytes, 1)
        grown = {
            name: int(getattr(self, name) * factor)
            for name in (
                "program_bytes",
                "program_marks",
                "program_braces",
                "programs",
                "total_bytes",
                "total_marks",
                "members",
                "archive_bytes",
                "opcodes",
                "memo",
            )
        }
        trace = max(size, int(self.trace_bytes * size / self.file_bytes))
        return replace(self, file_bytes=size, trace_bytes=trace, **grown)


@dataclass
class Budget:
    """What one file has cost so far.

    Attributes:
        limits: What it may cost.
        members: Members of archives.
        inflated: Bytes of them that were inflated, or read beside a manifest.
        programs: Programs that were found.
        text: Bytes of them.
        opcodes: Opcodes of pickles that were read.
    """

    limits: Limits
    members: int = 0
    inflated: int = 0
    programs: int = 0
    text: int = 0
    opcodes: int = 0

    def opcodes_left(self) -> int:
        """How many opcodes pickles may still have; `Spent` if none."""
        left = self.limits.opcodes - self.opcodes
        if left <= 0:
            raise Spent(too_many("opcodes of pickles", self.limits.opcodes))
        return left

    def members_left(self) -> int:
        """How many members archives may still have; `Spent` if none."""
        left = self.limits.members - self.members
        if left <= 0:
            raise Spent(too_many("members of archives", self.limits.members))
        return left

    def inflate(self, size: int) -> None:
        """Count bytes of a member of an archive or an artifact; `Spent` if too many."""
        self.inflated += size
        if self.inflated > self.limits.archive_bytes:
            what = "what belongs together"
            raise Spent(too_large(what, None, self.limits.archive_bytes))

    def program(self, size: int) -> None:
        """Count a program; `Spent` if there are too many, or too much of them."""
        self.programs += 1
        self.text += size
        if self.programs > self.limits.programs:
            raise Spent(too_many("programs", self.limits.programs))
        if self.text > self.limits.total_bytes:
            what = "the text of all programs"
            raise Spent(too_large(what, None, self.limits.total_bytes))


class Spent(Exception):
    """The budget of a file is used up, so nothing more of it is read.

    Attributes:
        refused: Why.
    """

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


def amount(size: int) -> str:
    """A number of bytes for people, exact where it is small."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.4g} {_UNITS[unit]}"


def within(contents: Contents, limits: Limits) -> Contents:
    """Take out the programs that would cost too much to parse.

    Args:
        contents: What a file held.
        limits: What it may cost.

    Returns:
        The same, with a finding for what was taken out.
    """
    kept = Contents([], list(contents.findings), contents.passed)
    left = limits.total_marks
    for subject in contents.subjects:
        try:
            left -= _marks(subject.text, limits)
            if left < 0:
                raise _too_much("the programs up to here have", limits.total_marks)
        except Refused as refused:
            kept.findings.append(refused.finding(subject.path, subject.member))
            if left < 0:
                break
        else:
            kept.subjects.append(subject)
    return kept


def _marks(text: str, limits: Limits) -> int:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > limits.program_bytes:
        raise too_large("the program", len(data), limits.program_bytes)
    marks = len(data.translate(None, _WORDS))
    if marks > limits.program_marks:
        raise _too_much("the program has", limits.program_marks)
    if data.count(b"{") * len(data) > limits.program_braces:
        raise Refused(
            TOO_LARGE,
            f"{data.count(b'{')} braces in a program of {amount(len(data))}",
            f"generated code has few; {OPTION} raises this limit in proportion",
        )
    return marks


def too_large(what: str, size: int | None, limit: int) -> Refused:
    """The refusal of something for its bytes.

    Args:
        what: The thing, as the beginning of a sentence.
        size: Its bytes, None if only that they are too many is known.
        limit: The limit.
    """
    if size is None:
        message = f"{what} has more than the limit of {amount(limit)}"
    else:
        message = f"{what} has {amount(size)}, and the limit is {amount(limit)}"
    return Refused(
        TOO_LARGE,
        message,
        f"if it is what you mean, raise the limits with {OPTION}",
    )


def too_many(what: str, limit: int) -> Refused:
    """The refusal of more things than the limit."""
    return Refused(
        TOO_LARGE,
        f"more than {limit:,} {what}; the others are not looked at",
        f"if it is what you mean, raise the limits with {OPTION}",
    )


def _too_much(what: str, limit: int) -> Refused:
    return Refused(
        TOO_LARGE,
        f"{what} more than {limit:,} operators, brackets and spaces",
        f"if it is what you mean, raise the limits with {OPTION}",
    )
