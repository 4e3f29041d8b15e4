"""Artifacts to load, to damage and to lie with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from astgen.errors import ArtifactError
from astgen.store.artifact import Artifact, Opaque, pack_artifact
from astgen.store.codec import dumps, encode
from astgen.store.container import pack
from astgen.store.facts import current_environment
from astgen.store.layout import chunks

__all__ = ["CODE", "KINDS", "flips", "forged", "packed", "plain_zip", "refuses"]

CODE = """\
import torch
import operator


def execution_fn(x, y, *, __vllm_submods__):
    a = __vllm_submods__[0](x, __vllm_consts__[0])
    del x
    b = torch.ops.aten.add.Tensor(a, y)
    del a, y
    return operator.mul(b, 2)
"""

KINDS: dict[str, Artifact] = {
    "plain": Artifact(
        CODE, ("piece",), [[torch.float32, *(f"constant {i}" for i in range(140))]]
    ),
    "tensors": Artifact(
        CODE,
        ("piece",),
        [[torch.arange(3000.0), torch.ones(70, 9, dtype=torch.int8).T, "\udc80"]],
    ),
    "blobs": Artifact(
        CODE,
        ("piece",),
        [torch.device("cpu")],
        blobs={
            "piece": Opaque("inductor", b"\x80\x04N." + bytes(range(256)) * 50),
            "other": Opaque("triton", b"\x7fELF"),
        },
        extra={"notes": b"none"},
    ),
}
"""An artifact of each kind."""


def packed(kind: str = "plain") -> bytes:
    """The bytes of one of `KINDS`."""
    return pack_artifact(KINDS[kind])


def forged(
    members: Mapping[str, bytes], said: Mapping[str, Any] | None = None
) -> bytes:
    """An artifact with right digests of anything.

    Args:
        members: The members beside the manifest. `consts.json` is that of no
            constants unless it is given.
        said: What the manifest says otherwise; by default what it has to.
    """
    members = {"consts.json": _no_constants(), **members}
    listed = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in members.items()
    }
    for name in listed:
        if name.startswith("blobs/"):
            listed[name] |= {"opaque": True, "kind": "inductor"}
    content = {
        "format": "astgen",
        "format_version": [1, 0],
        "entry": "execution_fn",
        "submod_names": [],
        "consts": [],
        "members": listed,
        "environment": current_environment(),
    }
    manifest = json.dumps({**content, **(said or {})}).encode()
    return pack({"manifest.json": manifest, **members})


def plain_zip(manifest: bytes, members: Mapping[str, bytes]) -> bytes:
    """What `pack` would write if it compared nothing."""
    ordered = {"manifest.json": manifest, **dict(sorted(members.items()))}
    return b"".join(chunks(ordered, hashlib.sha256(manifest).hexdigest()))


def flips(data: bytes, places: Iterator[int], bits: int) -> Iterator[bytes]:
    """The bytes with some bits of one of them flipped."""
    for place in places:
        damaged = bytearray(data)
        damaged[place] ^= bits
        yield bytes(damaged)


def refuses(load: Callable[[bytes], Any], data: bytes) -> bool:
    """Whether bytes are refused as they should be; any other exception goes through."""
    try:
        load(data)
    except ArtifactError as error:
        return bool(error.reason)
    return False


def _no_constants() -> bytes:
    return dumps(encode([]).document)
