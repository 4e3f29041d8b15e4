"""Damaged, senseless and greedy pickles: never an exception, never much work."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hostile.pickle_making import blob, call, glob, state, text

from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickles import read_pickle

PROTO = b"\x80\x04"
INNER = PROTO + state(text("prefix"), text("x" * 1500)) + b"."
ARTIFACT = (
    PROTO
    + b"}("
    + text("guards")
    + call(glob("torch", "Size"), b"K\x01\x85")
    + text("compiled_fn")
    + blob(INNER)
    + b"u."
)


def found(data: bytes, **limits: int) -> list[str]:
    contents = read_pickle(data, "model", "", Limits(**limits))
    return sorted(finding.rule for finding in contents.findings)


def test_the_artifact_itself_is_fine() -> None:
    assert found(ARTIFACT) == ["AG608"]


def test_an_artifact_cut_anywhere_is_damaged() -> None:
    for size in range(len(ARTIFACT)):
        assert "AG601" in found(ARTIFACT[:size]), size


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits_are_findings_at_most(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(250):
        data = bytearray(ARTIFACT)
        for _ in range(choose.randrange(1, 6)):
            data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
        assert "AG608" in found(bytes(data))


@pytest.mark.parametrize("seed", range(4))
def test_random_opcodes_are_findings_at_most(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(500):
        data = PROTO + choose.randbytes(choose.randrange(1, 60)) + b"."
        assert "AG608" in found(data)


def test_opcodes_are_limited_over_all_pickles_together() -> None:
    inner = PROTO + b"N0" * 400 + b"N."
    data = PROTO + b"](" + blob(inner) + blob(inner + b".") + b"e."
    assert found(data) == ["AG608"]
    assert found(data, opcodes=1_000) == ["AG005", "AG608"]


def test_nesting_is_limited() -> None:
    data = pickle.dumps({"execution_code": "x"})
    for _ in range(5):
        data = pickle.dumps([data])
    assert found(data, depth=5) == ["AG605", "AG608"]
    assert found(data, depth=4) == ["AG005", "AG608"]


def test_nested_bytes_are_limited() -> None:
    data = PROTO + blob(bytes(2_000_000)) + b"."
    for _ in range(12):
        data = PROTO + blob(data) + b"."
    assert found(data) == ["AG005", "AG608"]


def test_lists_in_lists_take_no_recursion() -> None:
    data = PROTO + b"]" * 200_000 + b"a" * 199_999 + b"."
    assert found(data) == ["AG608"]


def test_constants_in_constants_take_no_recursion() -> None:
    deep = b"(" + b"]" * 100_000 + b"a" * 99_999 + b"l"
    data = PROTO + b"}(" + text("execution_code") + text("x") + text("consts") + deep
    contents = read_pickle(data + b"u.", "model", "", Limits())
    assert contents.subjects[0].consts is not None
    assert len(contents.subjects[0].consts) == 1


def test_shared_parts_are_looked_at_once() -> None:
    laughs: Any = ["ha"]
    for _ in range(200):
        laughs = [laughs] * 10
    data = pickle.dumps({"execution_code": "x", "consts": [laughs, laughs]})
    contents = read_pickle(data, "model", "", Limits())
    first, second = contents.subjects[0].consts or ()
    assert first.key == second.key
    assert len(first.shown) < 200


def test_containers_that_contain_themselves_are_read() -> None:
    loop: list[Any] = []
    loop.append(loop)
    table: dict[str, Any] = {"execution_code": "x", "consts": loop}
    table["self"] = table
    contents = read_pickle(pickle.dumps(table), "model", "", Limits())
    assert [subject.member for subject in contents.subjects] == ["execution_code"]
    assert (contents.subjects[0].consts or ())[0].names == ("...",)


def test_a_file_has_only_so_many_programs() -> None:
    data = pickle.dumps([{"execution_code": "x", "consts": []} for _ in range(5)])
    contents = read_pickle(data, "model", "", Limits(programs=3))
    assert len(contents.subjects) == 3
    assert [f.rule for f in contents.findings] == ["AG005", "AG608"]


def test_imports_are_limited() -> None:
    assert found(PROTO + b"cbuiltins\nint\n0" * 200_001 + b"N.") == ["AG005", "AG608"]


def test_constants_too_deep_to_be_described_are_not_portable() -> None:
    deep = b"(]" + b"\x85" * 300_000 + b"l"
    data = PROTO + b"}(" + text("execution_code") + text("x") + text("consts") + deep
    contents = read_pickle(data + b"u.", "model", "", Limits())
    assert (contents.subjects[0].consts or ())[0].names == ("...",)
