"""What the examples of rules about caches are made of; the bytes never change.

They are written opcode by opcode, so that nothing here needs pickle itself.
"""

from __future__ import annotations

from astgen.check.finding import Sample

__all__ = ["CACHED", "called", "cache", "named", "text"]

CACHED = """\
def execution_fn(x, *, __vllm_submods__):
    return x
"""
"""A program for a cache, without findings."""


def text(value: str) -> bytes:
    """The opcode that makes a text."""
    raw = value.encode()
    return b"X" + len(raw).to_bytes(4, "little") + raw


def named(path: str) -> bytes:
    """The opcode that imports a dotted path."""
    module, _, name = path.rpartition(".")
    return f"c{module}\n{name}\n".encode()


def called(path: str, *arguments: bytes) -> bytes:
    """The opcodes that call a dotted path."""
    return named(path) + b"(" + b"".join(arguments) + b"tR"


def cache(
    shown: str,
    code: str = CACHED,
    consts: bytes | None = b"]",
    names: bytes = b"]",
    before: bytes = b"",
) -> Sample:
    """A file like the state that vLLM pickles.

    Args:
        shown: What people read instead of the bytes.
        code: The program.
        consts: Opcodes that make the constants; None for a state without them.
        names: Opcodes that make the names of the pieces.
        before: Opcodes of something that is made first and dropped.
    """
    entries = text("execution_code") + text(code) + text("submod_names") + names
    if consts is not None:
        entries += text("consts") + consts
    return Sample("model", b"\x80\x02" + before + b"}(" + entries + b"u.", shown)
