"""What the command line names -> the files to look at, in order.

Folders are walked by name, and links to folders are not followed: they can lead in
circles, or out of the folder. A name in a folder is looked at once, however often it
is reached. Two names of one file are two: what is looked for depends on the name, so
a link with a harmless name must not hide the other one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from astgen.check.finding import Finding
from astgen.lint.sources.refusal import Refused, display, reading
from astgen.store import CODE, MANIFEST

__all__ = ["SKIPPED", "STDIN", "Found", "discover", "excluded"]

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
        file: whoever reads it says so. The program of an artifact that is a folder
        is left to its manifest, if that is among the files.
    """
    patterns = tuple(pattern.rstrip("/") for pattern in exclude)
    seen: set[str] = set()
    folders: dict[str, str] = {}
    for path in paths:
        if path == STDIN:
            yield Found(path, True)
            continue
        for found in _all(path, patterns, skipped):
            key = _key(found.path, folders)
            if key not in seen:
                seen.add(key)
                yield found


def excluded(path: str, exclude: Sequence[str]) -> bool:
    """Whether patterns cover a path that the command line names."""
    patterns = tuple(pattern.rstrip("/") for pattern in exclude)
    return _matches(path, os.path.basename(path), os.curdir, patterns)


def _key(path: str, folders: dict[str, str]) -> str:
    """The same for every way to spell one name in one folder."""
    if "\0" in path:
        return path
    folder, name = os.path.split(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], name)


def _all(
    root: str, patterns: tuple[str, ...], skipped: frozenset[str]
) -> Iterator[Found]:
    """The files of one path of the command line."""
    found, walked = _look(root, True)
    if not walked:
        yield found
        return
    # A stack and no recursion: folders can be nested deeper than calls.
    waiting = [(root, True)]
    while waiting:
        path, folder = waiting.pop()
        if not folder:
            yield _look(path, False)[0]
            continue
        try:
            with reading("the folder"):
                inside = _inside(path, root, patterns, skipped)
        except Refused as refused:
            yield Found(path, False, refused.finding(display(path)))
            continue
        waiting += reversed(inside)


def _look(path: str, explicit: bool) -> tuple[Found, bool]:
    """What is at a path, and whether that is a folder."""
    try:
        with reading("it"):
            status = os.stat(path)
    except Refused as refused:
        return Found(path, explicit, refused.finding(display(path))), False
    return Found(path, explicit), stat.S_ISDIR(status.st_mode)


def _inside(
    path: str, root: str, patterns: tuple[str, ...], skipped: frozenset[str]
) -> list[tuple[str, bool]]:
    """What is in a folder, by name, and whether each is a folder to walk."""
    inside: dict[str, tuple[str, bool]] = {}
    described = False
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            folder = entry.is_dir(follow_symlinks=False)
            if folder and entry.name in skipped:
                continue
            if _matches(entry.path, entry.name, root, patterns):
                continue
            if folder or not _leads_to(entry.is_dir):
                inside[entry.name] = entry.path, folder
            if entry.name == MANIFEST:
                described = _leads_to(entry.is_file)
    if described and not inside.get(CODE, ("", True))[1]:
        # It is read with the manifest, which says more of it.
        del inside[CODE]
    return list(inside.values())


def _leads_to(test: Callable[[], bool]) -> bool:
    """Whether an entry is such a thing, or a link to one."""
    try:
        return test()
    except OSError:
        # A link in a circle; whoever reads it says so.
        return False


def _matches(path: str, name: str, root: str, patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return False
    path = os.path.normpath(path)
    spelled = (name, path, os.path.relpath(path, root))
    return any(fnmatchcase(one, pattern) for pattern in patterns for one in spelled)
