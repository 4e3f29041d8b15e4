"""Bytes that are one text for Python and another one for whoever reads them."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hostile.making import CANARY, ENTRY
from hostile.watching import nothing_happens

from astgen.lint.engine import Job, lint_bytes, lint_file

ERRORS = Job({"severity": "error"}, isolated=True)
HARMLESS = "import torch\n" + ENTRY
TOUCHES = f"open({CANARY!r}, 'w')\n"


def _cookie(coding: str, text: str = HARMLESS) -> bytes:
    return f"# -*- coding: {coding} -*-\n".encode() + text.encode()


FILES: dict[str, bytes] = {
    "byte order mark": codecs.BOM_UTF8 + HARMLESS.encode(),
    "byte order mark and cookie": codecs.BOM_UTF8 + _cookie("utf-8"),
    "UTF-16": HARMLESS.encode("utf-16"),
    "UTF-16, the other end first": codecs.BOM_UTF16_BE + HARMLESS.encode("utf-16-be"),
    "UTF-32": HARMLESS.encode("utf-32"),
    "rot13 that is code": _cookie("rot13", codecs.encode(TOUCHES, "rot13") + HARMLESS),
    "UTF-7 that ends a comment": _cookie("utf-7", "# +AAo-" + TOUCHES + HARMLESS),
    "UTF-7 quotes": _cookie("utf7", "'+ACc-, " + TOUCHES + HARMLESS),
    "escapes that end a comment": _cookie(
        "unicode_escape", "# \\n" + TOUCHES + HARMLESS
    ),
    "raw escapes": _cookie("raw-unicode-escape", "# \\u000a" + TOUCHES + HARMLESS),
    "idna": _cookie("idna"),
    "punycode": _cookie("punycode"),
    "hexadecimal digits": _cookie("hex"),
    "base64": _cookie("base64"),
    "compressed": _cookie("zlib"),
    "latin-1": _cookie("latin-1") + "# \xe9\n".encode("latin-1"),
    "latin-1 in ASCII": _cookie("iso-8859-1"),
    "cp1252": _cookie("cp1252") + b"# \x81\n",
    "EBCDIC": _cookie("cp037"),
    "Shift JIS backslash": _cookie("shift_jis") + b"# \x83\x5c\n",
    "GBK": _cookie("gbk"),
    "HZ": _cookie("hz", "# ~\n" + TOUCHES + HARMLESS),
    "ISO 2022": _cookie("iso2022_jp", "# \x1b$B\n" + TOUCHES + HARMLESS),
    "no such coding": _cookie("no-such-coding"),
    "a path as a coding": _cookie("../../evil"),
    "cookie in the second line": b"#!/usr/bin/python\n# vim: set fileencoding=rot13 :\n"
    + HARMLESS.encode(),
    "cookie behind a form feed": b"\f" + _cookie("rot13"),
    "no cookie, latin-1": HARMLESS.encode() + b"# \xe9\n",
    "overlong null": HARMLESS.encode() + b"# \xc0\x80\n",
    "overlong newline": b"# \xc0\x8a" + TOUCHES.encode() + HARMLESS.encode(),
    "lone surrogate": HARMLESS.encode() + b"# \xed\xa0\x80\n",
    "beyond Unicode": HARMLESS.encode() + b"# \xf5\x80\x80\x80\n",
    "cut in a letter": HARMLESS.encode() + b"# \xc3",
}


@pytest.fixture(scope="module", autouse=True)
def _everything_is_imported() -> None:
    lint_bytes(FILES["latin-1"], "a.py", ERRORS)
    lint_bytes(HARMLESS.encode(), "a.py", ERRORS)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_file_that_is_not_plain_utf_8_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(data)
    result = lint_file(str(path), True, ERRORS)
    assert [finding.rule for finding in result.findings] == ["AG003"]
    assert result.programs == 0
    assert not Path(CANARY).exists()


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_no_codec_is_looked_up_for_it(data: bytes) -> None:
    # To look up a codec by a name from the file may import a module of that name.
    with nothing_happens():
        result = lint_bytes(data, "a.py", ERRORS)
    assert [finding.rule for finding in result.findings] == ["AG003"]


def test_utf_16_without_a_mark_is_no_program() -> None:
    # Every byte of it is UTF-8, too.
    result = lint_bytes(HARMLESS.encode("utf-16-le"), "a.py", ERRORS)
    assert [finding.rule for finding in result.findings] == ["AG001"]


@pytest.mark.parametrize(
    "data",
    [HARMLESS.encode(), _cookie("utf-8"), _cookie("UTF8"), _cookie("utf_8")],
    ids=["none", "utf-8", "UTF8", "utf_8"],
)
def test_plain_utf_8_is_read(data: bytes) -> None:
    result = lint_bytes(data, "a.py", ERRORS)
    assert (result.programs, result.findings) == (1, ())
