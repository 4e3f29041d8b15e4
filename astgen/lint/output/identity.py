"""What a file and a finding are called outside of a run: paths, URIs, fingerprints."""

from __future__ import annotations

import hashlib
import ntpath
import posixpath
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath, PureWindowsPath
from urllib.parse import quote

from astgen.check.finding import Finding
from astgen.lint.report import Report, Result

__all__ = ["fingerprinted", "relative", "uri"]


@lru_cache(maxsize=256)
def relative(path: str, root: PurePath) -> str | None:
    """A path from a folder, with forward slashes; None if it is not below it."""
    paths = ntpath if isinstance(root, PureWindowsPath) else posixpath
    whole = type(root)(paths.normpath(str(root / path)))
    below = whole.is_relative_to(root)
    return whole.relative_to(root).as_posix() if below else None


@lru_cache(maxsize=256)
def uri(path: str, root: PurePath) -> tuple[str, bool]:
    """A path as a URI, and whether it is relative to a folder."""
    below = relative(path, root)
    if below is not None:
        return quote(_bytes(below), safe="/"), True
    paths = ntpath if isinstance(root, PureWindowsPath) else posixpath
    whole = paths.normpath(str(root / path)).replace(paths.sep, "/")
    if paths is ntpath:
        # A drive stands behind an empty host, the share of a server has one.
        whole = whole[2:] if whole.startswith("//") else f"/{whole}"
    return "file://" + quote(_bytes(whole), safe="/:"), False


def _bytes(text: str) -> bytes:
    # File names that are not UTF-8 come with surrogates in place of their bytes.
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def fingerprinted(
    report: Report, root: PurePath
) -> Iterator[tuple[Result, Finding, str]]:
    """Every finding with what stays the same when lines move.

    Args:
        report: The report.
        root: The folder that paths are relative to.

    Returns:
        Results, findings, and fingerprints that differ.
    """
    for result in report.results:
        path = relative(result.path, root) or result.path
        seen: Counter[tuple[str, ...]] = Counter()
        for finding in result.findings:
            line = result.lines.get((finding.member, finding.line), "").strip()
            parts = (path, finding.member, finding.rule, finding.message, line)
            seen[parts] += 1
            whole = "\0".join((*parts, str(seen[parts])))
            yield result, finding, hashlib.sha256(_bytes(whole)).hexdigest()[:32]
