"""AG002: the layout of black, and that laying out changes nothing else."""

from __future__ import annotations

import pytest

from astgen.check import Finding
from astgen.lint.fix import mend
from astgen.lint.fix.layout import laid_out, not_formatted

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
