"""Artifacts as files: members in, one file out, and back with every byte compared.

What a file must look like follows from its manifest: the names in order, the sizes,
so the place of each byte. Nothing is searched for in it, and nothing in it that says
how large something is makes a reader take memory that the file does not fill.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO
from zlib import crc32

from astgen.errors import ArtifactError
from astgen.store.atomic import write_whole
from astgen.store.layout import (
    HEADER,
    Place,
    chunks,
    comment,
    comment_size,
    directory,
    header,
    total_size,
)
from astgen.store.limits import FORMAT_BYTES, FORMAT_MEMBERS, Limits
from astgen.store.manifest import Manifest, Member
from astgen.store.members import CODE, MANIFEST
from astgen.store.parsing import parse_manifest

__all__ = ["Archive", "located", "pack", "read", "write"]

_MAGIC, _DIGEST, _UNREADABLE, _TOO_LARGE = "AG601", "AG602", "AG004", "AG005"
_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"))


@dataclass(frozen=True)
class Archive:
    """An artifact of which every byte fits.

    Attributes:
        manifest: What its manifest says.
        members: The bytes of each other member.
        digest: The SHA-256 of the manifest, which stands for the whole file.
    """

    manifest: Manifest
    members: Mapping[str, bytes]
    digest: str


def pack(members: Mapping[str, bytes]) -> bytes:
    """The bytes of an artifact; see `write`."""
    ordered = _ordered(members)
    return b"".join(chunks(ordered, _sha256(ordered[MANIFEST])))


def write(path: str | os.PathLike[str], members: Mapping[str, bytes]) -> None:
    """Write an artifact, whole or not at all.

    Args:
        path: The file; replaced if it is there.
        members: The members by name. `manifest.json` lists all the others.

    Raises:
        ArtifactError: The members do not fit the manifest, are too many or too
            large, or the file cannot be written.
    """
    ordered = _ordered(members)
    write_whole(path, chunks(ordered, _sha256(ordered[MANIFEST])))


def read(
    source: str | os.PathLike[str] | bytes,
    limits: Limits = Limits(),
    *,
    opaque: bool = True,
) -> Archive:
    """Read an artifact, and compare every byte of it.

    Args:
        source: The file, or its bytes.
        limits: How large it may be.
        opaque: Whether the opaque members are handed out. They are compared anyway.

    Returns:
        What is in it.

    Raises:
        ArtifactError: It cannot be read, is too large, or is no artifact that is
            whole; `path` is the file.
    """
    path = "" if isinstance(source, bytes) else os.fspath(source)
    try:
        with closing(_opened(source)) as stream:
            return _Reader(stream, limits).archive(opaque)
    except ArtifactError as error:
        raise located(error, path) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise _unreadable(f"it cannot be read: {reason or error}", path) from error


def located(error: ArtifactError, path: str) -> ArtifactError:
    """The same error, as one about a file, or about a member of it."""
    where = ": ".join(part for part in (path, error.path) if part)
    return ArtifactError(
        error.reason,
        path=where,
        field=error.field,
        rule=error.rule,
        hint=error.hint,
    )


class _Reader:
    """Takes a file apart from the start to the end."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self.stream = stream
        self.limits = limits
        self.size = stream.seek(0, os.SEEK_END)
        stream.seek(0)

    def archive(self, opaque: bool) -> Archive:
        most = min(self.limits.file_bytes, FORMAT_BYTES)
        if self.size > most:
            reason = f"it has {self.size} bytes, the limit is {most}"
            raise _error(_TOO_LARGE, reason, "load it with larger limits")
        data, digest = self.manifest()
        manifest = parse_manifest(data, self.limits)
        names = [MANIFEST, *sorted(manifest.members)]
        _demand_names(names)
        sizes = {name: said.size for name, said in manifest.members.items()}
        wanted = total_size({MANIFEST: len(data), **sizes})
        if self.size != wanted:
            reason = f"it has {self.size} bytes, and should have {wanted}"
            raise _error(_MAGIC, reason)
        if manifest.members[CODE].size > self.limits.code_bytes:
            reason = f"the program has more than {self.limits.code_bytes} bytes"
            raise _error(_TOO_LARGE, reason, "load it with larger limits")
        places = [Place(MANIFEST, crc32(data), len(data))]
        members = {}
        for name in names[1:]:
            said = manifest.members[name]
            place, content = self.member(name, said)
            places.append(place)
            if opaque or not said.kind:
                members[name] = content
        if self.take(self.size) != directory(places, digest):
            raise _error(_MAGIC, "its table of contents is not that of its members")
        return Archive(manifest, members, digest)

    def manifest(self) -> tuple[bytes, str]:
        """The manifest, of which nothing is believed before its digest fits."""
        head = self.take(HEADER + len(MANIFEST))
        if not head.startswith(b"PK\3\4") or not head.endswith(MANIFEST.encode()):
            raise _error(_MAGIC, "it does not begin as an artifact of astgen does")
        size = int.from_bytes(head[18:22], "little")
        if size > self.size:
            raise _error(_MAGIC, f"its manifest should have {size} bytes")
        if size > self.limits.manifest_bytes:
            reason = f"its manifest has {size} bytes"
            raise _error(_TOO_LARGE, reason, "load it with larger limits")
        data = self.take(size)
        digest = _sha256(data)
        self.stream.seek(max(self.size - comment_size(), 0))
        if self.take(comment_size()) != comment(digest):
            raise _error(_DIGEST, "the digest at its end is not that of its manifest")
        if head != header(Place(MANIFEST, crc32(data), size)):
            raise _error(_MAGIC, f"what stands before {MANIFEST} is damaged")
        self.stream.seek(len(head) + size)
        return data, digest

    def member(self, name: str, said: Member) -> tuple[Place, bytes]:
        head = self.take(HEADER + len(name))
        data = self.take(said.size)
        digest = _sha256(data)
        where = f"members[{name!r}]"
        if digest != said.sha256:
            reason = f"its SHA-256 is {digest}, and the manifest says {said.sha256}"
            raise _error(_DIGEST, reason, where=where)
        place = Place(name, crc32(data), said.size)
        if head != header(place):
            raise _error(_MAGIC, "what stands before it is damaged", where=where)
        return place, data

    def take(self, size: int) -> bytes:
        """The next bytes; fewer at the end, which then are not what they should be."""
        return self.stream.read(size)


