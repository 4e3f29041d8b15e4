"""Byte strings inside pickles that are pickles themselves."""

from __future__ import annotations

from dataclasses import dataclass

from astgen.lint.sources.pickle_calls import arguments_of
from astgen.lint.sources.pickle_machine import Reading
from astgen.lint.sources.pickle_programs import CODE, entry
from astgen.lint.sources.pickle_values import CONTAINERS, MAKERS, Node, Value, dotted

__all__ = ["Blob", "blobs", "is_pickle"]

_SHORTEST = 2
_PROTO = 0x80
_FRAME = 0x95
_ENCODERS = frozenset({"_codecs.encode", "builtins.bytearray", "builtins.bytes"})


@dataclass(frozen=True)
class Blob:
    """A byte string inside a pickle.

    Attributes:
        value: The literal, or the call that makes it from text.
        data: Its bytes.
        position: The opcode that it comes from, or 0.
    """

    value: Value
    data: bytes
    position: int = 0


def blobs(reading: Reading) -> list[Blob]:
    """Find the byte strings of a pickle.

    Args:
        reading: What the pickle would make.

    Returns:
        Each byte string once, also those that protocols 0 to 2 spell as text.
    """
    found = {
        id(value): Blob(value, value, position)
        for position, value in reading.blobs
        if len(value) >= _SHORTEST
    }
    for node in reading.nodes:
        if node.kind in MAKERS and dotted(node.callee) in _ENCODERS:
            text = (arguments_of(node) or [None])[0]
            if isinstance(text, str) and len(text) >= _SHORTEST:
                if id(text) not in found:
                    data = _latin1(text)
                    if data:
                        found[id(text)] = Blob(node, data)
    return list(found.values())


def _latin1(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return b""


def is_pickle(data: bytes, reading: Reading) -> bool:
    """Whether a byte string is a pickle, or so close to one that it must be judged.

    An unpickler runs what it has read before it finds that the rest makes no sense,
    so what breaks off is a pickle if it imports something. Bytecode and hashes
    begin like pickles now and then; they break off at once.

    Args:
        data: The bytes.
        reading: What they would make.

    Returns:
        False for bytes that do nothing when they are unpickled.
    """
    damage = reading.damage
    if data[0] != _PROTO:
        # Without the mark, text that happens to be opcodes must not look like one.
        whole = damage is None
        acts = any(_acts(node, whole) for node in reading.nodes)
        return acts or _has_program(reading)
    if damage is None or damage.too_large or damage.doubtful:
        return True
    if data[2:3] == bytes([_FRAME]):
        return True
    return any(node.kind not in CONTAINERS for node in reading.nodes)


def _acts(node: Node, whole: bool) -> bool:
    """Whether an unpickler would do something for it, and not only fail."""
    if node.kind in MAKERS:
        return isinstance(node.callee, Node)
    if node.kind == "global":
        return _importable(node)
    # Hashes and archives begin like these; what follows is no pickle, as a rule.
    asks = node.kind in ("extension", "persistent")
    return asks and (whole or bool(node.states or node.parts or node.pairs))


def _importable(node: Node) -> bool:
    """Whether the name of a module could be one; `ode for a kernel` could not."""
    where = node.arguments
    module = (where.parts or [None])[0] if isinstance(where, Node) else None
    if not isinstance(module, str):
        return isinstance(module, Node)
    return all(part.isidentifier() for part in module.split("."))


def _has_program(reading: Reading) -> bool:
    return reading.damage is None and entry(reading.top, CODE)[0]
