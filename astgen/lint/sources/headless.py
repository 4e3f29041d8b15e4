"""Whether bytes without a magic number are a pickle all the same.

Pickles of the protocols 0 and 1 begin with any opcode, so this walks over them.
"""

from __future__ import annotations

import pickletools

__all__ = ["headless"]

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
_MARKED = frozenset(
    ord(code.code)
    for code in pickletools.opcodes
    if pickletools.markobject in code.stack_before
)
_MARK = ord("(")
_SPACES = b" \t\v\f\r"
# What a line may begin with that is the argument of an opcode.
_FIRST = {
    ord("I"): b"+-0123456789" + _SPACES,
    ord("L"): b"+-0123456789" + _SPACES,
    ord("F"): b"+-.0123456789inIN" + _SPACES,
    ord("S"): b"'\"",
}
_TWO_LINES = frozenset(b"ci")
_STOP = ord(".")
_ENOUGH = 10_000


def headless(data: bytes, whole: bool) -> bool:
    """Whether bytes are a pickle of the protocols 0 or 1, which have no magic number.

    Args:
        data: The bytes.
        whole: Whether they are all of the file.

    Returns:
        Whether they can be read as opcodes to the end of the pickle, or as far as
        they go, and load something by name. What loads nothing cannot do anything,
        and `2.13.0` is such a pickle. Many a text can be read as opcodes for a while;
        it is none if it goes wrong before anything is loaded.
    """
    offset, loads, marks = 0, False, 0
    for _ in range(_ENOUGH):
        if offset >= len(data):
            return not whole
        code = data[offset]
        if code not in _ARGUMENTS:
            return False
        if code == _STOP:
            return loads
        # A mark can also be taken off otherwise, so these are at most as many.
        marks += (code == _MARK) - (code in _MARKED)
        if marks < 0 or not _begins(data, offset + 1, code):
            return loads
        loads = loads or code in _LOADING
        end = _behind(data, offset + 1, code)
        if end is None:
            return not whole
        offset = end
    return True


def _begins(data: bytes, offset: int, code: int) -> bool:
    """Whether the argument of an opcode can begin like this."""
    first = _FIRST.get(code)
    return first is None or offset >= len(data) or data[offset] in first


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
