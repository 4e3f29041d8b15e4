"""A manifest that nobody vouches for, read field by field."""

from __future__ import annotations

import re
from typing import Any

from astgen.errors import ArtifactError
from astgen.store.limits import Limits
from astgen.store.manifest import (
    BLOBS,
    DATA,
    FORMAT,
    VERSION,
    Manifest,
    Member,
    Slot,
    plain,
)
from astgen.store.members import CODE, MANIFEST
from astgen.store.notation import parse_json

__all__ = ["parse_manifest"]

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_MAGIC, _VERSION, _TOO_LARGE, _INCOMPLETE = "AG601", "AG603", "AG005", "AG607"


def parse_manifest(data: bytes, limits: Limits = Limits()) -> Manifest:
    """Read a manifest.

    Args:
        data: The bytes of `manifest.json`.
        limits: How large it may be, and how many members it may list.

    Returns:
        What it says.

    Raises:
        ArtifactError: It is no manifest of astgen, has a format that is not known,
            says something that it may not, or lists no code.
    """
    content = _content(data, limits)
    if content.get("format") != FORMAT:
        raise _error(_MAGIC, "format", f"it is not {FORMAT!r}")
    version = _version(content.get("format_version"))
    members = _members(content.get("members"), limits)
    entry = content.get("entry")
    if not isinstance(entry, str) or not entry.isidentifier():
        raise _error(_MAGIC, "entry", "it is no name of a function")
    producer = content.get("producer", "")
    if not isinstance(producer, str):
        raise _error(_MAGIC, "producer", "it is no text")
    needs = content.get("needs", {})
    if not isinstance(needs, dict):
        raise _error(_MAGIC, "needs", "it is no object")
    return Manifest(
        version,
        entry,
        members,
        _names(content.get("submod_names")),
        _slots(content.get("consts")),
        producer,
        _texts(content, "dialect"),
        _strings(needs.get("namespaces", []), "needs.namespaces"),
        _strings(needs.get("paths", []), "needs.paths"),
        _texts(content, "environment"),
        _texts(content, "hashes"),
        _blobs(content, members),
    )


def _content(data: bytes, limits: Limits) -> dict[str, Any]:
    if len(data) > limits.manifest_bytes:
        reason = f"it has {len(data)} bytes, the limit is {limits.manifest_bytes}"
        raise _error(_TOO_LARGE, "", reason)
    try:
        content = parse_json(data, limits.depth)
    except (ValueError, RecursionError) as error:
        raise _error(_MAGIC, "", f"it is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise _error(_MAGIC, "", "it is no JSON object")
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


def _members(value: Any, limits: Limits) -> dict[str, Member]:
    if not isinstance(value, dict):
        raise _error(_MAGIC, "members", "it is no object")
    if len(value) > limits.members:
        reason = f"{len(value)} members are listed, the limit is {limits.members}"
        raise _error(_TOO_LARGE, "members", reason)
    members = {name: _member(name, value[name]) for name in value}
    if CODE not in members:
        raise _error(_INCOMPLETE, "members", f"{CODE} is not listed")
    return members


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
    opaque, kind = said.get("opaque", False), said.get("kind", "")
    if type(opaque) is not bool or not isinstance(kind, str) or opaque != bool(kind):
        raise _error(_MAGIC, where, "opaque and kind do not say whose it is")
    if opaque != name.startswith(BLOBS):
        raise _error(_MAGIC, where, f"what is opaque is in {BLOBS}, and nothing else")
    if name.startswith((BLOBS, DATA)) and name.partition("/")[2] != digest:
        raise _error(_MAGIC, where, "its name is not its digest")
    return Member(digest, size, kind)


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
    supplied = said.get("supplied", False)
    if type(supplied) is not bool:
        raise _error(_MAGIC, f"consts[{index}]", "supplied is neither true nor false")
    return Slot(kind, shown, key, supplied)


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _error(_MAGIC, where, "it is no list of strings")
    return tuple(value)


def _texts(content: dict[str, Any], key: str) -> dict[str, str]:
    value = content.get(key, {})
    if not isinstance(value, dict) or not all(
        isinstance(text, str) for text in value.values()
    ):
        raise _error(_MAGIC, key, "it is no object of strings")
    return value


def _blobs(content: dict[str, Any], members: dict[str, Member]) -> dict[str, str]:
    blobs = _texts(content, "blobs")
    for name, member in blobs.items():
        where = f"blobs[{ascii(name[:100])}]"
        if not member.startswith(BLOBS) or member not in members:
            raise _error(_INCOMPLETE, where, "its member is not listed")
    if set(blobs.values()) != {name for name in members if name.startswith(BLOBS)}:
        raise _error(_MAGIC, "blobs", "a member is nobody's")
    return blobs


def _error(rule: str, where: str, reason: str) -> ArtifactError:
    return ArtifactError(reason, path=MANIFEST, field=where, rule=rule)
