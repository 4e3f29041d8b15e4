"""Zip archives: their members, in memory, one at a time, as far as a budget goes.

Nothing is written anywhere, so no name in an archive can lead out of a folder. What
is wrong with the archive itself is told; the members that can be read are read.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from astgen.lint.rules.artifacts import BAD_MAGIC
from astgen.lint.rules.files import UNREADABLE
from astgen.lint.sources.blob import Blob, Readable
from astgen.lint.sources.limits import Budget, too_large, too_many
from astgen.lint.sources.refusal import Refused, display, reading
from astgen.lint.subject import Contents
from astgen.store.manifest import plain

__all__ = ["members"]

_ENCRYPTED = 0x1
_METHODS = (ZIP_STORED, ZIP_DEFLATED)
# A central directory has 46 bytes for a member and its name; paths are that short.
_ENTRY_BYTES = 512
_LOCAL_HEADER = 30
_END = 22
_MANY = 0xFFFF


def members(blob: Blob, budget: Budget, contents: Contents) -> dict[str, Blob]:
    """The members of an archive.

    Args:
        blob: The archive.
        budget: What may still be read of the file that it is in.
        contents: Gets the findings about the archive.

    Returns:
        What can be read, by name as the archive spells it, in the order of the
        archive.

    Raises:
        Refused: It is no archive, or its table of contents is too large.
        Spent: Archives of the same file had as many members as they may.
    """
    with reading("the archive"):
        stream = _Metered(blob.source(), budget.limits.members * _ENTRY_BYTES)
        archive = ZipFile(cast(BinaryIO, stream))
        stream.left = None
        entries = archive.infolist()
        stream.seek(-_END - len(archive.comment), os.SEEK_END)
        reason = _end(stream.read(_END), len(entries))
    if reason:
        refused = Refused(BAD_MAGIC, reason, "fetch or make the archive again")
        contents.findings.append(refused.finding(blob.path, blob.member))
    overlapping, seen = _overlapping(entries), Counter[str]()
    found: dict[str, Blob] = {}
    room = budget.members_left()
    if len(entries) > room:
        refused = too_many("members of archives", budget.limits.members)
        contents.findings.append(refused.finding(blob.path, blob.member))
    for index, entry in enumerate(entries[:room]):
        name = entry.filename
        if entry.filename.endswith("/") and not entry.file_size:
            continue
        budget.members += 1
        seen[name] += 1
        place = _place(blob, name, seen[name])
        reasons = list(_reasons(entry, seen[name], index in overlapping))
        contents.findings += [one.finding(blob.path, place) for one in reasons]
        if not any(one.rule is UNREADABLE for one in reasons):
            if index not in overlapping:
                key = name if seen[name] == 1 else f"{name}#{seen[name]}"
                found[key] = _member(archive, entry, blob.path, place, budget)
    return found


def _end(record: bytes, count: int) -> str:
    """What is wrong with the end of an archive, empty if nothing is."""
    if not record.startswith(b"PK\5\6"):
        return "bytes follow the end of the archive"
    said = int.from_bytes(record[10:12], "little")
    if said not in (count & _MANY, _MANY):
        # One entry can swallow the next ones as its comment.
        return f"the archive should have {said} members, and {count} are found"
    return ""


class _Metered:
    """The bytes of an archive, of which not too many are read for its contents.

    Attributes:
        left: How many bytes may still be read; None when the contents are there.
    """

    def __init__(self, stream: Readable, left: int) -> None:
        self.stream = cast(BinaryIO, stream)
        self.limit = left
        # The end of an archive, with the longest comment, is read besides.
        self.left: int | None = left + (1 << 18)

    def read(self, size: int = -1) -> bytes:
        if self.left is not None:
            self.left -= max(size, 0)
            if self.left < 0:
                raise too_large("the table of contents", None, self.limit)
        return self.stream.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()

    def seekable(self) -> bool:
        return True


class _Inflating:
    """A member of which every byte is counted."""

    def __init__(self, stream: Readable, budget: Budget) -> None:
        self.stream = stream
        self.budget = budget

    def read(self, size: int, /) -> bytes:
        data = self.stream.read(size)
        self.budget.inflate(len(data))
        return data

    def close(self) -> None:
        self.stream.close()


def _member(
    archive: ZipFile, entry: ZipInfo, path: str, place: str, budget: Budget
) -> Blob:
    def source() -> Readable:
        return _Inflating(archive.open(entry), budget)

    name = display(entry.filename.rpartition("/")[2])
    return Blob(path, place, name, entry.file_size, source, exact=True)


def _place(blob: Blob, name: str, count: int) -> str:
    place = display(name) if count == 1 else f"{display(name)}#{count}"
    return f"{blob.member}/{place}" if blob.member else place


def _overlapping(entries: list[ZipInfo]) -> set[int]:
    """The members that begin before another one ends: one part of a bomb, many times."""
    found, end = set(), 0
    order = sorted(range(len(entries)), key=lambda index: entries[index].header_offset)
    for index in order:
        entry = entries[index]
        if entry.header_offset < end:
            found.add(index)
        size = _LOCAL_HEADER + len(entry.orig_filename) + entry.compress_size
        end = max(end, entry.header_offset + size)
    return found


def _reasons(entry: ZipInfo, count: int, overlaps: bool) -> Iterator[Refused]:
    """What is wrong with a member; what is unreadable, nobody can look at."""
    again = "make the archive again, with plain members"
    if entry.flag_bits & _ENCRYPTED:
        yield Refused(
            UNREADABLE, "the member is encrypted", "decrypt the archive first"
        )
    elif entry.compress_type not in _METHODS:
        yield Refused(
            UNREADABLE,
            f"method {entry.compress_type} of compression is not stored or deflated",
            again,
        )
    if not plain(entry.filename):
        yield Refused(
            BAD_MAGIC, "the name of the member leads out of the folder", again
        )
    if count > 1:
        yield Refused(BAD_MAGIC, "another member has the same name", again)
    if overlaps:
        yield Refused(BAD_MAGIC, "the member overlaps another one", again)
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield Refused(BAD_MAGIC, "the member is a link", again)
