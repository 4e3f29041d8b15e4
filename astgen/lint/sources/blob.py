"""Bytes wherever they are: a file, standard input, a member of an archive."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from astgen.lint.rules.artifacts import BAD_MAGIC
from astgen.lint.rules.files import UNREADABLE
from astgen.lint.sources.limits import too_large
from astgen.lint.sources.refusal import Refused, display, reading

__all__ = ["HEAD", "Blob", "Readable", "of_bytes", "of_file"]

HEAD = 4096
"""How many bytes tell what a file is."""

_BLOCK = 1 << 20
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most that many; none at the end."""

    def close(self) -> None:
        """Give back what the bytes are read from."""


@dataclass(frozen=True)
class Blob:
    """Bytes that have a place and are read when they are wanted.

    Attributes:
        path: The file, as people see it.
        member: Where in the file, empty if it is the file.
        name: The last part of the name.
        size: How many bytes there should be.
        source: Opens them from the start, at a place of its own.
        exact: Whether another number of bytes is damage.
    """

    path: str
    member: str
    name: str
    size: int
    source: Callable[[], Readable]
    exact: bool = False

    def head(self, size: int = HEAD) -> bytes:
        """The first bytes.

        Raises:
            Refused: They cannot be read, or are damaged.
        """
        with reading("it"), closing(self.source()) as stream:
            return stream.read(size)

    def tail(self, size: int, most: int = -1) -> bytes:
        """The last bytes, none of a member that is still compressed.

        Args:
            size: How many bytes from the end it starts, or where the bytes do.
            most: How many of them are wanted, all of them by default.

        Raises:
            Refused: They cannot be read.
        """
        with reading("it"), closing(self.source()) as stream:
            if not isinstance(stream, (io.BytesIO, _File)):
                return b""
            end = stream.seek(0, os.SEEK_END)
            stream.seek(max(end - size, 0))
            # A file can grow.
            return stream.read(size if most < 0 else most)

    def load(self, most: int) -> bytes:
        """All bytes.

        Args:
            most: How many there may be.

        Raises:
            Refused: There are more, they cannot be read, or are damaged.
        """
        if self.size > most:
            raise too_large("it", self.size, most)
        with reading("it"), closing(self.source()) as stream:
            # A file can grow, and an archive can lie.
            data = stream.read(most + 1)
        if len(data) > most:
            raise too_large("it", None, most)
        if self.exact and len(data) != self.size:
            raise Refused(
                BAD_MAGIC,
                f"it has {len(data):,} bytes, not the {self.size:,} that it declares",
                "fetch or generate the file again",
            )
        return data

    def blocks(self, most: int) -> Iterator[bytes]:
        """All bytes, a megabyte at a time; see `load`."""
        if self.size > most:
            raise too_large("it", self.size, most)
        left = most
        with reading("it"), closing(self.source()) as stream:
            while block := stream.read(_BLOCK):
                left -= len(block)
                if left < 0:
                    raise too_large("it", None, most)
                yield block


def of_bytes(data: bytes, path: str, member: str = "", name: str = "") -> Blob:
    """A blob of bytes that are there."""
    return Blob(path, member, name or path, len(data), lambda: io.BytesIO(data))


def of_file(path: str, member: str = "", shown: str = "") -> Blob:
    """A blob of a file, which is opened whenever its bytes are wanted.

    Args:
        path: The file.
        member: What it is in `shown`, if it is a part of that.
        shown: What people see instead of the path. Links are not followed then.

    Raises:
        Refused: It is missing, may not be read, or is no regular file. What is no
            regular file is never opened: opening a pipe can wait for ever, and
            opening a device can do anything.
    """
    follow = not shown
    with reading("it"):
        size = _demand_regular(os.stat(path, follow_symlinks=follow))
    name = display(os.path.basename(path))
    return Blob(shown or display(path), member, name, size, lambda: _File(path, follow))


class _File:
    """A regular file that is open, from the start."""

    def __init__(self, path: str, follow: bool) -> None:
        self.descriptor = -1
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        _demand_regular(os.stat(path, follow_symlinks=follow))
        self.descriptor = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
        # It can have become something else since.
        _demand_regular(os.fstat(self.descriptor))
        self.offset = 0

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self) -> None:
        self.close()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = (0, self.offset, os.fstat(self.descriptor).st_size)[whence]
        if base + offset < 0:
            raise ValueError("an offset before the start")
        self.offset = base + offset
        return self.offset

    def tell(self) -> int:
        return self.offset

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            size = max(os.fstat(self.descriptor).st_size - self.offset, 0)
        parts = []
        while size > 0:
            part = os.pread(self.descriptor, min(size, 64 * _BLOCK), self.offset)
            if not part:
                break
            parts.append(part)
            size -= len(part)
            self.offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _demand_regular(status: os.stat_result) -> int:
    """The size of a regular file."""
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    kind = next((name for test, name in _KINDS if test(status.st_mode)), "no file")
    raise Refused(
        UNREADABLE,
        f"it is {kind}, no regular file, and was not opened",
        "name files or folders; hand a stream over as standard input, with -",
    )
