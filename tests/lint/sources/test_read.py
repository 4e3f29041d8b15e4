"""One file: what it is, what is never opened, and what it may cost."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from astgen.check.finding import Rule, Sample
from astgen.lint.rules import artifacts, files
from astgen.lint.rules.samples import PROGRAM, zipped
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes

CODE = PROGRAM.encode()
RULES = (*files.RULES, *artifacts.RULES)


def rules(path: Path | str, explicit: bool = True) -> list[str]:
    contents = read(str(path), Limits(), explicit=explicit)
    return [finding.rule for finding in contents.findings]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_examples_of_rules(rule: Rule) -> None:
    assert len(rule.reason) > 150 and rule.good and len(rule.bad) > 1
    for sample in (*rule.good, *rule.bad):
        assert isinstance(sample, Sample)
        contents = read_bytes(sample.content, sample.name, Limits())
        found = [finding.rule for finding in contents.findings]
        assert found == ([rule.code] if sample in rule.bad else [])


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "execution.py"
    path.write_bytes(CODE.replace(b"\n", b"\r\n"))
    [subject] = read(str(path), Limits(), explicit=False).subjects
    assert subject.text == PROGRAM.replace("\n", "\r\n")
    assert (subject.path, subject.member) == (str(path), "")


def test_what_is_no_regular_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket"):
            assert rules(tmp_path / name) == rules(tmp_path / name, False) == ["AG004"]
    os.symlink(tmp_path / "pipe", tmp_path / "link.py")
    assert rules(tmp_path / "link.py") == ["AG004"]
    for path in ("/dev/zero", "/dev/null", tmp_path, tmp_path / "missing"):
        assert rules(path) == ["AG004"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(CODE)
    path.chmod(0)
    assert rules(path) == ["AG004"]


@pytest.mark.parametrize(
    ("name", "head", "rule"),
    [
        ("x.py", CODE, "AG005"),
        ("model", b"\x80\x04", "AG005"),
        ("model", b"", "AG601"),
        ("x.bin", b"", "AG005"),
        ("x.zip", b"PK\3\4", "AG601"),
        ("x.log", b"V0102 03:04:05.000006 7 a.py:1] {}\n", "AG005"),
    ],
)
def test_ten_gigabytes_are_not_read(
    tmp_path: Path, name: str, head: bytes, rule: str
) -> None:
    path = tmp_path / name
    path.write_bytes(head)
    os.truncate(path, 10 << 30)
    assert rules(path) == [rule]


def test_limits_name_themselves_and_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(CODE)
    limits = Limits().for_files_of(50)
    [finding] = read(str(path), limits, explicit=True).findings
    assert finding.message == f"it has {len(CODE)} bytes, and the limit is 50 bytes"
    assert "--max-file-size" in finding.hint


def test_an_empty_artifact_is_told_where_vllm_would_load_it(tmp_path: Path) -> None:
    for content, rule in ((b"", "AG601"), (b"\x7fELF", "AG601"), (CODE, "AG601")):
        folder = tmp_path / "rank_0_0"
        folder.mkdir(exist_ok=True)
        (folder / "model").write_bytes(content)
        (tmp_path / "model").write_bytes(content)
        assert rules(folder / "model", explicit=False) == [rule]
        assert rules(tmp_path / "model", explicit=False) == []
        assert rules(tmp_path / "model", explicit=True) == [rule]


@pytest.mark.parametrize(
    "content",
    [
        b"V0102 03:04:05.000006 7 a.py:1] {}\n",
        zipped({"a.txt": b"x"}),
        b"#!\n" + zipped({"a.txt": b"x"}),
    ],
)
def test_no_artifact_is_told_where_vllm_would_load_it(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rank_0_0"
    folder.mkdir()
    (folder / "model").write_bytes(content)
    (tmp_path / "model").write_bytes(content)
    assert rules(folder / "model", explicit=False) == ["AG601"]
    assert rules(tmp_path / "model", explicit=False) == []
    monkeypatch.chdir(folder)
    assert rules("model", explicit=False) == rules("./model", False) == ["AG601"]


def test_code_in_the_place_of_an_artifact_is_read_too(tmp_path: Path) -> None:
    folder = tmp_path / "rank_0_0"
    folder.mkdir()
    (folder / "model").write_bytes(zipped({"x.py": CODE}))
    contents = read(str(folder / "model"), Limits(), explicit=False)
    assert [subject.member for subject in contents.subjects] == ["x.py"]
    assert [finding.rule for finding in contents.findings] == ["AG601"]
    (tmp_path / "model").write_bytes(zipped({"x.py": CODE}))
    assert rules(tmp_path / "model") == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.so", b"\x7fELF\2\1\1" + bytes(5000)),
        ("a.cpp", b"// execution_fn\n"),
        ("a.json", b'{"execution_fn": 1}'),
        ("a.lock", b""),
        ("__init__.py", b""),
        ("dump.txt", CODE),
        ("VERSION", b"2.13.0"),
        ("manifest.json", b"{}"),
        ("computation_graph.py", b"class GraphModule(torch.nn.Module):\n    pass\n"),
    ],
)
def test_other_files_of_a_folder_are_passed_over(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    contents = read(str(tmp_path / name), Limits(), explicit=False)
    assert contents.passed
    assert not contents.subjects and not contents.findings


def test_hostile_pickles_are_read_under_any_name(tmp_path: Path) -> None:
    for name in ("model", "x.json", "x", "cache.py", "manifest.json", "x.log"):
        for content in (b"cos\nsystem\n(S'id'\ntR.", b"\x80\x02cos\nsystem\n."):
            (tmp_path / name).write_bytes(content)
            assert "AG610" in rules(tmp_path / name, explicit=False)


def test_generated_code_in_the_place_of_the_graph_is_read() -> None:
    contents = read_bytes(CODE, "computation_graph.py", Limits(), explicit=False)
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


def test_damaged_generated_code_is_handed_on() -> None:
    contents = read_bytes(CODE[:-20], "x.py", Limits(), explicit=False)
    assert len(contents.subjects) == 1


@pytest.mark.parametrize(
    "text",
    [
        "execution_fn\n" + "a;" * 260_000,
        "execution_fn\n" + "not " * 300_000 + "a",
        "execution_fn\nf'" + "{a}" * 80_000 + "x" * 300_000 + "'",
        "execution_fn\n" + "a" * (5 << 20),
    ],
)
def test_programs_that_cost_too_much_to_parse_are_refused(text: str) -> None:
    contents = read_bytes(text.encode(), "x.py", Limits())
    assert [finding.rule for finding in contents.findings] == ["AG005"]
    assert contents.subjects == []


def test_many_programs_have_one_limit() -> None:
    archive = zipped({f"{number}.py": CODE for number in range(9)})
    for limits in (
        replace(Limits(), programs=4),
        replace(Limits(), total_bytes=len(CODE) * 4),
        replace(Limits(), total_marks=140),
        replace(Limits(), members=4),
        replace(Limits(), archive_bytes=len(CODE) * 9),
    ):
        contents = read_bytes(archive, "a.zip", limits)
        assert [finding.rule for finding in contents.findings] == ["AG005"]
        assert 0 < len(contents.subjects) < 9


def test_limits_grow_with_the_option() -> None:
    usual, large = Limits(), Limits().for_files_of(1 << 30)
    assert large.file_bytes == 1 << 30
    assert large.program_marks == 4 * usual.program_marks
    assert large.trace_bytes == 4 * usual.trace_bytes
    small = usual.for_files_of(1000)
    assert (small.file_bytes, small.program_marks) == (1000, usual.program_marks)
