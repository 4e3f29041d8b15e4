"""Files that are there whole or not at all, whoever dies while writing them.

A file is written under a temporary name in its own folder, and gets its name when
every byte of it is on the disk. What a process leaves that is killed in between is
removed by the next one that writes into the folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Iterable

from astgen.errors import ArtifactError

__all__ = ["put", "sweep", "write_whole"]

_TEMPORARY = re.compile(r"\.astgen-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{16}\.tmp\Z")
_BOOT = "/proc/sys/kernel/random/boot_id"
_DAY = 24 * 60 * 60
_NO_SUCH_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})
_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def write_whole(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write a file, so that nobody ever sees half of it.

    Writers of the same file do not disturb each other; the last one counts.

    Args:
        path: The file. What is there is replaced when the new bytes are safe, and
            is left as it was if that fails. A link is followed, permissions stay.
        chunks: Its bytes.

    Raises:
        ArtifactError: It cannot be written.
    """
    try:
        put(path, chunks)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from error


def put(
    path: str | os.PathLike[str], chunks: Iterable[bytes], mode: int | None = None
) -> None:
    """Write a file like `write_whole`, for callers with errors of their own.

    Args:
        path: The file.
        chunks: Its bytes.
        mode: Its permissions; None for those of the file that is there, or of any
            new file.

    Raises:
        OSError: It cannot be written.
        ValueError: The path is none.
    """
    target = os.path.realpath(os.fsdecode(path))
    there = _mode(target)
    folder = os.path.dirname(target)
    sweep(folder)
    name = f".astgen-{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"
    temporary = os.path.join(folder, name)
    try:
        _write(temporary, chunks, there if mode is None else mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def sweep(folder: str) -> None:
    """Remove what processes left that were killed while they wrote.

    Args:
        folder: The folder. Only names are touched that are made here: of
            processes of this machine that are gone, and those that nobody has
            written to for a day.
    """
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return
    for name in names:
        match = _TEMPORARY.match(name)
        # Somebody else may sweep at the same time, or have the right to.
        with contextlib.suppress(OSError):
            path = os.path.join(folder, name)
            if match is not None and _left(path, match[1], int(match[2])):
                os.unlink(path)


def _mode(path: str) -> int | None:
    """The permissions of the file that is there; None if none is.

    Raises:
        OSError: It is something else, which must not be replaced by a file.
    """
    try:
        found = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found):
        raise OSError(errno.ENXIO, "it is a device, a pipe or a socket")
    return found & 0o777


def _write(path: str, chunks: Iterable[bytes], mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    # What is meant for few readers has no others while it is being written.
    descriptor = os.open(path, flags, 0o666 if mode is None else 0o600)
    try:
        for chunk in chunks:
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        if mode is not None:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    """Make the name as safe as the bytes are, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:
        # Folders may be open to writers and closed to readers.
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SUCH_SYNC:
            raise
    finally:
        os.close(descriptor)


def _left(path: str, machine: str, process: int) -> bool:
    if machine == _machine() and not _alive(process):
        return True
    return time.time() - os.lstat(path).st_mtime > _DAY


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    """Where a number of a process means that process: a host, or a container of it.

    Hosts of a cluster may share a name and number their first container alike. What
    differs is when they were started.
    """
    space, boot = "", b""
    with contextlib.suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    with contextlib.suppress(OSError), open(_BOOT, "rb") as file:
        boot = file.read()
    name = f"{socket.gethostname()} {space} ".encode()
    return hashlib.sha256(name + boot).hexdigest()[:8]


def _refused(path: str | os.PathLike[str], error: Exception) -> ArtifactError:
    number = error.errno if isinstance(error, OSError) else None
    reason = error.strerror if isinstance(error, OSError) else str(error)
    hint = "make it writable, or name another place"
    if number in _ROOM:
        hint = "make room, or name another place; the file is as it was"
    elif number == errno.ENOENT:
        hint = "make the folder first"
    elif number == errno.EISDIR:
        hint = "name a file in it"
    elif number == errno.ENXIO:
        hint = "name a file"
    return ArtifactError(
        f"it cannot be written: {reason or error}",
        path=os.fsdecode(path),
        rule="AG004",
        hint=hint,
    )
