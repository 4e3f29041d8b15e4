"""Pickled caches: what is found in them."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import Any

import pytest
from hostile.pickle_making import blob, call, glob, text

from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickles import read_pickle
from astgen.lint.subject import Contents

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
CODE = "import torch\nimport operator\n\ndef execution_fn(x, *, __vllm_submods__):\n    return x\n"
STATE: dict[str, Any] = {
    "prefix": "backbone",
    "execution_code": CODE,
    "submod_names": ["submod_0", None],
    "consts": [1, 1.5, "x", b"y", None, True, (1, 2), [3], {"k": 4}, {5}, 6j],
}
READER = call(
    glob("builtins", "getattr"),
    glob("vllm.compilation.caching", "VllmSerializableFunction"),
    text("deserialize_compile_artifacts"),
)


def read(data: bytes, **options: Any) -> Contents:
    return read_pickle(data, "model", "", Limits(), **options)


def rules(contents: Contents) -> list[str]:
    return sorted(finding.rule for finding in contents.findings)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_program_is_found_in_every_protocol(protocol: int) -> None:
    contents = read(pickle.dumps(STATE, protocol))
    (subject,) = contents.subjects
    assert subject.text == CODE
    assert (subject.path, subject.member) == ("model", "execution_code")
    assert subject.profile == "vllm-0.32"
    assert subject.submod_names == ("submod_0", None)
    assert subject.consts is not None and len(subject.consts) == len(STATE["consts"])
    assert rules(contents) == ["AG608"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickles_inside_pickles_are_read(protocol: int) -> None:
    data = pickle.dumps(STATE, protocol)
    for _ in range(3):
        data = pickle.dumps({"compiled_fn": ("x", data)}, protocol)
    contents = read(data)
    (subject,) = contents.subjects
    assert subject.member == ".".join(["compiled_fn[1]"] * 3 + ["execution_code"])
    assert rules(contents) == ["AG608"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bytearrays_are_looked_into(protocol: int) -> None:
    contents = read(pickle.dumps([bytearray(pickle.dumps(STATE))], protocol))
    assert [subject.text for subject in contents.subjects] == [CODE]


def test_buffers_outside_are_nothing_to_worry_about() -> None:
    kept: list[pickle.PickleBuffer] = []
    value = [pickle.PickleBuffer(bytearray(b"x")), STATE]
    data = pickle.dumps(value, 5, buffer_callback=kept.append)
    assert kept
    assert len(read(data).subjects) == 1


def test_every_program_of_a_file_is_found() -> None:
    other = OrderedDict(STATE, execution_code="y = 1\n")
    contents = read(pickle.dumps({"a": STATE, "b": [other]}))
    found = {subject.member: subject.text for subject in contents.subjects}
    assert found == {"a.execution_code": CODE, "b[0].execution_code": "y = 1\n"}


@pytest.mark.parametrize("consts", [{}, {"consts": None}])
def test_a_cache_without_constants_is_legacy(consts: dict[str, None]) -> None:
    state = {"execution_code": CODE, "submod_names": [], **consts}
    contents = read(pickle.dumps(state))
    (subject,) = contents.subjects
    assert (subject.profile, subject.consts) == ("legacy", None)
    assert rules(contents) == ["AG605", "AG608"]


def test_a_text_of_astgen_in_a_cache_of_vllm_is_known() -> None:
    text = CODE.replace("\n\ndef", "\n\n\ndef")
    (subject,) = read(pickle.dumps({**STATE, "execution_code": text})).subjects
    assert subject.profile == "astgen-1"


@pytest.mark.parametrize("names", ["submod_0", [1], None])
def test_names_that_are_no_names_are_left_out(names: Any) -> None:
    (subject,) = read(pickle.dumps({**STATE, "submod_names": names})).subjects
    assert subject.submod_names is None


def test_the_state_of_vllm_is_found_beside_its_reader() -> None:
    body = READER + blob(pickle.dumps(STATE)) + b"\x86."
    contents = read(b"\x80\x04" + body)
    assert [subject.member for subject in contents.subjects] == ["[1].execution_code"]
    assert rules(contents) == ["AG608"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_state_without_code_is_incomplete_in_every_protocol(protocol: int) -> None:
    inner = pickle.dumps(pickle.dumps({"prefix": "backbone"}), protocol)
    body = inner.removesuffix(b".").removeprefix(b"\x80" + bytes([protocol]))
    contents = read(b"\x80\x04" + READER + body + b"\x86.")
    assert rules(contents) == ["AG607", "AG608"]


def test_a_state_without_code_is_incomplete() -> None:
    body = READER + blob(pickle.dumps({"prefix": "backbone"})) + b"\x86."
    contents = read(b"\x80\x04" + body)
    assert rules(contents) == ["AG607", "AG608"]
    assert contents.findings[0].member == "[1]"


@pytest.mark.parametrize(
    "code", [b"\x80\x00\xf5\x10", b"\x80\x04\xff", b"\x97\x00t\x01"]
)
def test_bytecode_that_begins_like_a_pickle_is_no_finding(code: bytes) -> None:
    assert rules(read(pickle.dumps({"co_code": code, **STATE}))) == ["AG608"]


def test_text_in_bytes_is_no_pickle() -> None:
    source = b"code for a kernel\n#include <x>\n.(import\n"
    assert rules(read(pickle.dumps([source, STATE]))) == ["AG608"]


def test_the_note_counts_names_over_all_pickles() -> None:
    inner = b"\x80\x02](ctorch\nfloat32\nctorch\nfloat16\ne."
    contents = read(b"\x80\x02](ctorch\nfloat32\n" + blob(inner) + b"e.")
    (note,) = contents.findings
    assert note.message == "the file is a pickle, which imports 2 names from 'torch'"


def test_a_name_can_be_allowed() -> None:
    data = b"\x80\x02cmodels.mine\nConfig\n)R."
    refused = read(data).findings[0]
    assert (refused.rule, refused.message) == (
        "AG610",
        "'models.mine.Config' is called",
    )
    assert rules(read(data, names=frozenset({"models.mine.Config"}))) == ["AG608"]


def test_many_names_are_one_finding_each_up_to_a_number() -> None:
    names = b"".join(b"cm%d\nx\n0" % number for number in range(150))
    found = rules(read(b"\x80\x02" + names + b"N."))
    assert found.count("AG610") == 101


def test_a_member_of_an_archive_comes_first() -> None:
    data = pickle.dumps({"a": STATE})
    contents = read_pickle(data, "caches.zip", "rank/model", Limits())
    assert contents.subjects[0].member == "rank/model.a.execution_code"
    assert {finding.member for finding in contents.findings} == {"rank/model"}
