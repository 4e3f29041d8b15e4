"""The bytes of an artifact that are not its members': a zip archive, spelled one way.

Members are stored as they are, one behind the other, without dates, comments or
extra fields. So everything between them follows from their names and contents, and a
reader compares it instead of believing it. The comment at the end of the archive is
the digest of the manifest, which lists the digests of the others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

__all__ = [
    "HEADER",
    "Place",
    "chunks",
    "comment",
    "comment_size",
    "directory",
    "header",
    "total_size",
]

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_VERSION = 10
_UNIX = 3 << 8
_MODE = 0o100644 << 16
_DATE = (1 << 5) | 1
"""The first of January 1980, the earliest that the format has."""

_PREFIX = b"sha256:"

HEADER = _LOCAL.size
"""Bytes in front of the name of a member."""


@dataclass(frozen=True)
class Place:
    """A member, as the archive describes it.

    Attributes:
        name: Its name.
        crc: The checksum of its bytes that the format asks for.
        size: How many bytes it has.
    """

    name: str
    crc: int
    size: int


def header(place: Place) -> bytes:
    """What stands in front of a member."""
    raw = place.name.encode("ascii")
    fields = (_VERSION, 0, 0, 0, _DATE, place.crc, place.size, place.size, len(raw), 0)
    return _LOCAL.pack(b"PK\3\4", *fields) + raw


def comment(digest: str) -> bytes:
    """What stands at the very end: the SHA-256 of the manifest, in hex."""
    return _PREFIX + digest.encode("ascii")


def comment_size() -> int:
    """The number of bytes of a comment."""
    return len(_PREFIX) + 64


def directory(places: Sequence[Place], digest: str) -> bytes:
    """What stands behind the last member: the table of contents, and the digest."""
    parts = []
    offset = 0
    for place in places:
        raw = place.name.encode("ascii")
        fields = (_UNIX | _VERSION, _VERSION, 0, 0, 0, _DATE, place.crc)
        rest = (place.size, place.size, len(raw), 0, 0, 0, 0, _MODE, offset)
        parts.append(_CENTRAL.pack(b"PK\1\2", *fields, *rest) + raw)
        offset += HEADER + len(raw) + place.size
    table = b"".join(parts)
    last = comment(digest)
    ends = (0, 0, len(places), len(places), len(table), offset, len(last))
    return table + _END.pack(b"PK\5\6", *ends) + last


def total_size(sizes: Mapping[str, int]) -> int:
    """How many bytes an archive has.

    Args:
        sizes: The bytes of each member.
    """
    names = sum(map(len, sizes))
    each = HEADER + _CENTRAL.size
    ends = _END.size + comment_size()
    return sum(sizes.values()) + len(sizes) * each + 2 * names + ends


def chunks(members: Mapping[str, bytes], digest: str) -> Iterator[bytes]:
    """A whole archive.

    Args:
        members: Its members, in order.
        digest: The SHA-256 of the manifest.

    Yields:
        Its bytes, part by part.
    """
    places: list[Place] = []
    for name, data in members.items():
        places.append(Place(name, crc32(data), len(data)))
        yield header(places[-1])
        yield data
    yield directory(places, digest)
