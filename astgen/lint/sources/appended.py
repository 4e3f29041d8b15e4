"""Whether a file ends as a zip archive, whatever it begins as.

Readers of archives look for the table of contents at the end, and what stands in
front of the first member is no matter to them: a line that makes it a program, a
picture, a pickle.
"""

from __future__ import annotations

from astgen.lint.sources.blob import Blob

__all__ = ["ends_as_zip"]

_END, _LOCATOR, _ENTRY = b"PK\5\6", b"PK\6\7", b"PK\1\2"
_END_BYTES, _LOCATOR_BYTES = 22, 20
_COMMENT_BYTES = 0xFFFF


def ends_as_zip(blob: Blob, *, to_the_end: bool = False) -> bool:
    """Whether there is a table of contents at the end, and something in it.

    Args:
        blob: The bytes. Those of a member that is still compressed are not looked at.
        to_the_end: Whether nothing may follow the archive. Most readers do not mind,
            and a file that holds an archive as one value of many has more behind it.

    Raises:
        Refused: The bytes cannot be read.
    """
    tail = blob.tail(_COMMENT_BYTES + _END_BYTES)
    start = tail.rfind(_END)
    record = tail[start : start + _END_BYTES]
    if start < 0 or len(record) < _END_BYTES:
        return False
    comment = int.from_bytes(record[20:22], "little")
    if to_the_end and start + _END_BYTES + comment != len(tail):
        return False
    if start >= _LOCATOR_BYTES and tail.startswith(_LOCATOR, start - _LOCATOR_BYTES):
        return True
    contents = int.from_bytes(record[12:16], "little")
    behind = len(tail) - start
    return contents > 0 and blob.tail(behind + contents, 4) == _ENTRY
