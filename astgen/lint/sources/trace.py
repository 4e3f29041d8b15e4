"""Logs of TORCH_TRACE: the payloads in which vLLM and astgen log generated code.

A record is one line, with a header as of glog and an object of JSON; the lines of
its payload follow, each behind a tab. What follows the header says which payload it
is, and its MD5:

    V0102 03:04:05.000006 7 a/file.py:118] {"artifact": {"name": "vllm_execution_code",
    "encoding": "string"}, "has_payload": "<md5>"}

Logs are large, so they are read in blocks and searched, not split into lines.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from astgen.lint.rules.artifacts import DIGEST_MISMATCH, INCOMPLETE
from astgen.lint.sources.blob import Blob
from astgen.lint.sources.limits import Budget, Limits, too_large, too_many
from astgen.lint.sources.python import decode
from astgen.lint.sources.refusal import Refused
from astgen.lint.subject import Contents, Subject

__all__ = ["is_trace", "read_trace"]

_NAME = "vllm_execution_code"
_BEHIND = 1 << 21
_QUOTED = f'"{_NAME}"'.encode()
# Where a record of code may be: JSON can spell each letter as an escape.
_HIT = re.compile(_QUOTED + rb"|\\u00[567]")
_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")
_LONGEST = len(_NAME) * len(r"\u0000") + 2
_HEADER = re.compile(rb"(?:\[rank\d+\]:)?[A-Z]\d{4} [^\n]*?:\d+\] (?=\{)")
_LINE_ENDS = re.compile(rb"\n")
_PAYLOAD_ENDS = re.compile(rb"\n(?=[^\t])")
_MD5 = re.compile(r"[0-9a-f]{32}\Z")
_HINT = "the log was cut or mixed with another one; record it again"


def is_trace(blob: Blob, limits: Limits) -> bool:
    """Whether a file has a record of code, wherever in it.

    Args:
        blob: The file.
        limits: How much of it is read.

    Returns:
        Whether it has one, or what cannot be told from one.
    """
    try:
        return next(_Log(blob, limits).records(), None) is not None
    except Refused:
        return True


def read_trace(blob: Blob, budget: Budget, contents: Contents) -> None:
    """Find the generated code in a trace log.

    Args:
        blob: The log.
        budget: How much may still be read.
        contents: Gets the programs, equal ones once, and what is wrong with records
            of code. Records of other things are not looked at.

    Raises:
        Refused: The log cannot be read on.
        Spent: The budget is.
    """
    seen: set[bytes] = set()
    for number, record in enumerate(_Log(blob, budget.limits).records(), start=1):
        member = f"{_NAME}#{number} (line {record.line})"
        if blob.member:
            member = f"{blob.member}/{member}"
        try:
            payload = _payload(record, budget.limits)
            digest = hashlib.sha256(payload).digest()
            if digest in seen:
                continue
            text = decode(payload)
        except Refused as refused:
            budget.program(0)
            contents.findings.append(refused.finding(blob.path, member))
            continue
        budget.program(len(payload))
        seen.add(digest)
        contents.subjects.append(Subject(text, blob.path, member))


@dataclass(frozen=True)
class _Record:
    """A record of code.

    Attributes:
        line: The number of its line.
        facts: Its JSON, None if that cannot be read.
        payload: The lines behind it as they stand, None if they are too many.
    """

    line: int
    facts: dict[str, Any] | None
    payload: bytes | None


class _Log:
    """A log that is read from front to end, a window at a time."""

    def __init__(self, blob: Blob, limits: Limits) -> None:
        self.blocks = blob.blocks(limits.trace_bytes)
        self.limits = limits
        self.data = b""
        self.position = 0
        # The number of the line at `counted`, which is at or before `position`.
        self.line = 1
        self.counted = 0
        # Whether the window begins where a line does.
        self.whole = True
        # Lines with the name of records of code that are none.
        self.strays = 0

    def records(self) -> Iterator[_Record]:
        """The records of code in the order of the log."""
        while True:
            if self.position > _BEHIND:
                self._drop(self.data.rfind(b"\n", 0, self.position) + 1)
            found = _HIT.search(self.data, self.position)
            if found is None:
                if not self._forward():
                    return
                continue
            hit = found.start()
            start = self.data.rfind(b"\n", 0, hit) + 1
            if start == 0 and not self.whole:
                raise too_large("a line of the log", None, self.limits.line_bytes)
            if self.data.startswith(b"\t", start):
                # It stands in the payload of something else.
                behind = _PAYLOAD_ENDS.search(self.data, hit)
                self.position = len(self.data) if behind is None else behind.start()
                continue
            self._count(start)
            self.position = start
            end = self._end(_LINE_ENDS, start, self.limits.line_bytes)
            if end is None:
                raise too_large("a line of the log", None, self.limits.line_bytes)
            self.position = end
            if _QUOTED not in _ESCAPE.sub(_letter, self.data[start:end]):
                continue
            record = self._record(start, end)
            if record is not None:
                yield record
                continue
            self.strays += 1
            if self.strays > self.limits.programs:
                what = f"lines that name {_NAME} and are no records of it"
                raise too_many(what, self.limits.programs)

    def _record(self, start: int, end: int) -> _Record | None:
        """The record in a line, None if it is none of code; moves behind it."""
        header = _HEADER.match(self.data, start, end)
        if header is None:
            return None
        line, facts = self.line, _facts(self.data[header.end() : end])
        artifact = facts.get("artifact") if facts is not None else {"name": _NAME}
        if not isinstance(artifact, dict) or artifact.get("name") != _NAME:
            return None
        most = 2 * self.limits.program_bytes
        behind = self._end(_PAYLOAD_ENDS, end, most)
        if behind is None:
            self.position = len(self.data)
            return _Record(line, facts, None)
        self.position = behind
        return _Record(line, facts, self.data[end:behind])

    def _end(self, pattern: re.Pattern[bytes], start: int, most: int) -> int | None:
        """Where a pattern is found, the end of the log if nowhere; None if too far."""
        searched = start
        while True:
            found = pattern.search(self.data, searched)
            if found is not None:
                return found.start()
            if len(self.data) - start > most:
                return None
            # The last byte may be a line break, of which the next one decides.
            searched = max(len(self.data) - 1, start)
            if not self._more():
                return len(self.data) - self.data.endswith(b"\n", start)

    def _more(self) -> bool:
        """Add a block to the window."""
        block = next(self.blocks, b"")
        self.data += block
        return bool(block)

    def _forward(self) -> bool:
        """Drop what was searched, as far as whole lines go, and add a block."""
        end = max(
            self.data.rfind(b"\n") + 1, len(self.data) - self.limits.line_bytes, 0
        )
        searched = len(self.data) - _LONGEST
        self.position = max(searched, self.position, end)
        self._drop(end)
        return self._more()

    def _drop(self, end: int) -> None:
        """Forget the bytes in front of `end`."""
        if not end:
            return
        self._count(end)
        self.whole = self.data[end - 1 : end] == b"\n"
        self.data = self.data[end:]
        self.position -= end
        self.counted = 0

    def _count(self, end: int) -> None:
        self.line += self.data.count(b"\n", self.counted, end)
        self.counted = end


def _letter(escape: re.Match[bytes]) -> bytes:
    """The letter that an escape stands for."""
    return bytes([int(escape[1], 16)])


def _facts(data: bytes) -> dict[str, Any] | None:
    try:
        facts = json.loads(data, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    facts = dict(pairs)
    if len(facts) < len(pairs):
        # Which of the values counts depends on the reader.
        raise ValueError("a key stands there twice")
    return facts


def _payload(record: _Record, limits: Limits) -> bytes:
    """The bytes that were logged.

    Raises:
        Refused: They are missing, too many, or not what the record says.
    """
    if record.facts is None:
        message = "the record is cut: its JSON does not end, or has a key twice"
        raise Refused(INCOMPLETE, message, _HINT)
    if record.payload is None:
        raise too_large("the payload", None, limits.program_bytes)
    if not record.payload.startswith(b"\n\t"):
        raise Refused(INCOMPLETE, "the payload of the record is missing", _HINT)
    payload = record.payload[2:].replace(b"\n\t", b"\n")
    if len(payload) > limits.program_bytes:
        raise too_large("the payload", len(payload), limits.program_bytes)
    said = record.facts.get("has_payload")
    if not isinstance(said, str) or not _MD5.match(said):
        raise Refused(DIGEST_MISMATCH, "the record has no MD5 of its payload", _HINT)
    found = hashlib.md5(payload, usedforsecurity=False).hexdigest()
    if found != said:
        raise Refused(
            DIGEST_MISMATCH,
            f"the MD5 of the payload is {found}, and the record says {said}",
            _HINT,
        )
    return payload
