"""The folder of a cache: one file an entry, named by its key. No torch here.

Writers do not wait for each other: an entry is written whole or not at all, and who
writes the same key writes what does the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from astgen.errors import ArtifactError
from astgen.store.atomic import sweep
from astgen.store.container import read
from astgen.store.notation import parse_json

__all__ = [
    "INGREDIENTS",
    "Entry",
    "entries",
    "entry_path",
    "ingredients_of",
    "quarantine",
    "remove",
    "sweep_folder",
    "touch",
]

INGREDIENTS = "ingredients.json"
"""The name of what an entry was compiled from, among its `extra` members."""

_SUFFIX = ".astgen"
_DAMAGED = ".damaged"
_DEPTH = 8


@dataclass(frozen=True)
class Entry:
    """A file of a cache.

    Attributes:
        key: Its key.
        path: The file.
        size: Its bytes.
        used: When it was last written or read, in seconds since the epoch.
        is_damaged: Whether it was put aside.
    """

    key: str
    path: str
    size: int
    used: float
    is_damaged: bool = False


def entry_path(folder: str, key: str) -> str:
    """The file of a key."""
    return os.path.join(folder, key + _SUFFIX)


def entries(folder: str) -> list[Entry]:
    """The entries of a folder, the one that was used last first.

    Raises:
        ArtifactError: There is no such folder.
    """
    try:
        found = list(_entries(folder))
    except OSError as error:
        raise ArtifactError(
            f"it cannot be read: {error.strerror or error}",
            path=folder,
            rule="AG004",
            hint="name the folder that options={'cache_dir': ...} names",
        ) from error
    return sorted(found, key=lambda one: (-one.used, one.key))


def _entries(folder: str) -> Iterator[Entry]:
    for file in os.scandir(folder):
        key, suffix = os.path.splitext(file.name)
        if suffix not in (_SUFFIX, _DAMAGED) or not _is_key(key):
            continue
        # Others prune, too.
        with contextlib.suppress(FileNotFoundError):
            said = file.stat()
            damaged = suffix == _DAMAGED
            yield Entry(key, file.path, said.st_size, said.st_mtime, damaged)


def _is_key(text: str) -> bool:
    return len(text) == 64 and not set(text) - set("0123456789abcdef")


def ingredients_of(path: str) -> Mapping[str, Any]:
    """What an entry was compiled from.

    Raises:
        ArtifactError: The file is damaged, or no entry of a cache.
    """
    members = read(path, opaque=False).members
    data = members.get(f"extra/{INGREDIENTS}", b"")
    try:
        value = parse_json(data, _DEPTH)
    except (ValueError, json.JSONDecodeError, RecursionError) as error:
        raise _no_entry(path) from error
    if not isinstance(value, dict):
        raise _no_entry(path)
    return value


def _no_entry(path: str) -> ArtifactError:
    reason = "it does not say what it was compiled from"
    return ArtifactError(reason, path=path, hint="name an entry of a cache")


def quarantine(path: str, seen: os.stat_result | None) -> bool:
    """Put a damaged entry aside, so that nobody reads it again.

    Args:
        path: The file.
        seen: What it was before it was read. An entry that somebody has replaced
            since then stays.

    Returns:
        Whether it is out of the way.
    """
    with contextlib.suppress(OSError):
        now = os.stat(path)
        if seen is not None and _same(now, seen):
            os.replace(path, path.removesuffix(_SUFFIX) + _DAMAGED)
            return True
    return False


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_ino, one.st_size, one.st_ctime_ns) == (
        other.st_ino,
        other.st_size,
        other.st_ctime_ns,
    )


def touch(path: str) -> None:
    """Note that an entry was used, where that can be noted."""
    with contextlib.suppress(OSError):
        now = time.time()
        os.utime(path, (now, now))


def remove(entry: Entry) -> None:
    """Remove an entry; somebody else may have done so already.

    Raises:
        OSError: It cannot be removed.
    """
    with contextlib.suppress(FileNotFoundError):
        os.unlink(entry.path)


def sweep_folder(folder: str) -> None:
    """Remove what writers left that were killed."""
    sweep(folder)
