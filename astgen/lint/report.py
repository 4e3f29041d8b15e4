"""What a run of the linter says: a result for each file, and all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from astgen.check.finding import Finding

__all__ = ["Report", "Result", "lines_around"]


@dataclass(frozen=True)
class Result:
    """What was found in one file.

    Attributes:
        path: The file, as the user named it.
        programs: How many programs it held.
        findings: What is reported, in the order of the file.
        lines: The lines that findings point at, by member and number.
        hidden: How many findings are below the wanted severity.
        suppressed: How many findings a comment of the file suppresses.
        known: How many findings the baseline has.
        passed: Whether nobody expects generated code in such a file.
        failed: Whether the linter itself broke down.
        mended: The text after the safe fixes, if they were wanted.
        diff: What they change, as a unified diff.
        stamp: What tells whether the file has changed since it was read.
    """

    path: str
    programs: int = 0
    findings: tuple[Finding, ...] = ()
    lines: Mapping[tuple[str, int], str] = field(default_factory=dict)
    hidden: int = 0
    suppressed: int = 0
    known: int = 0
    passed: bool = False
    failed: bool = False
    mended: str | None = None
    diff: str = ""
    stamp: tuple[int, ...] = ()


@dataclass(frozen=True)
class Report:
    """What a run found.

    Attributes:
        results: One for each file, in the order of the command line and of names.
        version: The version of astgen.
    """

    results: tuple[Result, ...]
    version: str

    def __iter__(self) -> Iterator[tuple[Result, Finding]]:
        """Every finding with the result that it belongs to."""
        for result in self.results:
            for finding in result.findings:
                yield result, finding

    @property
    def findings(self) -> int:
        """How many findings are reported."""
        return sum(len(result.findings) for result in self.results)


def lines_around(finding: Finding) -> list[int]:
    """The numbers of the lines that people want to see of a finding.

    The first and the last line with one before and one after each, so that a finding
    takes six lines at most, however long it is.
    """
    ends = (finding.line, finding.end_line)
    return sorted({end + step for end in ends for step in (-1, 0, 1)})
