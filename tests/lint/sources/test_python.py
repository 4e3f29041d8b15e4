"""Bytes of programs: what is decoded, and what is refused with its position."""

from __future__ import annotations

import pytest

from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read_bytes

CODE = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"


def text_of(data: bytes) -> str:
    contents = read_bytes(data, "execution.py", Limits())
    assert contents.findings == []
    return contents.subjects[0].text


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"# coding: utf-8\n",
        b"# -*- coding: UTF_8 -*-\n",
        b"# vim: set fileencoding=utf8 :\n",
        b"x = 1\n# coding: latin-1\n",
        b"#\n#\n# coding: latin-1\n",
        b"# \xc3\xa9\n",
    ],
)
def test_plain_utf8_is_read_as_it_is(head: bytes) -> None:
    assert text_of(head + CODE).encode() == head + CODE


@pytest.mark.parametrize(
    ("head", "line", "column"),
    [
        (b"# coding: latin-1\n", 1, 11),
        (b"# coding=utf-7\n", 1, 10),
        (b"#!/usr/bin/python\n# -*- coding: rot13 -*-\n", 2, 15),
        (b"\n#coding:cp1252\n", 2, 9),
        (b"\f\n \t# coding: utf-16\n", 2, 13),
        (b"#\r# coding: utf-7\n", 2, 11),
        (b"#\r#\r# coding: utf-7\n", 1, 15),
        (b"# \xc3\xa9 coding: utf-8-sig\n", 1, 13),
    ],
)
def test_a_cookie_of_another_encoding_is_refused(
    head: bytes, line: int, column: int
) -> None:
    contents = read_bytes(head + CODE, "execution.py", Limits())
    [finding] = contents.findings
    assert (finding.rule, finding.line, finding.column) == ("AG003", line, column)
    assert contents.subjects == []


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("explicit", [True, False])
def test_other_encodings_of_generated_code_are_refused(
    encoding: str, explicit: bool
) -> None:
    data = CODE.decode().encode(encoding)
    contents = read_bytes(data, "execution.py", Limits(), explicit=explicit)
    rules = [finding.rule for finding in contents.findings]
    # Without a mark it is text with null bytes, which the parser refuses.
    nulls = [subject.text.count("\0") > 0 for subject in contents.subjects]
    assert (rules, nulls) in ((["AG003"], []), ([], [True]))


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"])
def test_what_is_no_utf8_is_refused_where_it_stands(bad: bytes) -> None:
    data = CODE.replace(b"return x", b"return '\xc3\xa9" + bad + b"'")
    [finding] = read_bytes(data, "execution.py", Limits()).findings
    assert (finding.rule, finding.line, finding.column) == ("AG003", 2, 14)


def test_names_in_look_alike_letters_are_generated_code() -> None:
    for name in ("\uff45xecution_fn", "execution_\U0001d41fn"):
        data = f"def {name}(x):\n    return x\n".encode()
        contents = read_bytes(data, "other.py", Limits(), explicit=False)
        assert [subject.text for subject in contents.subjects] == [data.decode()]


@pytest.mark.parametrize(
    "text",
    [
        "# coding: utf-7\ndef +AGU-xecution_fn(x):\n    return x\n",
        "# coding: unicode_escape\ndef \\x65xecution_fn(x):\n    return x\n",
        "#!/usr/bin/python\n# coding: rot13\nqrs rkrphgvba_sa(k): cnff\n",
        "# coding: cp037\n",
        "# coding: euc-jp\n",
        "# coding: no-such-coding\n",
        "#" + "x" * 70_000 + "coding: utf-7\n",
        "# coding: utf-7\n" + "x = 1\n" * 800_000,
        "#" + "x" * 5_000_000 + "coding: utf-7\n",
    ],
    ids=lambda text: text[:30],
)
@pytest.mark.parametrize("explicit", [True, False])
def test_what_an_encoding_can_hide_is_refused(text: str, explicit: bool) -> None:
    contents = read_bytes(text.encode(), "module.py", Limits(), explicit=explicit)
    [finding] = contents.findings
    assert finding.rule == ("AG005" if text.startswith("#" + "x" * 80_000) else "AG003")


@pytest.mark.parametrize(
    "coding",
    ["latin-1", "iso-8859-15", "ISO_8859_2", "cp1252", "windows-1251", "ascii"],
)
def test_other_modules_in_harmless_encodings_are_passed_over(coding: str) -> None:
    text = f"# coding: {coding}\n".encode()
    large = b"x = '\xe9'\n" * 600_000
    for data in (text, text + b"x = '\xe9'\n", text + large):
        assert read_bytes(data, "module.py", Limits(), explicit=False).passed
    for name in (b"execution_fn", b"executi\xban_fn", b"__vllm_consts__"):
        for more in (b"", large):
            data = text + b"def " + name + b"(x): pass\n" + more
            contents = read_bytes(data, "module.py", Limits(), explicit=False)
            rules = [finding.rule for finding in contents.findings]
            assert rules == ["AG005" if more else "AG003"]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("execution_fn", "utf-8"),
        ("execution_fn", "utf-16"),
        ("\uff45xecution_fn", "utf-8"),
        ("\U0001d41e\U0001d431ecution_fn", "utf-8"),
        ("__\U0001d42fllm_consts__", "utf-8"),
    ],
)
def test_large_files_are_searched_in_every_spelling(name: str, encoding: str) -> None:
    rest = "# " + "x" * 997 + "\n"
    for before in (0, 1047, 1048, 4000):
        text = rest * before + f"def {name}(): pass\n" + rest * 4300
        data = text.encode(encoding)
        contents = read_bytes(data, "module.py", Limits(), explicit=False)
        assert [finding.rule for finding in contents.findings] == ["AG005"]


@pytest.mark.parametrize("shift", range(0, 60, 7))
def test_names_across_the_blocks_of_large_files_are_found(shift: int) -> None:
    start = (1 << 20) - 20 - shift
    name = "".join(
        chr(0x1D41A + ord(char) - 97) if char.isalpha() else char
        for char in "execution_fn"
    )
    data = b"x" * start + b"\n" + name.encode() + b"\n" + b"x" * (5 << 20)
    contents = read_bytes(data, "module.py", Limits(), explicit=False)
    assert [finding.rule for finding in contents.findings] == ["AG005"]


def test_large_modules_without_the_names_are_passed_over() -> None:
    data = "x = '\u00e9\uff41'\n".encode() * 400_000
    assert read_bytes(data, "module.py", Limits(), explicit=False).passed


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n",
        "from astgen.codegen import compile_execution_fn\n",
        "execution_fns = []\n",
        "x = '\u00e9'\n",
        "",
    ],
)
def test_other_modules_are_passed_over_in_folders_and_told_when_named(
    text: str,
) -> None:
    walked = read_bytes(text.encode(), "module.py", Limits(), explicit=False)
    assert walked.passed and not walked.subjects and not walked.findings
    named = read_bytes(text.encode(), "module.py", Limits(), explicit=True)
    assert [finding.rule for finding in named.findings] == ["AG006"]
    assert not named.passed
