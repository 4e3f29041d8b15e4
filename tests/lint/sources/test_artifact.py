"""Artifacts of astgen, as archives and as folders."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from astgen.lint.rules.samples import PROGRAM, artifact, manifest, zipped
from astgen.lint.sources.discover import discover
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.subject import Constant, Contents

CODE = PROGRAM.encode()
SLOT = {"kind": "torch.device", "shown": "cpu", "key": "cpu"}


def with_facts(**facts: object) -> bytes:
    content = json.loads(manifest({"execution.py": CODE}))
    return json.dumps({**content, **facts}).encode()


def packed(head: bytes, **members: bytes) -> Contents:
    parts = {"manifest.json": head, "execution.py": CODE, **members}
    return read_bytes(zipped(parts), "a.astgen", Limits())


def rules(contents: Contents) -> list[str]:
    return [finding.rule for finding in contents.findings]


def test_the_program_comes_with_what_the_manifest_says() -> None:
    contents = packed(with_facts(submod_names=["a", None], consts=[SLOT]))
    assert rules(contents) == []
    [subject] = contents.subjects
    assert (subject.text, subject.member) == (PROGRAM, "execution.py")
    assert subject.submod_names == ("a", None)
    assert subject.consts == (Constant("torch.device", "cpu", "cpu"),)


def test_what_the_manifest_leaves_out_is_not_known() -> None:
    [subject] = packed(with_facts(submod_names=None, consts=None)).subjects
    assert subject.submod_names is None and subject.consts is None


def test_a_constant_that_is_not_in_the_file_is_named() -> None:
    slots = [SLOT, {**SLOT, "kind": "m.Table", "supplied": True}]
    contents = packed(with_facts(consts=slots))
    [finding] = contents.findings
    assert (finding.rule, finding.member) == ("AG604", "manifest.json")
    assert finding.message == "constant 1, a m.Table, is not in the file"


def test_an_artifact_in_an_archive_is_one_too() -> None:
    data = zipped({"x/a.astgen": artifact(), "y.py": CODE})
    contents = read_bytes(data, "a.zip", Limits())
    assert rules(contents) == []
    members = [subject.member for subject in contents.subjects]
    assert members == ["x/a.astgen/execution.py", "y.py"]


def test_other_members_are_looked_into() -> None:
    head = manifest({"execution.py": CODE, "blob": b"\x80\x02cos\nsystem\n."})
    contents = packed(head, blob=b"\x80\x02cos\nsystem\n.")
    assert "AG610" in rules(contents)
    assert {finding.member for finding in contents.findings} == {"blob"}


def folder(root: Path, head: bytes, **members: bytes) -> Path:
    for name, data in {"manifest.json": head, "execution.py": CODE, **members}.items():
        (root / name).write_bytes(data)
    return root


def walk(root: Path) -> Contents:
    together = Contents()
    for found in discover([str(root)]):
        contents = read(found.path, Limits(), explicit=found.explicit)
        together.subjects += contents.subjects
        together.findings += contents.findings
    return together


def test_a_folder_is_read_once(tmp_path: Path) -> None:
    contents = walk(folder(tmp_path, with_facts(submod_names=["a"])))
    assert rules(contents) == []
    [subject] = contents.subjects
    assert subject.path == str(tmp_path / "manifest.json")
    assert (subject.member, subject.submod_names) == ("execution.py", ("a",))


def test_the_program_of_a_folder_can_be_named(tmp_path: Path) -> None:
    folder(tmp_path, with_facts())
    contents = read(str(tmp_path / "execution.py"), Limits(), explicit=True)
    assert [subject.member for subject in contents.subjects] == [""]


@pytest.mark.parametrize(
    ("head", "members", "rule", "member"),
    [
        (with_facts(), {"execution.py": CODE + b"#"}, "AG602", "execution.py"),
        (with_facts(), {"x.txt": b"x"}, "AG607", "x.txt"),
        (b"{}", {}, "AG601", "manifest.json"),
        (b"", {}, "AG601", "manifest.json"),
        (with_facts(format_version=[2, 0]), {}, "AG603", "manifest.json"),
        (manifest({}), {}, "AG607", "manifest.json"),
        (manifest({"execution.py": CODE, "x": b""}), {}, "AG607", "x"),
        (
            manifest({"execution.py": b" "}),
            {"execution.py": b" "},
            "AG606",
            "execution.py",
        ),
    ],
)
def test_folders_and_archives_are_judged_alike(
    tmp_path: Path, head: bytes, members: dict[str, bytes], rule: str, member: str
) -> None:
    contents = packed(head, **members)
    assert [(one.rule, one.member) for one in contents.findings] == [(rule, member)]
    walked = walk(folder(tmp_path, head, **members))
    assert rules(walked) == [rule]
    assert walked.findings[0].member in (member, "")


@pytest.mark.parametrize(
    "head", [b"x" * 200, b"\x80\x02cos\nsystem\n.", zipped({"a": CODE})]
)
def test_a_program_beside_any_manifest_is_read(tmp_path: Path, head: bytes) -> None:
    small = replace(Limits(), manifest_bytes=100)
    folder(tmp_path, head)
    for limits in (Limits(), small):
        contents = read(str(tmp_path / "manifest.json"), limits, explicit=False)
        members = [subject.member for subject in contents.subjects]
        assert "execution.py" in members
        assert contents.findings


def test_a_program_among_too_many_files_is_read(tmp_path: Path) -> None:
    folder(tmp_path, with_facts(), **{f"{number}.txt": b"" for number in range(9)})
    limits = replace(Limits(), members=5)
    contents = read(str(tmp_path / "manifest.json"), limits, explicit=False)
    assert rules(contents) == ["AG005"]
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


def test_what_is_read_beside_a_manifest_has_a_limit(tmp_path: Path) -> None:
    parts = {f"{number}": bytes(1000) for number in range(9)}
    folder(tmp_path, manifest({"execution.py": CODE, **parts}), **parts)
    limits = replace(Limits(), archive_bytes=5000)
    contents = read(str(tmp_path / "manifest.json"), limits, explicit=False)
    assert rules(contents) == ["AG005"]
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


def test_a_hard_link_of_another_manifest_does_not_hide_a_program(
    tmp_path: Path,
) -> None:
    for name in ("a", "z"):
        (tmp_path / name).mkdir()
    folder(tmp_path / "z", b'{"x": 1}')
    os.link(tmp_path / "z/manifest.json", tmp_path / "a/manifest.json")
    contents = walk(tmp_path)
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


@pytest.mark.parametrize(
    ("name", "told", "programs"),
    [("manifest.json", ["AG005"], 1), ("execution.py", ["AG005", "AG602"], 0)],
)
def test_sparse_files_are_not_read(
    tmp_path: Path, name: str, told: list[str], programs: int
) -> None:
    folder(tmp_path, with_facts())
    os.truncate(tmp_path / name, 3 << 30)
    contents = walk(tmp_path)
    assert (rules(contents), len(contents.subjects)) == (told, programs)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "artifact"
    inside.mkdir()
    folder(inside, with_facts())
    (tmp_path / "other.py").write_bytes(CODE)
    (inside / "execution.py").unlink()
    os.symlink(tmp_path / "other.py", inside / "execution.py")
    contents = read(str(inside / "manifest.json"), Limits(), explicit=True)
    assert rules(contents) == ["AG004", "AG607"]
    assert contents.subjects == []


def test_every_truncation_is_told() -> None:
    data = artifact()
    for length in range(4, len(data)):
        contents = read_bytes(data[:length], "a.astgen", Limits())
        assert rules(contents) == ["AG601"]


def test_every_flipped_byte_of_a_folder_is_told(tmp_path: Path) -> None:
    head = manifest({"execution.py": CODE})
    for offset in range(len(CODE)):
        flipped = bytearray(CODE)
        flipped[offset] ^= 0x04
        root = folder(tmp_path, head, **{"execution.py": bytes(flipped)})
        contents = read(str(root / "manifest.json"), Limits(), explicit=True)
        assert rules(contents) == ["AG602"]


def test_seeded_flips_of_an_archive_never_change_the_program_in_silence() -> None:
    chance = random.Random(6)
    data = artifact()
    for _ in range(1500):
        flipped = bytearray(data)
        flipped[chance.randrange(4, len(data))] ^= 1 << chance.randrange(8)
        contents = read_bytes(bytes(flipped), "a.astgen", Limits())
        texts = [subject.text for subject in contents.subjects]
        assert contents.findings or texts == [PROGRAM]
