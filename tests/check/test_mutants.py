"""Broken mutants of valid programs are flagged, valid ones accepted: a short run.

The long runs are those of `tools/mutate.py`. The stored programs are texts that the
generator wrote, so that nothing here needs torch.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from astgen.check import RULES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import mutate_judge  # noqa: E402
import mutate_lifetimes  # noqa: E402
from mutate_judge import OPERATORS, Judged, judge  # noqa: E402
from mutate_lifetimes import forgotten, noted  # noqa: E402
from mutate_program import Program, inferred  # noqa: E402
from mutate_run import broken  # noqa: E402

STORED = [
    inferred(path.stem, path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "programs").glob("*.txt"))
]
EXAMPLES = [
    inferred(f"{rule.code} {number}", text)
    for rule in RULES.values()
    for number, text in enumerate(rule.good)
    if isinstance(text, str)
]
STITCHED = next(program for program in STORED if program.name == "stitched")

VLLM = inferred(
    "vLLM",
    """\
import torch
import operator

def execution_fn(x, w, s72, *, __vllm_submods__):
    piece = __vllm_submods__[0](x, s72)
    del x
    getitem = piece[0]
    getitem_1 = piece[1]
    del piece
    add = operator.add(getitem, w)
    del getitem, w
    mul = operator.mul(add, s72)
    del add, s72
    neg = torch.neg(mul)
    return (neg, getitem_1)
""",
)


def disagreements(program: Program, limit: int) -> list[str]:
    return [str(found) for found in judge(program, limit) if not found.is_right]


def test_there_are_programs_of_all_kinds() -> None:
    assert len(STORED) >= 10 and len(EXAMPLES) >= 20


@pytest.mark.parametrize("program", [*STORED, VLLM], ids=lambda program: program.name)
def test_oracle_and_checker_agree_on_mutants_of_generated_texts(
    program: Program,
) -> None:
    assert disagreements(program, 6) == []


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda program: program.name)
def test_oracle_and_checker_agree_on_mutants_of_examples(program: Program) -> None:
    assert disagreements(program, 2) == []


def test_every_operator_makes_mutants() -> None:
    made: Counter[str] = Counter()
    for program in STORED:
        made.update(name for name, _ in mutate_judge.mutants(program, 1, 0))
    assert set(made) == set(OPERATORS)


def test_mutants_are_the_same_each_time_and_others_for_another_seed() -> None:
    first, again, other = (
        list(mutate_judge.mutants(STITCHED, 2, seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("del piece\n", "del piece, piece\n", "UnboundLocalError"),
        ("mid[2]", "mid[3]", "IndexError"),
        ("operator.getitem(mid, 1)", "operator.getitem(mid, -4)", "IndexError"),
        ("(getitem, getitem_1)\n", "(getitem)\n", "TypeError"),
        ("submods__[3]", "submods__[4]", "IndexError"),
        ("leaf = __vllm_inlined_submods__2", "leaf = __vllm_inlined_submods__3", "3"),
        ("import operator\n", "", "NameError"),
        ("    return leaf\n", "", "no return"),
        ("torch.neg(a)", "torch.load(a)", "path torch.load"),
        ("view = neg", "view += neg", "AugAssign"),
        ("    return leaf\n", "    return leaf)\n", "does not compile"),
    ],
)
def test_the_oracle_knows_what_is_broken(old: str, new: str, reason: str) -> None:
    assert STITCHED.text.count(old) == 1
    assert reason in (broken(STITCHED, STITCHED.text.replace(old, new)) or "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mid[2]", "mid[0]"),
        ("submods__[3]", "submods__[0]"),
        ("torch.neg(a)", "torch.relu(b)"),
        ("    del piece\n", ""),
        ("alpha=2.5", "alpha=None"),
    ],
)
def test_the_oracle_knows_what_stays_valid(old: str, new: str) -> None:
    assert STITCHED.text.count(old) == 1
    assert broken(STITCHED, STITCHED.text.replace(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new", "name", "rule"),
    [
        ("    del x\n", "", "x", "AG203"),
        ("    del piece\n", "", "piece", "AG207"),
        ("del getitem, w", "del w", "getitem", "AG203"),
        ("del add, s72", "del add", "s72", "AG203"),
    ],
)
def test_a_missing_del_is_structural_and_lint_says_so(
    old: str, new: str, name: str, rule: str
) -> None:
    assert VLLM.text.count(old) == 1
    text = VLLM.text.replace(old, new)
    assert f"{name} is held" in (forgotten(VLLM, text) or "")
    assert noted(VLLM, text) == (rule,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    del input_ids, weight_of_the_first_layer\n", ""),
        ("    del a\n", ""),
        ("gelu(reshape, approximate", "relu(reshape, approximate"),
    ],
    ids=["parameters of the entry", "parameter of a function", "another operator"],
)
def test_other_losses_are_not(old: str, new: str) -> None:
    assert STITCHED.text.count(old) == 1
    text = STITCHED.text.replace(old, new)
    assert forgotten(STITCHED, text) is None
    assert noted(STITCHED, text) == ()


def test_a_value_lives_on_in_what_it_was_put_into() -> None:
    lines = ["part = [neg]", "cat = torch.cat(part)", "del neg, part", "return cat"]
    body = "".join(f"    {line}\n" for line in ["neg = torch.neg(x)", *lines])
    head = "import torch\nimport operator\n\n\n"
    program = inferred(
        "parts", f"{head}def execution_fn(x, *, __vllm_submods__):\n{body}"
    )
    text = program.text.replace("del neg, part", "del part")
    assert forgotten(program, text) is None
    later = program.text.replace("return cat", "return torch.neg(cat)")
    program = inferred("parts", later)
    text = later.replace("del neg, part", "del part")
    assert forgotten(program, text) == "line 10 runs while neg is held"


def test_a_missing_del_that_lint_overlooks_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mutate_lifetimes, "noted", lambda program, text: ())
    missed = [one for one in judge(VLLM, 1) if not one.is_right]
    assert {one.operator for one in missed} == mutate_lifetimes.OPERATORS
    assert all("is held" in (one.reason or "") for one in missed)


def test_a_mutant_that_gets_past_the_checker_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mutate_judge, "check", lambda text, **known: ())
    found = [
        one
        for one in judge(STITCHED, 1)
        if one.reason is not None and one.operator not in mutate_lifetimes.OPERATORS
    ]
    assert found and not any(one.is_right for one in found)
    shown = str(found[0])
    assert "no finding" in shown and "+++ undefined_name_used" in shown


def test_a_valid_mutant_that_is_refused_is_seen() -> None:
    text = STITCHED.text.replace("mid[2]", "mid[0]")
    judged = Judged("another_item", STITCHED, text, broken(STITCHED, text), ("AG406",))
    assert not judged.is_right
    count = mutate_judge.Count()
    count.add(judged)
    assert (count.valid, count.refused, count.structural) == (1, 1, 0)


def test_a_program_that_is_broken_already_is_not_mutated() -> None:
    text = STITCHED.text.replace("mid[2]", "mid[3]")
    with pytest.raises(ValueError, match="is no valid program: IndexError"):
        next(judge(inferred("broken", text)))
