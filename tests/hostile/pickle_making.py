"""Pickles written opcode by opcode, as no pickler would write them."""

from __future__ import annotations

from dataclasses import dataclass

from hostile.making import ENTRY, TOUCH

__all__ = [
    "HostilePickle",
    "blob",
    "call",
    "glob",
    "nest",
    "refused",
    "stack_glob",
    "state",
    "text",
    "touch",
]


@dataclass(frozen=True)
class HostilePickle:
    """A pickle, and the rules that refuse it, one for each finding but AG608."""

    name: str
    data: bytes
    rules: str


def text(value: str) -> bytes:
    raw = value.encode("utf-8", "surrogatepass")
    return b"X" + len(raw).to_bytes(4, "little") + raw


def blob(value: bytes) -> bytes:
    return b"B" + len(value).to_bytes(4, "little") + value


def glob(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def stack_glob(module: str, name: str) -> bytes:
    return text(module) + text(name) + b"\x93"


def call(function: bytes, *arguments: bytes) -> bytes:
    return function + b"(" + b"".join(arguments) + b"tR"


def touch() -> bytes:
    """A call that leaves the canary, if it is made."""
    return call(glob("os", "system"), text(TOUCH))


def state(*more: bytes) -> bytes:
    """What vLLM pickles, with further keys and values."""
    entries = text("execution_code") + text(ENTRY)
    entries += text("submod_names") + b"]" + text("consts") + b"]"
    return b"}(" + entries + b"".join(more) + b"u"


def nest(*insides: bytes) -> bytes:
    """A pickle of a list of byte strings."""
    return b"\x80\x04](" + b"".join(blob(inside) for inside in insides) + b"e."


def refused(name: str, body: bytes, rules: str = "AG610") -> HostilePickle:
    """A pickle of protocol 4 with this in front of a harmless state."""
    return HostilePickle(name, b"\x80\x04" + body + b"0" + state() + b".", rules)
