"""Bytes to text, as whoever runs them would read them, or not at all."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator
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
_NAMES_KEPT = frozenset(
    {
        *_SAME,
        "utf-8-sig",
        "ascii",
        "us-ascii",
        "latin-1",
        "latin1",
        "koi8-r",
        *(
            f"{name}{part}"
            for name in ("iso-8859-", "iso8859-")
            for part in range(1, 17)
        ),
        *(f"{name}{page}" for name in ("cp", "windows-") for page in range(1250, 1259)),
    }
)
"""Encodings in which a name of plain letters has the bytes that it has in UTF-8."""

# In those with one byte a letter, these are what Python reads as a and o in a name.
_LOOK_ALIKE = bytes.maketrans(b"\xaa\xba", b"ao")
_HINT = "store the text as UTF-8 without a byte order mark or coding cookie"
# The longest name in letters of four bytes.
_OVERLAP = 256


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
    _refuse_cookie(data, _SAME)
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

    In an encoding that can hide the names, a text is refused without them.

    Raises:
        Refused: It cannot be read, is too large, or is not plain UTF-8.
    """
    most = min(limits.program_bytes, limits.file_bytes)
    if blob.size > most:
        _refuse_large(blob, limits, most)
        return None
    data = blob.load(most)
    _refuse_cookie(data, _NAMES_KEPT)
    return decode(data) if any(map(marked, _readings(data))) else None


def _refuse_large(blob: Blob, limits: Limits, most: int) -> None:
    """Refuse a text that is too large, if it may have names of generated code."""
    before = b""
    for block in blob.blocks(limits.file_bytes):
        if not before:
            _refuse_cookie(block, _NAMES_KEPT)
            lines = block.split(b"\n", 2)
            if len(lines) < 3 and lines[-1].lstrip(b" \t\f").startswith(b"#"):
                # A coding cookie can still follow.
                raise too_large("the program", blob.size, most)
        window = before + block
        if any(map(suspected, _readings(window.replace(b"\0", b"")))):
            raise too_large("the program", blob.size, most)
        before = window[-_OVERLAP:]


def _readings(data: bytes) -> Iterator[bytes]:
    """A text as it is, and with plain letters as Python reads look-alike ones."""
    yield data
    if not data.isascii():
        yield _plain(data)
        yield data.translate(_LOOK_ALIKE)


def _plain(data: bytes) -> bytes:
    """A text in UTF-8 with plain letters for those that Python reads as such."""
    # One character at a time: normalizing takes a time that goes by the square of
    # the length, where somebody wants it to.
    text = data.decode("utf-8", "ignore")
    plain = {char: normalize("NFKC", char) for char in set(text) if char > "\x7f"}
    letters = {
        ord(char): same
        for char, same in plain.items()
        if any(letter < "\x80" for letter in same)
    }
    return text.translate(letters).encode() if letters else data


def _refuse_cookie(data: bytes, known: Collection[str]) -> None:
    """Refuse a cookie in the first two lines, wherever a reader may break lines."""
    if b"coding" not in data:
        return
    for breaks in _BREAKS:
        for number, line in enumerate(breaks.split(data, maxsplit=2)[:2], start=1):
            found = _COOKIE.match(line)
            if found is not None:
                name = found[1].decode("utf-8", "replace")
                if name.lower().replace("_", "-") not in known:
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
