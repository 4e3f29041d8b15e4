"""Whether bytes without a magic number are a pickle all the same.

Pickles of the protocols 0 and 1 begin with any opcode, so this walks over them.
"""

from __future__ import annotations

import pickletools
import re

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
# What each opcode takes off the stack, behind its last mark or not, and puts there.
_TAKES = {
    ord(code.code): sum(
        one not in (pickletools.markobject, pickletools.stackslice)
        for one in code.stack_before
    )
    for code in pickletools.opcodes
}
_PUTS = {ord(code.code): len(code.stack_after) for code in pickletools.opcodes}
_MARKED = frozenset(
    ord(code.code)
    for code in pickletools.opcodes
    if pickletools.markobject in code.stack_before
)
_PUTTING = frozenset(b"pqr\x94")
_CALLING = frozenset(b"Rio\x81\x92b")
_OBJECT, _MARK, _POP = b"o(0"
_NAMES = re.compile(rb"[\w.<>\x80-\xff-]+\r?\n[\w.<>\x80-\xff-]+\r?\n")
_TWO_LINES = frozenset(b"ci")
_STOP = ord(".")
_ENOUGH = 3_000_000
_SPACES = b" \t\v\f\r"
# What a line begins with that is the argument of an opcode.
_FIRST = {
    ord("I"): b"+-0123456789" + _SPACES,
    ord("L"): b"+-0123456789" + _SPACES,
    ord("F"): b"+-.0123456789inIN" + _SPACES,
    ord("S"): b"'\"",
}


def headless(data: bytes, whole: bool) -> bool:
    """Whether bytes are a pickle of the protocols 0 or 1, which have no magic number.

    Args:
        data: The bytes.
        whole: Whether they are all of the file.

    Returns:
        Whether they can be read as opcodes to the end of the pickle, or as far as
        they go, and load something by name. What loads nothing cannot do anything,
        and `2.13.0` is such a pickle. Many a text can be read as opcodes for a while;
        where that goes wrong, it is a pickle if it would have called something.
    """
    offset, loads, stack = 0, False, _Stack()
    for _ in range(_ENOUGH):
        if offset >= len(data):
            return stack.acts if whole else True
        code = data[offset]
        if code not in _ARGUMENTS or not stack.does(code, data, offset + 1):
            return stack.acts
        if code == _STOP:
            return loads
        loads = loads or code in _LOADING
        end = _behind(data, offset + 1, code)
        if end is None:
            return stack.acts if whole else True
        offset = end
    return True


class _Stack:
    """How many values there are while a pickle is read.

    Attributes:
        depth: Values on the stack.
        marks: How many there were at each mark.
        names: Whether something was loaded by a name that can be one.
        acts: Whether something was called after that.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.marks: list[int] = []
        self.names = False
        self.acts = False

    def does(self, code: int, data: bytes, offset: int) -> bool:
        """Go on by an opcode with this argument; whether that is possible."""
        first = _FIRST.get(code)
        if first is not None and data[offset : offset + 1] not in first:
            return False
        if code == _MARK:
            self.marks.append(self.depth)
            return True
        if code == _POP and self.marks and self.marks[-1] == self.depth:
            self.marks.pop()
            return True
        if code in _MARKED:
            if not self.marks:
                return False
            mark = self.marks.pop()
            inside, self.depth = self.depth - mark, mark
            # Of these, only this one takes a value from behind the mark.
            if code == _OBJECT:
                self.depth += min(inside, 1)
        if self.depth < _TAKES[code] or (code in _PUTTING and not self.depth):
            return False
        self.depth += _PUTS[code] - _TAKES[code]
        if code in _LOADING:
            named = code not in _TWO_LINES or _NAMES.match(data, offset) is not None
            self.names = self.names or named
        self.acts = self.acts or (self.names and code in _CALLING)
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
