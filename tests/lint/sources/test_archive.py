"""Zip archives, honest and hostile."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from astgen.lint.rules.samples import PROGRAM, trace, zipped
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.subject import Contents

CODE = PROGRAM.encode()


def look(data: bytes, limits: Limits = Limits()) -> Contents:
    return read_bytes(data, "a.zip", limits)


def told(contents: Contents) -> list[tuple[str, str]]:
    return [(finding.rule, finding.member) for finding in contents.findings]


def members(contents: Contents) -> list[str]:
    return [subject.member for subject in contents.subjects]


def changed(data: bytes, name: bytes, offset: int, value: bytes) -> bytes:
    """The archive with other bytes in the entry of a member, in both headers."""
    found = bytearray(data)
    for magic, header, shift in ((b"PK\3\4", 30, 0), (b"PK\1\2", 46, 2)):
        start = 0
        while (start := found.find(magic, start)) >= 0:
            if found[start + header :].startswith(name):
                at = start + shift + offset
                found[at : at + len(value)] = value
            start += 4
    return bytes(found)


def test_members_are_read_wherever_they_stand() -> None:
    inner = zipped({"b/execution.py": CODE, "trace.log": trace()}, ZIP_DEFLATED)
    contents = look(zipped({"x.zip": inner, "c.py": CODE, "n.txt": b"x", "d/": b""}))
    assert told(contents) == []
    assert members(contents) == [
        "x.zip/b/execution.py",
        "x.zip/trace.log/vllm_execution_code#1 (line 1)",
        "c.py",
    ]
    assert {subject.path for subject in contents.subjects} == {"a.zip"}


def test_pickles_in_archives_are_read() -> None:
    contents = look(zipped({"archive/data.pkl": b"\x80\x02cos\nsystem\n."}))
    assert ("AG610", "archive/data.pkl") in told(contents)


@pytest.mark.parametrize(
    "name", ["x", "x.py", "x.json", "manifest.json", "x.log", "x.zip"]
)
@pytest.mark.parametrize(
    "front",
    [b"#!/usr/bin/env python\n", b"\x89PNG", b"x = 1\n", b"\x80\x04N.", bytes(5000)],
)
@pytest.mark.parametrize("explicit", [True, False])
def test_archives_behind_other_things_are_read(
    tmp_path: Path, name: str, front: bytes, explicit: bool
) -> None:
    data = front + zipped({"e.py": CODE, "n.pkl": b"cos\nsystem\n."})
    (tmp_path / name).write_bytes(data)
    contents = read(str(tmp_path / name), Limits(), explicit=explicit)
    assert ("AG610", "n.pkl") in told(contents)
    assert "e.py" in members(contents)
    inner = look(zipped({name: data}))
    assert ("AG610", f"{name}/n.pkl") in told(inner)


@pytest.mark.parametrize("end", [b"", b"more", b"PK\5\6", bytes(100)])
def test_what_follows_an_archive_does_not_hide_it(end: bytes) -> None:
    data = b"#!python\n" + zipped({"e.py": CODE}) + end
    contents = read_bytes(data, "x", Limits(), explicit=False)
    assert bool(contents.subjects) == (end != b"PK\5\6")


def test_large_tables_and_comments_are_found() -> None:
    stream = io.BytesIO(b"#!python\n")
    stream.seek(0, io.SEEK_END)
    with ZipFile(stream, "a") as archive:
        archive.writestr("e.py", CODE)
        for number in range(3000):
            archive.writestr(f"{number}.txt", b"")
        archive.comment = b"x" * 0xFFFF
    contents = read_bytes(stream.getvalue(), "x", Limits(), explicit=False)
    assert (told(contents), members(contents)) == ([], ["e.py"])


@pytest.mark.parametrize(
    "data",
    [
        b"PK\5\6" + bytes(18),
        b"x" * 100 + b"PK\5\6" + b"\1" * 18,
        b"x" * 100 + b"PK\5\6",
        b"PK\1\2" + b"x" * 100 + b"PK\5\6" + b"\0" * 8 + b"\x10\0\0\0" + bytes(6),
    ],
)
def test_bytes_like_the_end_of_an_archive_are_no_archive(data: bytes) -> None:
    assert read_bytes(b"\x7fELF" + data, "x.so", Limits(), explicit=False).passed


def test_a_pickle_that_holds_an_archive_is_a_pickle() -> None:
    value = zipped({"e.py": CODE, "../x": b""})
    data = b"\x80\x04B" + len(value).to_bytes(4, "little") + value + b"."
    contents = read_bytes(data, "x", Limits(), explicit=False)
    assert "AG601" not in [rule for rule, _ in told(contents)]


def test_what_a_member_is_does_not_go_by_its_name() -> None:
    parts = {"cache.py": b"cos\nsystem\n.", "manifest.json": b"\x80\x02cos\nsystem\n."}
    for more in ({}, {"execution.py": CODE}):
        contents = look(zipped({**parts, **more}))
        for name in parts:
            assert ("AG610", name) in told(contents)
        assert members(contents) == list(more)


@pytest.mark.parametrize(
    ("offset", "value", "rule"),
    [
        (6, b"\1\0", "AG004"),
        (8, b"\x0c\0", "AG004"),
        (8, b"\xff\0", "AG004"),
        (14, b"\0\0\0\0", "AG601"),
        (18, b"\x10\0\0\0", "AG601"),
        (22, b"\x10\0\0\0", "AG601"),
        (22, b"\xff\xff\0\0", "AG601"),
        (22, b"\0\0\0\x7f", "AG005"),
    ],
)
def test_what_is_wrong_with_a_member_leaves_the_others(
    offset: int, value: bytes, rule: str
) -> None:
    data = zipped({"bad.py": CODE, "good.py": CODE}, ZIP_DEFLATED)
    contents = look(changed(data, b"bad.py", offset, value))
    assert told(contents) == [(rule, "bad.py")]
    assert members(contents) == ["good.py"]


@pytest.mark.parametrize(
    "name", ["../x.py", "/x.py", "a/../../x.py", "c:/x.py", "a\\x.py", "\x1b[2Jx.py"]
)
def test_names_that_lead_out_are_told_and_the_code_is_checked(name: str) -> None:
    contents = look(zipped({name: CODE}))
    assert [rule for rule, _ in told(contents)] == ["AG601"]
    assert len(contents.subjects) == 1
    assert members(contents)[0].isprintable()


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"../x.py": CODE, "y.py": CODE}))
    assert len(read(str(path), Limits(), explicit=False).subjects) == 2
    assert list(tmp_path.iterdir()) == [path]
    assert not (tmp_path.parent / "x.py").exists()


def test_of_equal_names_every_member_is_read() -> None:
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr(ZipInfo("x.py"), CODE)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(ZipInfo("x.py"), CODE + b"# other\n")
    contents = look(stream.getvalue())
    assert told(contents) == [("AG601", "x.py#2")]
    assert [len(subject.text) for subject in contents.subjects] == [
        len(CODE),
        len(CODE) + 8,
    ]


def test_links_are_told() -> None:
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        link = ZipInfo("link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, b"/etc/passwd")
    assert told(look(stream.getvalue())) == [("AG601", "link")]


def test_members_that_overlap_are_read_once() -> None:
    data = zipped({"one.py": CODE, "two.py": CODE})
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)
    twice = data[: second + 42] + bytes(4) + data[second + 46 :]
    contents = look(twice)
    assert ("AG601", "two.py") in told(contents)
    assert members(contents) == ["one.py"]


def test_a_bomb_in_one_member_is_refused_before_it_is_inflated() -> None:
    data = zipped({"x.py": b"execution_fn" + bytes(20 << 20)}, ZIP_DEFLATED)
    assert len(data) < 50_000
    assert [rule for rule, _ in told(look(data))] == ["AG005"]


def test_a_bomb_of_many_members_ends_at_the_budget() -> None:
    part = bytes(3 << 20)
    data = zipped({f"{number}.py": part for number in range(100)}, ZIP_DEFLATED)
    contents = look(data)
    assert [rule for rule, _ in told(contents)] == ["AG005"]
    assert "256 MiB" in contents.findings[0].message


def test_archives_in_archives_end_at_the_limit() -> None:
    data = CODE
    for _ in range(12):
        data = zipped({"x.zip": data, "y.py": CODE})
    contents = look(data)
    assert [rule for rule, _ in told(contents)] == ["AG005"]
    assert len(contents.subjects) == Limits().archives


def test_a_bzip2_bomb_is_not_inflated() -> None:
    data = zipped({"x.py": bytes(30 << 20)}, ZIP_BZIP2)
    assert told(look(data)) == [("AG004", "x.py")]


def test_a_table_of_contents_beyond_the_limit_is_not_read() -> None:
    names = {f"{number}" + "x" * 60_000: b"" for number in range(100)}
    assert told(look(zipped(names))) == [("AG005", "")]


def test_entries_that_swallow_others_are_told() -> None:
    data = zipped({"one.py": CODE, "two.py": CODE})
    first = data.index(b"PK\1\2")
    contents = look(data[: first + 32] + b"\xff\0" + data[first + 34 :])
    assert told(contents) == [("AG601", "")]
    assert told(look(data + b"more")) == [("AG601", "")]


def test_every_truncation_is_told() -> None:
    data = zipped({"x.py": CODE})
    for length in range(4, len(data)):
        contents = look(data[:length])
        assert [rule for rule, _ in told(contents)] == ["AG601"]


def test_seeded_flips_give_the_program_or_a_finding() -> None:
    chance = random.Random(5)
    data = zipped({"x.py": CODE, "i.zip": zipped({"y.py": CODE})}, ZIP_DEFLATED)
    for _ in range(1500):
        flipped = bytearray(data)
        flipped[chance.randrange(4, len(data))] ^= 1 << chance.randrange(8)
        contents = look(bytes(flipped))
        assert {subject.text for subject in contents.subjects} <= {PROGRAM}
        assert len(contents.subjects) == 2 or contents.findings


def test_pickles_of_one_archive_share_their_limit(tmp_path: Path) -> None:
    pickled = b"\x80\x04N" + b"\x85" * 1000 + b"."
    path = tmp_path / "pickles.zip"
    with ZipFile(path, "w") as archive:
        for number in range(30):
            archive.writestr(f"{number}.pkl", pickled)
    limits = replace(Limits(), opcodes=10_000)
    contents = read(str(path), limits, explicit=True)
    too_large = [one for one in contents.findings if one.rule == "AG005"]
    cut, others = too_large
    assert cut.member and "too many opcodes" in cut.message
    assert not others.member and "10,000 opcodes of pickles" in others.message


def test_a_member_without_a_name_is_a_member_like_others() -> None:
    contents = look(zipped({"": CODE, "b.py": CODE}))
    assert "b.py" in members(contents)
