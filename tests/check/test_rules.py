"""Every rule: its examples are true, and what people read of it is complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from astgen.check import RULES, Rule, check

EXAMPLES = [
    pytest.param(rule, text, id=f"{rule.code}-{number}")
    for rule in RULES.values()
    for number, text in enumerate(rule.good)
]
COUNTEREXAMPLES = [
    pytest.param(rule, text, id=f"{rule.code}-{number}")
    for rule in RULES.values()
    for number, text in enumerate(rule.bad)
]


@pytest.mark.parametrize("rule, text", EXAMPLES)
def test_a_good_example_has_no_finding(rule: Rule, text: str) -> None:
    assert check(text) == ()


@pytest.mark.parametrize("rule, text", COUNTEREXAMPLES)
def test_a_bad_example_has_this_finding_and_no_other(rule: Rule, text: str) -> None:
    assert [finding.rule for finding in check(text)] == [rule.code]


@pytest.mark.parametrize("rule, text", COUNTEREXAMPLES)
def test_a_finding_says_what_and_where_and_the_way_out(rule: Rule, text: str) -> None:
    (finding,) = check(text, path="program.py")
    lines = text.split("\n")
    assert finding.message and finding.hint
    assert finding.path == "program.py"
    assert 1 <= finding.line <= finding.end_line <= len(lines)
    assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1
    assert 1 <= finding.end_column <= len(lines[finding.end_line - 1]) + 1
    start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)
    assert start <= end
    assert str(finding).startswith(f"program.py:{finding.line}:{finding.column}: AG")


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_a_rule_is_described(rule: Rule) -> None:
    assert re.fullmatch(r"AG\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.summary and "\n" not in rule.summary and len(rule.summary) <= 80
    assert len(rule.reason) > 150 and rule.reason.endswith(".")
    assert rule.good and rule.bad


def test_rules_are_sorted_and_their_names_differ() -> None:
    assert list(RULES) == sorted(RULES)
    assert all(code == rule.code for code, rule in RULES.items())
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


def test_importing_the_checker_imports_neither_torch_nor_libcst() -> None:
    program = (
        "import sys, astgen.check\n"
        "found = astgen.check.check('import os')\n"
        "heavy = {'torch', 'libcst', 'black', 'click', 'numpy'} & set(sys.modules)\n"
        "assert found and not heavy, heavy\n"
    )
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", program], check=True, cwd=root)
