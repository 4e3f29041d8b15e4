"""Rules over constants and names of pieces."""

from __future__ import annotations

import ast

import pytest
from hostile.pickle_making import text

from astgen.check.finding import Sample
from astgen.lint.constants import judge_slots
from astgen.lint.rules import constants, pickles
from astgen.lint.rules.pickle_samples import called, named
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickles import read_pickle
from astgen.lint.subject import Constant, Subject

RULES = {rule.code: rule for rule in (*constants.RULES, *pickles.RULES)}
EXAMPLES = [
    pytest.param(rule.code, example, bad, id=f"{rule.code}-{number}-{bad}")
    for rule in RULES.values()
    for bad, examples in ((False, rule.good), (True, rule.bad))
    for number, example in enumerate(examples)
    if isinstance(example, Sample)
]


def slots(tree: ast.AST, name: str) -> dict[int, ast.AST]:
    return {
        node.slice.value: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    }


def codes(subject: Subject) -> list[str]:
    tree = ast.parse(subject.text)
    read, called = slots(tree, "__vllm_consts__"), slots(tree, "__vllm_submods__")
    return [problem.rule.code for problem in judge_slots(subject, read, called)]


@pytest.mark.parametrize("code, example, bad", EXAMPLES)
def test_examples_are_what_they_say(code: str, example: Sample, bad: bool) -> None:
    contents = read_pickle(example.content, example.name, "", Limits())
    found = [finding.rule for finding in contents.findings]
    for subject in contents.subjects:
        found += codes(subject)
    above = ["error", "warning", "note"]
    above = above[: above.index(RULES[code].severity) + 1]
    others = {other for other in found if RULES[other].severity in above} - {code}
    assert (code in found) == bad
    assert not bad or not others - {"AG608"}


def constant(value: bytes) -> Constant:
    entries = text("execution_code") + text("x") + text("consts") + b"](" + value + b"e"
    contents = read_pickle(b"\x80\x02}(" + entries + b"u.", "model", "", Limits())
    (found,) = contents.subjects[0].consts or ()
    return found


@pytest.mark.parametrize(
    "value, kind, shown",
    [
        (b"K\x05", "builtins.int", "5"),
        (b"N", "None", "None"),
        (text("a'b"), "builtins.str", '"a\'b"'),
        (b"I" + b"9" * 4_000 + b"\n", "builtins.int", "a huge number"),
        (named("torch.float32"), "torch.float32", "torch.float32"),
        (
            called("torch.device", text("cuda"), b"K\x01"),
            "torch.device",
            "torch.device('cuda', 1)",
        ),
        (called("torch.Size", b"K\x02\x85"), "torch.Size", "torch.Size((2,))"),
        (b"](K\x01K\x02e", "builtins.list", "[1, 2]"),
    ],
)
def test_a_constant_is_described(value: bytes, kind: str, shown: str) -> None:
    found = constant(value)
    assert (found.kind, found.shown) == (kind, shown)


def test_descriptions_tell_constants_apart() -> None:
    values = [b"K\x01", b"\x88", b"G" + bytes(8), b"G\x80" + bytes(7), text("1"), b"N"]
    values += [b")", b"]", b"}", b"K\x01\x85", b"](K\x01e", named("torch.int8")]
    assert len({constant(value).key for value in values}) == len(values)


def test_a_constant_names_all_that_it_imports() -> None:
    value = b"](" + named("torch.float32") + called("torch.device", text("cpu")) + b"e"
    assert constant(value).names == ("torch.device", "torch.float32")


def test_a_problem_points_at_the_slot_that_is_read() -> None:
    same = Constant("torch.float32", "torch.float32", "k", ("torch.float32",))
    node = ast.parse("__vllm_consts__[1]").body[0]
    subject = Subject("", consts=(same, same))
    (problem,) = judge_slots(subject, {1: node}, {})
    assert problem.node is node
    assert problem.message == "constants 0 and 1 are equal: 'torch.float32'"
    (problem,) = judge_slots(subject, {}, {})
    assert not hasattr(problem.node, "lineno")


def test_without_names_and_constants_nothing_is_judged() -> None:
    node = ast.parse("x").body[0]
    assert judge_slots(Subject("x"), {0: node}, {0: node}) == []
    assert judge_slots(Subject("x", submod_names=()), {}, {0: node}) == []


@pytest.mark.parametrize("shown", ["torch.device('cpu')", "[torch.device('cuda')]"])
def test_a_device_without_index_is_not_pinned(shown: str) -> None:
    device = Constant("torch.device", shown, "k", ("torch.device",))
    assert judge_slots(Subject("", consts=(device,)), {}, {}) == []
