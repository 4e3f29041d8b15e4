"""AG002: the layout of black, and that laying out changes nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from support.defects import computed, program

from astgen.check import Finding, check, scan
from astgen.check.finding import Example
from astgen.lint.advice import advise
from astgen.lint.fix import mend
from astgen.lint.fix.layout import laid_out, not_formatted
from astgen.lint.profile import detect
from astgen.lint.rules.layout import NOT_FORMATTED
from astgen.lint.subject import Subject

NEAT = """\
import torch


def execution_fn(x, *, __vllm_submods__):
    y = torch.add(x, 1)
    return y
"""


def test_what_black_would_not_change_is_no_finding() -> None:
    assert not_formatted(NEAT) is None
    assert laid_out(NEAT) == NEAT


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "old, new, line",
    [
        ("(x, 1)", "(x,1)", 5),
        ("\n\n\n", "\n\n", 3),
        ("    return y", "    return (y)", 6),
        ("return y\n", "return y", 6),
        ("y = torch", "y  =  torch", 5),
    ],
)
def test_the_first_line_that_black_changes_is_the_finding(
    old: str, new: str, line: int, newline: str
) -> None:
    text = NEAT.replace(old, new)
    text = text.replace("\n", newline)
    finding = not_formatted(text)
    assert isinstance(finding, Finding)
    assert (finding.rule, finding.line) == ("AG002", line)
    assert laid_out(text).replace("\r\n", "\n") == NEAT


def test_ends_of_lines_are_kept() -> None:
    text = NEAT.replace("(x, 1)", "(x,1)").replace("\n", "\r\n")
    assert laid_out(text) == NEAT.replace("\n", "\r\n")


def test_parentheses_of_a_del_are_layout() -> None:
    text = NEAT.replace("    return y", "    del (x)\n    return y")
    assert laid_out(text) == text.replace("(x)\n", "x\n")


@pytest.mark.parametrize("text", ["def f(:\n", "x = (\n", "print 'a'\n", "a\0b\n"])
def test_what_black_cannot_read_is_left_alone(text: str) -> None:
    assert laid_out(text) == text
    assert not_formatted(text) is None


def test_mending_lays_out_when_it_is_asked_to() -> None:
    text = NEAT.replace("(x, 1)", "( x,1 )")
    assert mend(text, lambda _: [], layout=True) == NEAT
    assert mend(text, lambda _: []) == text


@pytest.mark.parametrize("text", NOT_FORMATTED.good)
def test_a_good_example_is_laid_out(text: Example) -> None:
    assert isinstance(text, str) and check(text) == ()
    assert not_formatted(text) is None


@pytest.mark.parametrize("text", NOT_FORMATTED.bad)
def test_a_bad_example_is_not(text: Example) -> None:
    assert isinstance(text, str) and check(text) == ()
    assert not_formatted(text) is not None


def findings_of(text: str) -> Sequence[Finding]:
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    return advise(Subject(text), found.tree, detect(text))


@pytest.mark.parametrize("seed", range(25))
def test_mended_and_laid_out_a_program_computes_the_same(seed: int) -> None:
    text = program(Random(seed))
    mended = mend(text, findings_of, layout=True)
    assert check(mended) == ()
    assert computed(mended) == computed(text)
    assert mended.count("#") == text.count("#")
    assert not_formatted(mended) is None
    assert mend(mended, findings_of, layout=True) == mended
