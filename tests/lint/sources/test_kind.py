"""What a file is, by its bytes."""

from __future__ import annotations

import pickle

import pytest

from astgen.lint.rules.samples import artifact, trace
from astgen.lint.sources.headless import headless
from astgen.lint.sources.kind import kind_of, marked, opens_pickle


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("model", b"", "empty"),
        ("a.py", b"PK\3\4", "zip"),
        ("a.bin", artifact()[:100], "zip"),
        ("a.py", pickle.dumps([1], 4), "pickle"),
        ("x", b"\x80\x06N.", "other"),
        ("x", b"\x80", "other"),
        ("x", trace(), "trace"),
        ("x", b"\tcut payload\n" + trace(), "trace"),
        ("x", b"[rank3]:" + trace(), "trace"),
        ("a.py", trace(), "python"),
        ("manifest.json", b"PK\3\4", "zip"),
        ("manifest.json", pickle.dumps([1], 4), "pickle"),
        ("dedicated_log_torch_trace_rank_0_ab.log", b"noise", "trace"),
        ("other_dedicated_log_torch_trace_ab.log", b"noise", "other"),
        ("manifest.json", b"{}", "manifest"),
        ("a.cpp", b"#include <vector>", "other"),
        ("a.so", b"\x7fELF\2\1\1", "other"),
    ],
)
def test_the_bytes_decide(name: str, head: bytes, kind: str) -> None:
    assert kind_of(name, head) == kind


@pytest.mark.parametrize("protocol", [0, 1])
def test_old_pickles_that_load_something_are_found(protocol: int) -> None:
    data = pickle.dumps(pickle.Unpickler, protocol)
    assert headless(data, True)
    assert headless(b"cos\nsystem\n(S'id'\ntR.", True)
    assert headless(data[:5], False)


@pytest.mark.parametrize(
    "value", [pickle.Unpickler, [1], {}, 1, 2.5, "x", b"x", (), None]
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_opens_as_one(value: object, protocol: int) -> None:
    assert opens_pickle(pickle.dumps(value, protocol))


def test_programs_do_not_open_as_pickles() -> None:
    texts = (b"import torch\n", b"from a import b\n", b"def f():\n", b"# x\n", b"@a\n")
    assert not any(map(opens_pickle, (*texts, b'"""Text."""\n', b"\n", b"")))


@pytest.mark.parametrize(
    "data",
    [
        b"2.13.0",
        b"0.1.0\n",
        b"import torch\nimport operator\n\n\ndef execution_fn(x):\n    return x\n",
        b"import torch\ndef f(x):\n    return x\n",
        b"{}",
        b"[1, 2]",
        b"I am text.",
        b"#include <c>\n",
        b"CTEST_OUTPUT\n" + b"-" * 72 + b"uc\na\nb\n.",
        b"INFO a line of a log\n" * 20_000,
        b"V0102 a line of a log\n" * 20_000,
        b"Some text\nclass\nfile\n.",
        b"click\ntorch\nnumpy\nRich\n",
        b"class X(list):\n    def f(self):\n        pass\n",
        b"P5\n16 16\n255\n",
        pickle.dumps([1, 2.5, "x"], 0),
    ],
)
def test_other_texts_are_no_pickles(data: bytes) -> None:
    assert not headless(data, True)


@pytest.mark.parametrize(
    "front",
    [
        b"I1\n",
        b"I 0x10\n",
        b"I-1\n",
        b"L1L\n",
        b"Finf\n",
        b"F1e5\n",
        b"S'a'\n",
        b'S"a"\n',
        b"((1t",
    ],
)
def test_what_stands_before_the_first_name_may_be_any_value(front: bytes) -> None:
    assert headless(front + b"0cos\nsystem\n(S'id'\ntR.", True)
    assert headless(front + b"0cos\nsystem\n(S'id'\ntRt", True)


@pytest.mark.parametrize("end", [b"#", b"", b"\xff", b"t", b"RRR", b"Fx", b"I"])
def test_a_pickle_that_calls_something_and_breaks_off_is_one(end: bytes) -> None:
    for start in (b"cos\nsystem\n(S'id'\ntR", b"(S'id'\nios\nsystem\n"):
        assert headless(start + end, True)
    assert headless(b"(cos\nsystem\nS'id'\no" + end, True)
    assert headless(b"c__main__\nx\n(db" + end, True)


def test_a_pickle_that_goes_on_is_looked_at() -> None:
    assert headless(b"N0" * 20_000 + b"cos\nsystem\n.", True)
    assert not headless(b"N0" * 100, True)


def test_marks_are_whole_names() -> None:
    assert marked(b"def execution_fn(")
    assert marked(b"__vllm_inlined_submods__12(")
    assert marked("__vllm_consts__[0]".encode("utf-16-be"))
    assert not marked(b"compile_execution_fn execution_fn2 __vllm_submods__x")