def _ordered(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The members in the order of the file, if the manifest is theirs."""
    if MANIFEST not in members:
        raise _error("AG607", f"there is no {MANIFEST}", "write it with the others")
    limits = Limits()
    sizes = {
        MANIFEST: ("manifest", limits.manifest_bytes, "use fewer pieces and constants"),
        CODE: ("program", limits.code_bytes, "split the graph, and save its parts"),
    }
    for name, (what, most, hint) in sizes.items():
        size = len(members.get(name, b""))
        if size > most:
            # Whoever loads it would have to know of larger limits.
            reason = f"the {what} would have {size} bytes, the limit is {most}"
            raise _error(_TOO_LARGE, reason, hint)
    if len(members) - 1 > limits.members:
        reason = f"it would have {len(members) - 1} members, the limit is "
        hint = "put tensors together, and what is extra into one file"
        raise _error(_TOO_LARGE, f"{reason}{limits.members}", hint)
    parsed = parse_manifest(members[MANIFEST], limits)
    if members.keys() - {MANIFEST} != parsed.members.keys():
        raise _error("AG607", "the members are not those that the manifest lists")
    _demand_names(list(parsed.members))
    for name, said in parsed.members.items():
        data = members[name]
        if (len(data), _sha256(data)) != (said.size, said.sha256):
            raise _error(_DIGEST, "it is not as listed", where=f"members[{name!r}]")
    size = total_size({name: len(data) for name, data in members.items()})
    if size > FORMAT_BYTES:
        reason = f"it would have {size} bytes, and the format has room for 4 GiB"
        hint = "make large tensors inputs of the graph; they need not be constants"
        raise _error(_TOO_LARGE, reason, hint)
    names = [MANIFEST, *sorted(parsed.members)]
    return {name: members[name] for name in names}


def _demand_names(names: list[str]) -> None:
    if len(names) > FORMAT_MEMBERS:
        reason = f"it has {len(names)} members, and the format has room for fewer"
        raise _error(_TOO_LARGE, reason)
    for name in names:
        if not name.isascii():
            raise _error(_MAGIC, "its name is not ASCII", where=f"members[{name!a}]")


def _opened(source: str | os.PathLike[str] | bytes) -> BinaryIO:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    # Opening a pipe can wait for ever, and opening a device can do anything.
    _demand_regular(os.stat(source).st_mode)
    stream = open(source, "rb")
    _demand_regular(os.fstat(stream.fileno()).st_mode)
    return stream


def _demand_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "no regular file")
        raise _unreadable(f"it is {kind}", "")


def _unreadable(reason: str, path: str) -> ArtifactError:
    hint = "name a file that `Program.save` wrote"
    return ArtifactError(reason, path=path, rule=_UNREADABLE, hint=hint)


def _error(rule: str, reason: str, hint: str = "", where: str = "") -> ArtifactError:
    error = ArtifactError(reason, field=where, rule=rule)
    return ArtifactError(reason, field=where, rule=rule, hint=hint or error.hint)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
