"""What the command line names -> the files to look at, in order.

Folders are walked by name, and links to folders are not followed: they can lead in
circles, or out of the folder. A file that is reached twice is looked at once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from astgen.check.finding import Finding
from astgen.lint.sources.refusal import Refused, display, reading

__all__ = ["SKIPPED", "STDIN", "Found", "discover"]

STDIN = "-"

SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)
"""Names of folders in which nobody looks for generated code."""


@dataclass(frozen=True)
class Found:
    """A file to look at.

    Attributes:
        path: The file, in the spelling of the command line; `-` is standard input.
        explicit: Whether the command line names it, rather than a folder above it.
        finding: Why it cannot be looked at, or what is in it if it is a folder.
    """

    path: str
    explicit: bool
    finding: Finding | None = None


def discover(
    paths: Iterable[str],
    exclude: Sequence[str] = (),
    *,
    skipped: frozenset[str] = SKIPPED,
) -> Iterator[Found]:
    """Find the files.

    Args:
        paths: Files and folders, or `-`.
        exclude: Patterns of files and folders that are passed over in folders. They
            are compared with the name, with the path, and with the path from the
            folder that was named. What the command line names is never passed over.
        skipped: Names of folders that are passed over.

    Yields:
        The files in order. Whatever is no folder is one, also what is no regular
        file: whoever reads it says so.
    """
    patterns = tuple(pattern.rstrip("/") for pattern in exclude)
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if path == STDIN:
            yield Found(path, True)
            continue
        for found, status in _all(path, patterns, skipped):
            key = None if status is None else (status.st_dev, status.st_ino)
            if key is None or key not in seen:
                yield found
            if key is not None:
                seen.add(key)


_Place = tuple[Found, "os.stat_result | None"]


def _all(
    root: str, patterns: tuple[str, ...], skipped: frozenset[str]
) -> Iterator[_Place]:
    """The files of one path of the command line, and what is known of each."""
    found, status = _look(root, True)
    if status is None or not stat.S_ISDIR(status.st_mode):
        yield found, status
        return
    # A stack and no recursion: folders can be nested deeper than calls.
    waiting = [(root, True)]
    while waiting:
        path, folder = waiting.pop()
        if not folder:
            yield _look(path, False)
            continue
        try:
            with reading("the folder"):
                inside = _inside(path, root, patterns, skipped)
        except Refused as refused:
            yield Found(path, False, refused.finding(display(path))), None
            continue
        waiting += reversed(inside)


def _look(path: str, explicit: bool) -> _Place:
    try:
        with reading("it"):
            status = os.stat(path)
    except Refused as refused:
        return Found(path, explicit, refused.finding(display(path))), None
    return Found(path, explicit), status


def _inside(
    path: str, root: str, patterns: tuple[str, ...], skipped: frozenset[str]
) -> list[tuple[str, bool]]:
    """What is in a folder, by name, and whether each is a folder to walk."""
    inside = []
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            folder = entry.is_dir(follow_symlinks=False)
            if folder and entry.name in skipped:
                continue
            if _matches(entry.path, entry.name, root, patterns):
                continue
            if folder or not _leads_to_folder(entry):
                inside.append((entry.path, folder))
    return inside


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link in a circle; whoever reads it says so.
        return False


def _matches(path: str, name: str, root: str, patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return False
    path = os.path.normpath(path)
    spelled = (name, path, os.path.relpath(path, root))
    return any(fnmatchcase(one, pattern) for pattern in patterns for one in spelled)
