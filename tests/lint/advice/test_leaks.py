"""AG304: what repr says of objects, and what only looks like it."""

from __future__ import annotations

import pytest

from astgen.check import scan
from astgen.check.finding import Finding, Profile
from astgen.lint.advice import advise
from astgen.lint.subject import Subject


class Thing:
    """Something with an address."""


LEAKS = [
    repr(Thing()),
    repr(object()),
    repr(len),
    repr(Thing),
    repr(lambda: 0),
    str([Thing()]),
    "<Color.RED: 1>",
    "<Outer.Color.RED: 'a b'>",
    "<bound method Thing.run of <pkg.Thing object at 0x7f31c2a4d0>>",
    "<torch._C.Generator object at 0x7f31c2a4d0>",
    "tensor([1., 2.])",
    "tensor(0.5000)",
    "tensor(..., device='meta', size=(2, 3))",
    "FakeTensor(..., device='cuda:0', size=(2,))",
    "device(type='cuda', index=0)",
    "args: (device(type='cpu'),)",
    "Parameter containing:\ntensor([1.])",
    "Shard(dim=0)",
    "(Replicate(), Shard(dim=-1))",
]

NO_LEAKS = [
    "",
    "cuda:0",
    "device: cuda",
    "device(cuda)",
    "a < b > c",
    "<pad>",
    "<|endoftext|>",
    "<s>[INST] tensor parallel (two)",
    "x at 0x10",
    "model.layers.0.self_attn.attn",
    "the tensor (first)",
    "https://example.org/?a=<b>",
    "List<int>: 1",
    "<html: 1>",
    "Shard(0)",
    "tensor(x)",
]


def advice(text: str, profile: Profile = "vllm-0.32") -> list[Finding]:
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    findings = advise(Subject(text), found.tree, profile)
    return [finding for finding in findings if finding.rule == "AG304"]


def program(value: str, comment: str = "") -> str:
    call = f"    return __vllm_submods__[0](x, {value})"
    return f"def execution_fn(x, *, __vllm_submods__):\n{comment}{call}\n"


@pytest.mark.parametrize("value", LEAKS, ids=range(len(LEAKS)))
def test_strings_that_were_objects(value: str) -> None:
    (finding,) = advice(program(repr(value)))
    assert finding.line == 2 and finding.message.startswith("a string holds")
    assert len(advice(program(f"{{'k': [{value!r}]}}"))) == 1


@pytest.mark.parametrize("value", NO_LEAKS)
def test_strings_that_were_always_strings(value: str) -> None:
    assert advice(program(repr(value))) == []


@pytest.mark.parametrize("value", LEAKS, ids=range(len(LEAKS)))
def test_comments_with_objects(value: str) -> None:
    comment = "    # é " + value.replace("\n", " ") + "\n"
    (finding,) = advice(program("1", comment))
    assert finding.message.startswith("a comment holds")
    assert (finding.line, finding.column) == (2, 5)
    assert finding.end_column == len(comment)


def test_a_string_of_our_own_text_is_what_the_model_passes() -> None:
    assert advice(program("'<Color.RED: 1>'"), "astgen-1") == []


def test_arithmetic_is_no_leak() -> None:
    assert advice(program("x < 1")) == []


@pytest.mark.parametrize(
    "value", ["<" * 200_000, "<a " * 70_000, "<A.a" * 50_000], ids=range(3)
)
def test_a_string_that_begins_many_objects_is_read_once(value: str) -> None:
    """Each of these once took minutes."""
    assert advice(program(repr(value))) == []
