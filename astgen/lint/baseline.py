"""Findings that are known: a file that keeps them, so that only new ones are reported.

A finding is recognized by file, rule, message and the text of its line, so it stays
known when lines move. Of equal ones as many are known as the file says.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from astgen.check.finding import Finding
from astgen.errors import SettingsError
from astgen.lint.output.dumped import dumped, well_formed
from astgen.lint.report import Report, Result
from astgen.lint.rules.engine import NEVER_KNOWN

__all__ = ["Baseline", "Known", "read", "written"]

_VERSION = 1
_BLOCK = 1 << 20


class Known(NamedTuple):
    """What a finding is recognized by.

    Attributes:
        path: The file, relative to the folder of the baseline, with forward slashes.
        member: Where in the file the program stands.
        rule: The code of the rule.
        message: What is wrong.
        line: A digest of the text of the line; of the whole file where a finding is
            not about a line, so that what changes in such a file is new.
    """

    path: str
    member: str
    rule: str
    message: str
    line: str


@dataclass(frozen=True)
class Baseline:
    """Findings that are known.

    Attributes:
        folder: The folder that paths are relative to.
        known: How many there are of each.
    """

    folder: str
    known: Mapping[Known, int]

    def filter(self, report: Report) -> Report:
        """Leave out what is known.

        Args:
            report: A report.

        Returns:
            The report with new findings only. Files that the linter broke down on
            are as they were.
        """
        left = Counter(self.known)
        namer = _Namer(self.folder)
        results = tuple(self._new(result, left, namer) for result in report.results)
        return replace(report, results=results)

    def _new(self, result: Result, left: Counter[Known], namer: _Namer) -> Result:
        if result.failed or not result.findings:
            return result
        new = []
        for finding in result.findings:
            known = namer.known(finding, result)
            if left[known] > 0:
                left[known] -= 1
            else:
                new.append(finding)
        count = len(result.findings) - len(new)
        return replace(result, findings=tuple(new), known=result.known + count)


def written(report: Report, path: str) -> str:
    """What a baseline has to say for all that is found now to be known from now on.

    Args:
        report: The report, without a baseline applied.
        path: The file that the text is for; paths in it are relative to its folder.

    Returns:
        The text of the file.
    """
    folder = _folder(path)
    namer = _Namer(folder)
    counts = Counter(
        namer.known(finding, result)
        for result in report.results
        if not result.failed
        for finding in result.findings
    )
    # A line for each, so that changes of the file can be read.
    entries = ",\n".join(
        f"    {dumped({**known._asdict(), 'count': count})}"
        for known, count in sorted(counts.items())
    )
    body = f"[\n{entries}\n  ]" if entries else "[]"
    return f'{{\n  "version": {_VERSION},\n  "findings": {body}\n}}\n'


def read(path: str) -> Baseline:
    """Read a baseline.

    Args:
        path: A file with what `written` gives.

    Returns:
        What is known.

    Raises:
        SettingsError: The file is missing, damaged, or of another version.
    """
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"cannot read the baseline {path!r}: {reason}; write it first"
        raise SettingsError(f"{message} with --write-baseline") from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"it is not JSON ({str(error)[:100]})") from error
    if not isinstance(content, dict) or "version" not in content:
        raise _damaged(path, "it has no version")
    if content["version"] != _VERSION:
        shown = repr(content["version"])[:30]
        raise _damaged(path, f"it is of version {shown}, not {_VERSION}")
    entries = content.get("findings")
    if not isinstance(entries, list):
        raise _damaged(path, "it has no list of findings")
    counts: Counter[Known] = Counter()
    for number, entry in enumerate(entries, 1):
        known, count = _entry(entry, number, path)
        counts[known] += count
    return Baseline(_folder(path), counts)


def _entry(entry: Any, number: int, path: str) -> tuple[Known, int]:
    if not isinstance(entry, dict) or set(entry) != {*Known._fields, "count"}:
        raise _damaged(path, f"finding {number} has other fields than it should")
    count = entry.pop("count")
    if type(count) is not int or count < 1:
        raise _damaged(path, f"finding {number} has no count")
    if not all(isinstance(value, str) for value in entry.values()):
        raise _damaged(path, f"finding {number} has a field that is no text")
    return Known(**entry), count


def _damaged(path: str, reason: str) -> SettingsError:
    return SettingsError(
        f"cannot use the baseline {path!r}: {reason}; write it again with "
        "--write-baseline"
    )


class _Namer:
    """Says what findings are recognized by, and reads each file once for that."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._contents: dict[str, str] = {}

    def known(self, finding: Finding, result: Result) -> Known:
        ends = [
            result.lines.get((finding.member, number), "").strip()
            for number in sorted({finding.line, finding.end_line})
        ]
        # Of a program that was not looked at to its end, no line says enough.
        if finding.rule in NEVER_KNOWN or not any(ends):
            digest = self._content(result.path)
        else:
            text = "\n".join(ends).encode("utf-8", "backslashreplace")
            digest = hashlib.sha256(text).hexdigest()
        texts = (_relative(result.path, self._folder), finding.member, finding.rule)
        return Known(*map(well_formed, (*texts, finding.message, digest[:16])))

    def _content(self, path: str) -> str:
        if path not in self._contents:
            digest = hashlib.sha256()
            with suppress(OSError), open(path, "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
            self._contents[path] = digest.hexdigest()
        return self._contents[path]


def _relative(path: str, folder: str) -> str:
    absolute = os.path.abspath(path)
    try:
        return os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:
        # On another drive.
        return absolute.replace(os.sep, "/")


def _folder(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))
