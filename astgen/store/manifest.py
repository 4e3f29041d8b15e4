"""The manifest of an artifact: what is in it, and the digest of each member.

An artifact is a zip archive, or a folder, that holds `manifest.json` and
`execution.py`:

    {
      "format": "astgen",
      "format_version": [1, 0],
      "entry": "execution_fn",
      "submod_names": ["submod_0", null],
      "consts": [{"kind": "torch.device", "shown": "torch.device('cpu')", "key": "…"}],
      "members": {"execution.py": {"sha256": "…", "size": 1234}}
    }

`submod_names` and `consts` may be left out where they are not known. A member is
named by a plain relative path; the manifest does not list itself. Keys that are not
known are left alone, as long as the first number of the version is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from astgen.errors import ArtifactError
from astgen.store import CODE, MANIFEST

__all__ = [
    "FORMAT",
    "VERSION",
    "Manifest",
    "Member",
    "Slot",
    "parse_manifest",
    "plain",
]

FORMAT = "astgen"
VERSION = (1, 0)

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_MAGIC, _VERSION, _INCOMPLETE = "AG601", "AG603", "AG607"


@dataclass(frozen=True)
class Member:
    """What a manifest says of a member: its SHA-256 in hex, and its bytes."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Slot:
    """What a manifest says of a constant, without making it.

    Attributes:
        kind: What makes it, as a dotted path.
        shown: A short text for people.
        key: Equal for equal constants.
    """

    kind: str
    shown: str
    key: str


@dataclass(frozen=True)
class Manifest:
    """A manifest that was read and found in order.

    Attributes:
        version: Major and minor number of the format.
        entry: The name of the function that is called.
        members: The members by name; `execution.py` is one.
        submod_names: The names of the pieces in slot order, None if not known.
        consts: The constants in slot order, None if not known.
    """

    version: tuple[int, int]
    entry: str
    members: Mapping[str, Member] = field(default_factory=dict)
    submod_names: tuple[str | None, ...] | None = None
    consts: tuple[Slot, ...] | None = None


def parse_manifest(data: bytes) -> Manifest:
    """Read a manifest.

    Args:
        data: The bytes of `manifest.json`.

    Returns:
        What it says.

    Raises:
        ArtifactError: It is no manifest of astgen, has a format that is not known,
            says something that it may not, or lists no code.
    """
    content = _content(data)
    if content.get("format") != FORMAT:
        raise _error(_MAGIC, "format", f"it is not {FORMAT!r}")
    version = _version(content.get("format_version"))
    members = _members(content.get("members"))
    if CODE not in members:
        raise _error(_INCOMPLETE, "members", f"{CODE} is not listed")
    entry = content.get("entry")
    if not isinstance(entry, str) or not entry.isidentifier():
        raise _error(_MAGIC, "entry", "it is no name of a function")
    return Manifest(
        version,
        entry,
        members,
        _names(content.get("submod_names")),
        _slots(content.get("consts")),
    )


def plain(name: str) -> bool:
    """Whether a name of a member stays in its folder wherever it is unpacked.

    A plain name is a relative path with forward slashes, in which no part is empty,
    `.` or `..`, and nothing is a drive, a backslash or a character that does not
    print.
    """
    parts = name.split("/")
    return (
        name.isprintable()
        and not any(char in name for char in "\\:")
        and all(part not in ("", ".", "..") for part in parts)
    )


def _content(data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data.decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise _error(_MAGIC, "", f"it is no JSON: {reason}") from error
    if not isinstance(content, dict):
        raise _error(_MAGIC, "", "it is no JSON object")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        # Which of the values counts depends on the reader.
        raise ValueError("a key stands there twice")
    return content


def _version(value: Any) -> tuple[int, int]:
    pair = isinstance(value, list) and len(value) == 2
    if not pair or not all(type(part) is int and part >= 0 for part in value):
        raise _error(_MAGIC, "format_version", "it is no pair of numbers")
    major, minor = value
    if major != VERSION[0]:
        reason = f"version {major}.{minor} is not known, {VERSION[0]}.x is"
        raise _error(_VERSION, "format_version", reason)
    return major, minor


def _members(value: Any) -> dict[str, Member]:
    if not isinstance(value, dict):
        raise _error(_MAGIC, "members", "it is no object")
    return {name: _member(name, value[name]) for name in value}


def _member(name: str, value: Any) -> Member:
    where = f"members[{ascii(name[:100])}]"
    if not plain(name) or name == MANIFEST:
        raise _error(_MAGIC, where, "it is no plain relative path of a member")
    said = value if isinstance(value, dict) else {}
    digest, size = said.get("sha256"), said.get("size")
    if not isinstance(digest, str) or not _SHA256.match(digest):
        raise _error(_MAGIC, where, "sha256 is no digest of 64 hex digits")
    if type(size) is not int or size < 0:
        raise _error(_MAGIC, where, "size is no number of bytes")
    return Member(digest, size)


def _names(value: Any) -> tuple[str | None, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise _error(_MAGIC, "submod_names", "it is no list")
    for index, name in enumerate(value):
        if name is not None and not isinstance(name, str):
            raise _error(_MAGIC, f"submod_names[{index}]", "it is no name or null")
    return tuple(value)


def _slots(value: Any) -> tuple[Slot, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise _error(_MAGIC, "consts", "it is no list")
    return tuple(_slot(index, slot) for index, slot in enumerate(value))


def _slot(index: int, value: Any) -> Slot:
    said = value if isinstance(value, dict) else {}
    texts = [said.get(key) for key in ("kind", "shown", "key")]
    kind, shown, key = (text if isinstance(text, str) else None for text in texts)
    if kind is None or shown is None or key is None:
        raise _error(_MAGIC, f"consts[{index}]", "kind, shown and key are no strings")
    return Slot(kind, shown, key)


def _error(rule: str, where: str, reason: str) -> ArtifactError:
    return ArtifactError(reason, path=MANIFEST, field=where, rule=rule)
