"""The manifest of an artifact: what is in it, and the digest of each member.

An artifact is a zip archive that holds `manifest.json`, `execution.py` and what
belongs to them. The linter reads a folder with these files as well.

    {
      "format": "astgen",
      "format_version": [1, 0],
      "producer": "astgen 0.1.0",
      "entry": "execution_fn",
      "dialect": {"submods": "__vllm_submods__", ...},
      "needs": {"namespaces": ["vllm"], "paths": []},
      "submod_names": ["submod_0", null],
      "consts": [{"kind": "torch.device", "shown": "torch.device('cpu')", "key": "…"},
                 {"kind": "mymodel.Table", "shown": "…", "key": "…", "supplied": true}],
      "environment": {"python": "cpython 3.12", ...},
      "hashes": {"content": "…", "code": "…", "interface": "…", "structure": "…"},
      "blobs": {"submod_0": "blobs/…"},
      "members": {
        "execution.py": {"sha256": "…", "size": 1234},
        "blobs/…": {"sha256": "…", "size": 99, "opaque": true, "kind": "inductor"}
      }
    }

`format`, `format_version`, `entry` and `members` must be there. A member is named by
a plain relative path; the manifest does not list itself. The names of what is kept
once however often it is used, in `data/` and `blobs/`, are digests. Keys that are not
known are left alone, as long as the first number of the version is. `provenance.json`
(see `astgen.provenance.document`) is for people: no hash but its own depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from astgen.check.dialect import Dialect
from astgen.errors import InvalidNameError
from astgen.store.notation import write_json

__all__ = [
    "BLOBS",
    "DATA",
    "FORMAT",
    "SUPPLIED",
    "VERSION",
    "Manifest",
    "Member",
    "Slot",
    "plain",
    "supplied_of",
    "usable_entry",
    "write_manifest",
]

FORMAT = "astgen"
VERSION = (1, 0)

BLOBS = "blobs/"
"""Where the opaque members are; the rest of the name is their digest."""

DATA = "data/"
"""Where the bytes of constants are; the rest of the name is their digest."""

SUPPLIED = "supplied"
"""The tag of what stands among the constants for one that is not in the file."""


@dataclass(frozen=True)
class Member:
    """What a manifest says of a member.

    Attributes:
        sha256: Its SHA-256 in hex.
        size: Its bytes.
        kind: Whose it is, if it is opaque: bytes that only the backend can read,
            which runs code of theirs when it does. Empty for all others.
    """

    sha256: str
    size: int
    kind: str = ""


@dataclass(frozen=True)
class Slot:
    """What a manifest says of a constant, without making it.

    Attributes:
        kind: What makes it, as a dotted path.
        shown: A short text for people.
        key: Equal for equal constants.
        supplied: Whether it is not in the file: whoever loads it hands it over.
    """

    kind: str
    shown: str
    key: str
    supplied: bool = False


@dataclass(frozen=True)
class Manifest:
    """A manifest that was read and found in order, or is to be written.

    Attributes:
        version: Major and minor number of the format.
        entry: The name of the function that is called.
        members: The members by name; `execution.py` is one.
        submod_names: The names of the pieces in slot order, None if not known.
        consts: The constants in slot order, None if not known.
        producer: What wrote it.
        dialect: The other names of the text: `submods`, `consts`, `inlined`.
        namespaces: Operator namespaces of the text that are not PyTorch's own.
        paths: Paths of the text that its dialect allows beside the listed ones.
        environment: Where it was written, by field.
        hashes: What the program is: `content`, `code`, `interface` and `structure`.
        blobs: The opaque member of each name that the backend gave.
    """

    version: tuple[int, int]
    entry: str
    members: Mapping[str, Member] = field(default_factory=dict)
    submod_names: tuple[str | None, ...] | None = None
    consts: tuple[Slot, ...] | None = None
    producer: str = ""
    dialect: Mapping[str, str] = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    blobs: Mapping[str, str] = field(default_factory=dict)


def write_manifest(manifest: Manifest) -> bytes:
    """The bytes of `manifest.json`; the same for equal manifests."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "format_version": list(manifest.version),
        "producer": manifest.producer,
        "entry": manifest.entry,
        "dialect": dict(manifest.dialect),
        "needs": {
            "namespaces": list(manifest.namespaces),
            "paths": list(manifest.paths),
        },
        "submod_names": _listed(manifest.submod_names),
        "consts": _listed(manifest.consts, _constant),
        "environment": dict(manifest.environment),
        "hashes": dict(manifest.hashes),
        "blobs": dict(manifest.blobs),
        "members": {name: _said(said) for name, said in manifest.members.items()},
    }
    return write_json(content)


def usable_entry(entry: str, dialect: Dialect) -> bool:
    """Whether a function that is called may have a name, in a dialect."""
    try:
        replace(dialect, entry=entry)
    except InvalidNameError:
        return False
    return True


def supplied_of(consts: Sequence[Slot] | None) -> list[list[Any]]:
    """Slot and type of each constant that is not in the file."""
    found = enumerate(consts or ())
    return [[place, one.kind] for place, one in found if one.supplied]


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


def _listed(values: Any, one: Any = lambda value: value) -> list[Any] | None:
    return None if values is None else [one(value) for value in values]


def _constant(slot: Slot) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": slot.kind, "shown": slot.shown, "key": slot.key}
    return {**said, "supplied": True} if slot.supplied else said


def _said(member: Member) -> dict[str, Any]:
    said: dict[str, Any] = {"sha256": member.sha256, "size": member.size}
    return {**said, "opaque": True, "kind": member.kind} if member.kind else said
