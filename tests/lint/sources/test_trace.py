"""Logs of TORCH_TRACE; data/trace.log was recorded with PyTorch 2.13."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from astgen.lint.rules.samples import PROGRAM, trace
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.subject import Contents

RECORDED = Path(__file__).parent / "data" / "trace.log"
OTHER = PROGRAM.replace("1", "2")
HEADER = b"V0102 03:04:05.000006 7 a.py:1] "


def look(data: bytes, limits: Limits = Limits()) -> Contents:
    return read_bytes(data, "trace.log", limits)


def rules(contents: Contents) -> list[str]:
    return [finding.rule for finding in contents.findings]


def test_a_recorded_log_gives_each_program_once() -> None:
    contents = read(str(RECORDED), Limits(), explicit=False)
    assert contents.findings == []
    assert [subject.text for subject in contents.subjects] == [PROGRAM, OTHER]
    lines = RECORDED.read_text(encoding="utf-8").split("\n")
    for number, subject in enumerate(contents.subjects, start=1):
        name, _, line = subject.member.rstrip(")").partition(" (line ")
        assert name == f"vllm_execution_code#{number}"
        assert '"vllm_execution_code"' in lines[int(line) - 1]


def test_numbers_go_on_behind_equal_programs() -> None:
    contents = look(trace() + trace() + trace(OTHER))
    members = [subject.member for subject in contents.subjects]
    assert members == [
        "vllm_execution_code#1 (line 1)",
        "vllm_execution_code#3 (line 11)",
    ]


def test_text_without_a_last_line_break_is_whole() -> None:
    for code in ("def execution_fn(x):\n    return x", "", "\n\n", "\t\n\tx\n"):
        contents = look(trace(code) + HEADER + b"{}\n")
        assert [subject.text for subject in contents.subjects] == [code]
        assert look(trace(code)).subjects[0].text == code


@pytest.mark.parametrize(
    ("log", "rule"),
    [
        (trace()[:-8], "AG602"),
        (trace().replace(b"torch.add", b"torch.sub"), "AG602"),
        (trace(digest="0"), "AG602"),
        (trace().replace(b"\n\tdef", b"\n" + HEADER + b"{}\n\tdef"), "AG602"),
        (trace().split(b"\n")[0] + b"\n", "AG607"),
        (trace().split(b"\n")[0] + b"\n" + HEADER + b"{}\n", "AG607"),
        (trace().split(b"\n")[0][:-5], "AG607"),
        (trace("x = '\ud800'".encode("utf-8", "replace").decode()), ""),
    ],
)
def test_damaged_records_are_told_and_the_others_are_read(
    log: bytes, rule: str
) -> None:
    end = b"" if log.endswith(b"\n") else b"\n"
    contents = look(log + end + trace(OTHER))
    assert rules(contents) == ([rule] if rule else [])
    assert contents.subjects[-1].text == OTHER


def test_bytes_that_are_no_utf8_are_refused() -> None:
    log = trace("x = '\u00e9'\n")
    assert rules(look(log.replace(b"\xc3\xa9", b"\xff"))) == ["AG602"]


@pytest.mark.parametrize(
    "noise",
    [
        b"no record at all\n",
        HEADER + b"{no json\n",
        HEADER + b"[" * 5000 + b"\n",
        HEADER + b'{"artifact": {"name": "other"}, "x": "vllm_execution_code"}\n',
        HEADER + b'{"artifact": "vllm_execution_code"}\n',
        HEADER + b'{"a": 1}\n\t"vllm_execution_code"\n\t\n',
        b'a line that names "vllm_execution_code"\n',
        b"\n\n\r\n",
        b"x" * 3_000_000 + b"\n",
    ],
)
def test_other_lines_are_no_matter(noise: bytes) -> None:
    contents = look(trace() + noise + trace(OTHER))
    assert rules(contents) == []
    assert [subject.text for subject in contents.subjects] == [PROGRAM, OTHER]
    line = 6 + noise.count(b"\n")
    assert contents.subjects[1].member == f"vllm_execution_code#2 (line {line})"


@pytest.mark.parametrize(
    "spelling",
    [
        (b"vllm_execution_code", rb"vllm_execution\u005fcode"),
        (
            b"vllm_execution_code",
            b"".join(b"\\u%04X" % char for char in b"vllm_execution_code"),
        ),
        (b'"artifact"', rb'"\u0061rtifact"'),
        (b'"name"', rb'"n\u0061me"'),
    ],
    ids=["one letter", "all letters", "a key", "another key"],
)
@pytest.mark.parametrize("size", [0, 1_048_400, 1_048_576])
def test_records_in_escapes_are_records(
    spelling: tuple[bytes, bytes], size: int
) -> None:
    noise = HEADER + b"{}\n" + b"\tabcdefgh\n" * (size // 10)
    contents = look(noise + trace().replace(*spelling))
    assert rules(contents) == []
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


def test_a_record_with_a_key_twice_is_told() -> None:
    again = b'"name": "vllm_execution_code", "name": "other"'
    log = trace().replace(b'"name": "vllm_execution_code"', again)
    contents = look(log + trace(OTHER))
    assert rules(contents) == ["AG607"]
    assert [subject.text for subject in contents.subjects] == [OTHER]


def test_lines_with_escapes_of_other_names_do_not_count() -> None:
    noise = HEADER + rb'{"a": "\u005f \u007f", "artifact": {"name": "x"}}' + b"\n"
    contents = look(trace() + noise * 5, replace(Limits(), programs=3))
    assert rules(contents) == []


NOISE = b"W other line\n" * 400


@pytest.mark.parametrize(
    ("name", "noise", "explicit"),
    [
        ("trace.log", NOISE, False),
        ("x", NOISE, False),
        ("x", b"\n" * 60_000, False),
        ("trace.log", b"x" * 2_000_000 + b"\n", False),
        ("x", NOISE * 1000, True),
        ("x", b"a = 1\n" * 500_000, True),
        ("model", NOISE * 1000, True),
    ],
)
def test_what_stands_before_the_first_record_is_no_matter(
    name: str, noise: bytes, explicit: bool
) -> None:
    contents = read_bytes(noise + trace(), name, Limits(), explicit=explicit)
    assert rules(contents) == []
    assert [subject.text for subject in contents.subjects] == [PROGRAM]


def test_other_logs_are_passed_over_in_folders_whatever_their_size() -> None:
    limits = replace(Limits(), trace_bytes=len(NOISE))
    for data in (NOISE, NOISE * 3):
        assert read_bytes(data, "serve.log", limits, explicit=False).passed
        assert rules(read_bytes(data, "serve.log", limits)) == ["AG006"]
    name = "dedicated_log_torch_trace_rank_0_abc.log"
    assert rules(read_bytes(NOISE * 3, name, limits, explicit=False)) == ["AG005"]


@pytest.mark.parametrize("size", [0, 1, 1_048_400, 1_048_576, 1_048_900, 2_500_000])
def test_records_are_found_across_blocks(size: int) -> None:
    noise = HEADER + b"{}\n" + b"\tabcdefgh\n" * (size // 10)
    contents = look(noise + trace() + noise + trace(OTHER) + noise)
    assert rules(contents) == []
    line = 2 * noise.count(b"\n") + 6
    assert contents.subjects[1].member == f"vllm_execution_code#2 (line {line})"


def test_a_long_payload_is_read_whole() -> None:
    code = PROGRAM + "".join("# " + "x" * 98 + "\n" for _ in range(30_000))
    [subject] = look(trace(code)).subjects
    assert subject.text == code


def test_limits_are_told() -> None:
    small = replace(Limits(), program_bytes=100, line_bytes=400, programs=3)
    assert rules(look(trace("x\n" * 2000) + trace(), small)) == ["AG005"]
    assert rules(look(trace("x = 1\n" * 20) + trace(), small)) == ["AG005"]
    long = HEADER + b'{"a": "' + b"x" * 2_000_000 + b'vllm_execution_code"}\n'
    assert "AG005" in rules(look(trace() + long.replace(b"xvllm", b'"vllm'), small))
    many = b"".join(trace(f"x = {number}\n") for number in range(5))
    contents = look(many, small)
    assert (rules(contents), len(contents.subjects)) == (["AG005"], 3)
    strays = trace() + b'"vllm_execution_code"\n' * 5
    assert rules(look(strays, small)) == ["AG005"]
    assert rules(look(trace(), replace(small, trace_bytes=50))) == ["AG005"]


def test_every_truncation_gives_the_program_or_a_finding() -> None:
    log = trace() + trace(OTHER)
    for length in range(len(trace()), len(log)):
        contents = look(log[:length])
        texts = [subject.text for subject in contents.subjects]
        assert texts in ([PROGRAM], [PROGRAM, OTHER])
        announced = b'"vllm_execution_code"' in log[len(trace()) : length]
        assert bool(rules(contents)) == (announced and len(texts) == 1)


def test_seeded_flips_never_change_a_program_in_silence() -> None:
    chance = random.Random(4)
    for _ in range(300):
        log = bytearray(trace())
        log[chance.randrange(len(log))] ^= 1 << chance.randrange(8)
        contents = look(bytes(log))
        texts = [subject.text for subject in contents.subjects]
        # Without its header it is no log any more, but a text that is no program.
        assert texts in ([], [PROGRAM], [log.decode("utf-8", "replace")])
        assert contents.findings or contents.subjects
