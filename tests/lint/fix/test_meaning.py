"""Mending never changes what a program computes: random programs, before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.defects import computed, program

from astgen.check import check, scan
from astgen.check.finding import Finding
from astgen.lint.advice import advise
from astgen.lint.fix import mend
from astgen.lint.profile import detect
from astgen.lint.subject import Subject

SEEDS = st.integers(min_value=0, max_value=2**32)


def findings_of(text: str) -> Sequence[Finding]:
    found = scan(text)
    if found.tree is None or not found.in_grammar:
        return found.findings
    advice = advise(Subject(text), found.tree, detect(text))
    return [*found.findings, *advice]


@settings(deadline=None, max_examples=300)
@given(SEEDS)
def test_a_mended_program_computes_the_same(seed: int) -> None:
    text = program(Random(seed))
    assert check(text) == ()
    mended = mend(text, findings_of)
    assert check(mended) == ()
    assert computed(mended) == computed(text)
    assert mended.count("#") == text.count("#")
    assert mended.endswith("\n") == text.endswith("\n")
    assert set(re.findall("\r?\n", mended)) <= set(re.findall("\r?\n", text))


@settings(deadline=None, max_examples=200)
@given(SEEDS)
def test_mending_comes_to_an_end(seed: int) -> None:
    mended = mend(program(Random(seed)), findings_of)
    assert mend(mended, findings_of) == mended
    assert [finding for finding in findings_of(mended) if finding.edits] == []


@pytest.mark.parametrize("rule", ["AG106", "AG203", "AG204", "AG205", "AG207", "AG701"])
def test_the_random_programs_have_something_to_mend(rule: str) -> None:
    texts = [program(Random(seed)) for seed in range(200)]
    found = [finding for text in texts for finding in findings_of(text)]
    assert any(finding.rule == rule and finding.edits for finding in found)
