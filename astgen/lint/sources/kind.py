"""What a file is, by what is in it; its name only decides between kinds of text."""

from __future__ import annotations

import pickletools
import re
from typing import Literal

__all__ = ["ARTIFACT", "GRAPH", "Kind", "headless", "kind_of", "marked", "suspected"]

Kind = Literal["empty", "zip", "pickle", "trace", "manifest", "python", "other"]

ARTIFACT = "model"
"""What vLLM calls the artifact that holds its generated code."""

GRAPH = "computation_graph.py"
"""What vLLM calls its readable dump of a graph, which is never run."""

_ZIP = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")
_HIGHEST_PROTOCOL = 5
_TRACE = re.compile(
    rb"^(\[rank\d+\]:)?[A-Z]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [^\n]{1,4000}?:\d+\] \{", re.M
)
_MARKS = re.compile(
    rb"(?<!\w)(?:execution_fn|__vllm_submods__|__vllm_consts__"
    rb"|__vllm_inlined_submods__\d*)(?!\w)"
)
_PARTS = (b"execution_fn", b"__vllm_")
_ARGUMENTS = {
    ord(code.code): 0 if code.arg is None else code.arg.n
    for code in pickletools.opcodes
}
_LOADING = frozenset(
    ord(code.code)
    for code in pickletools.opcodes
    if code.name
    in ("GLOBAL", "INST", "STACK_GLOBAL", "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID")
)
_TWO_LINES = frozenset(b"ci")
_STOP = ord(".")
_ENOUGH = 10_000


def kind_of(name: str, head: bytes) -> Kind:
    """What a file is.

    Args:
        name: The last part of its name.
        head: Its first bytes, all of them or `HEAD`.

    Returns:
        The kind. A pickle that does not say its protocol is an `other`, see
        `headless`.
    """
    if not head:
        return "empty"
    if head.startswith(_ZIP):
        return "zip"
    # No text in UTF-8 begins with this byte.
    if head[0] == 0x80 and len(head) > 1 and head[1] <= _HIGHEST_PROTOCOL:
        return "pickle"
    if name.endswith(".py"):
        return "python"
    if name == "manifest.json":
        return "manifest"
    return "trace" if _TRACE.search(head) else "other"


def marked(data: bytes) -> bool:
    """Whether a text has a name in it that only generated code and its makers have.

    Null bytes do not count, so that UTF-16 and UTF-32 are found too.
    """
    data = data.replace(b"\0", b"") if b"\0" in data else data
    return suspected(data) and _MARKS.search(data) is not None


def suspected(data: bytes) -> bool:
    """Whether a text may be `marked`; this is fast, whatever the text is."""
    return any(part in data for part in _PARTS)


def headless(data: bytes, whole: bool) -> bool:
    """Whether bytes are a pickle of the protocols 0 or 1, which have no magic number.

    Args:
        data: The bytes.
        whole: Whether they are all of the file.

    Returns:
        Whether they can be read as opcodes to the end of the pickle, or as far as
        they go, and load something by name. What loads nothing cannot do anything,
        and `2.13.0` is such a pickle.
    """
    offset, loads = 0, False
    for _ in range(_ENOUGH):
        if offset >= len(data):
            return not whole
        code = data[offset]
        if code not in _ARGUMENTS:
            return False
        if code == _STOP:
            return loads
        loads = loads or code in _LOADING
        end = _behind(data, offset + 1, code)
        if end is None:
            return not whole
        offset = end
    return True


def _behind(data: bytes, offset: int, code: int) -> int | None:
    """Where the argument of an opcode ends, None if that is behind the data."""
    size = _ARGUMENTS[code]
    if size >= 0:
        return offset + size
    if size == pickletools.UP_TO_NEWLINE or code in _TWO_LINES:
        for _ in range(2 if code in _TWO_LINES else 1):
            offset = data.find(b"\n", offset) + 1
            if not offset:
                return None
        return offset
    width = {
        pickletools.TAKEN_FROM_ARGUMENT1: 1,
        pickletools.TAKEN_FROM_ARGUMENT4: 4,
        pickletools.TAKEN_FROM_ARGUMENT4U: 4,
        pickletools.TAKEN_FROM_ARGUMENT8U: 8,
    }[size]
    end = offset + width + int.from_bytes(data[offset : offset + width], "little")
    return end if end <= len(data) else None
