"""What a piece does, as a digest that does not depend on names or compilers.

What a compiler makes of a piece differs from process to process, bytes and all; its
graph does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from torch import fx

from astgen import emit
from astgen.check import scan
from astgen.errors import AstgenError
from astgen.store.codec import dumps, encode
from astgen.structure import structure_hash

__all__ = ["content_of"]


def content_of(gm: fx.GraphModule) -> str:
    """The structure of the text that a graph would be; empty if it would be none."""
    try:
        emitted = emit.emit(gm)
        keys = _keys(emitted.consts)
        scanned = scan(emitted.code, dialect=emitted.dialect)
        if scanned.tree is None or not scanned.in_grammar:
            return ""
        return structure_hash(scanned.tree, emitted.dialect, keys)
    except AstgenError:
        # Only who compiles the piece has to be told that it cannot be expressed.
        return ""


def _keys(consts: Sequence[Any]) -> dict[int, str]:
    """For each constant that can be stored, what is equal for equal ones."""
    keys: dict[int, str] = {}
    for slot, value in enumerate(consts):
        try:
            # It has the digests of what is in tensors, and keys of slots do not.
            document = dumps(encode([value]).document)
            keys[slot] = hashlib.sha256(document).hexdigest()
        except AstgenError:
            keys[slot] = f"{type(value).__module__}.{type(value).__qualname__}"
    return keys
