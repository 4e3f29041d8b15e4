"""Bytes to text, as whoever runs them would read them, or not at all."""

from __future__ import annotations

import codecs
import re
from unicodedata import normalize

from astgen.lint.rules.files import ENCODING
from astgen.lint.sources.blob import Blob
from astgen.lint.sources.kind import marked, suspected
from astgen.lint.sources.limits import Limits, too_large
from astgen.lint.sources.refusal import Refused

__all__ = ["decode", "read_stitching"]

_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (codecs.BOM_UTF8, "UTF-8 with a byte order mark"),
)
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.DOTALL)
_NO_CODE = re.compile(rb"^[ \t\f]*(?:#|$)")
_BREAKS = (re.compile(rb"\r\n|\r|\n"), re.compile(rb"\n"))
_SAME = ("utf-8", "utf8")
_HINT = "store the text as UTF-8 without a byte order mark or coding cookie"
_OVERLAP = 64


def decode(data: bytes) -> str:
    """Decode the text of a program.

    Args:
        data: Its bytes.

    Returns:
        The text.

    Raises:
        Refused: It is no UTF-8, or Python would decode it as something else.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            raise Refused(ENCODING, f"the text is {name}, not plain UTF-8", _HINT)
    _refuse_cookie(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        line = before.rpartition(b"\n")[2].decode("utf-8")
        raise Refused(
            ENCODING,
            f"byte {error.start} of the text is {data[error.start]:02X}, which is no "
            f"UTF-8 here",
            _HINT,
            before.count(b"\n") + 1,
            len(line) + 1,
        ) from error


def read_stitching(blob: Blob, limits: Limits) -> str | None:
    """The text of a program, None if it has no names of generated code in it.

    Raises:
        Refused: It cannot be read, is too large, or is not plain UTF-8.
    """
    most = min(limits.program_bytes, limits.file_bytes)
    if blob.size > most:
        before = b""
        for block in blob.blocks(limits.file_bytes):
            if suspected(before + block):
                raise too_large("the program", blob.size, most)
            before = block[-_OVERLAP:]
        return None
    data = blob.load(most)
    if not marked(data) and (data.isascii() or not marked(_plain(data))):
        return None
    return decode(data)


def _plain(data: bytes) -> bytes:
    """A text with plain letters for look-alike ones, as Python reads names."""
    # One character at a time: normalizing takes a time that goes by the square of
    # the length, where somebody wants it to.
    text = data.decode("utf-8", "ignore")
    return text.translate(
        {ord(char): normalize("NFKC", char) for char in set(text) if char > "\x7f"}
    ).encode()


def _refuse_cookie(data: bytes) -> None:
    """Refuse a cookie in the first two lines, wherever a reader may break lines."""
    start = data[: 1 << 16]
    for breaks in _BREAKS:
        for number, line in enumerate(breaks.split(start, maxsplit=2)[:2], start=1):
            found = _COOKIE.match(line)
            if found is not None:
                name = found[1].decode("utf-8", "replace")
                if name.lower().replace("_", "-") not in _SAME:
                    raise Refused(
                        ENCODING,
                        f"a coding cookie says that the text is {name[:50]!a}",
                        _HINT,
                        number,
                        len(line[: found.start(1)].decode("utf-8", "replace")) + 1,
                    )
                break
            if not _NO_CODE.match(line):
                break
