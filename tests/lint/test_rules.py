"""Every rule of the linter: its examples are true, and people can read of it."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from astgen.check.finding import PROFILES, SEVERITIES, Example, Rule, Sample
from astgen.cli import main
from astgen.lint.engine import Job, lint_bytes
from astgen.lint.program import judge
from astgen.lint.rules import ALL_RULES
from astgen.lint.settings import Settings
from astgen.lint.subject import Subject

NEED_MORE = {
    "AG002": "black, and is tested with the layout",
    "AG504": "torch, and is tested with the operators",
    "AG505": "torch, and is tested with the operators",
}
TESTED = [rule for rule in ALL_RULES.values() if rule.code not in NEED_MORE]
WITHOUT_EXAMPLE = {"AG902"}
"""Nobody can write down a file on which the linter breaks down."""
COMPANIONS = {"AG608", "AG009"}
"""What is said of every pickle, and of every text with too many other findings."""


def found(rule: Rule, example: Example) -> set[str]:
    """The codes of what the whole linter finds, of the rule's severity or above."""
    profile = rule.profiles[0] if rule.profiles != PROFILES else None
    settings = Settings(profile=profile, severity="note")
    active = ALL_RULES.keys() - NEED_MORE.keys()
    if isinstance(example, str) and rule.code != "AG901":
        findings = judge(Subject(example), settings, active, most=1000)
    else:
        sample = example if isinstance(example, Sample) else None
        data = sample.content if sample else example.encode()
        given = {"select": ("",), "ignore": tuple(NEED_MORE), "severity": "note"}
        job = Job({**given, "profile": profile}, isolated=sample is not None)
        findings = lint_bytes(data, sample.name if sample else "a.py", job).findings
    least = SEVERITIES.index(rule.severity)
    return {
        finding.rule
        for finding in findings
        if SEVERITIES.index(ALL_RULES[finding.rule].severity) >= least
    }


def examples(kind: str) -> list[object]:
    return [
        pytest.param(rule, example, id=f"{rule.code}-{number}")
        for rule in TESTED
        for number, example in enumerate(getattr(rule, kind))
    ]


@pytest.mark.parametrize("rule, example", examples("good"))
def test_a_good_example_has_no_such_finding(rule: Rule, example: Example) -> None:
    assert rule.code not in found(rule, example)


@pytest.mark.parametrize("rule, example", examples("bad"))
def test_a_bad_example_has_this_finding_and_none_as_grave(
    rule: Rule, example: Example
) -> None:
    codes = found(rule, example)
    assert rule.code in codes
    if rule.code != "AG009":
        assert codes - COMPANIONS <= {rule.code}


@pytest.mark.parametrize("rule", ALL_RULES.values(), ids=list(ALL_RULES))
def test_a_rule_is_described_and_explained(rule: Rule) -> None:
    assert re.fullmatch(r"AG\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.summary and "\n" not in rule.summary and len(rule.summary) <= 80
    assert len(rule.reason) > 150 and rule.reason.endswith(".")
    assert rule.good
    assert len(rule.bad) >= 2 or rule.code in WITHOUT_EXAMPLE or rule.code < "AG6"
    page = CliRunner().invoke(main, ["rule", rule.code])
    assert page.exit_code == 0
    assert page.output.startswith(f"{rule.code} {rule.name}\n")
    assert rule.reason.split()[0] in page.output
    assert ("Wrong" in page.output) == bool(rule.bad)
    assert "Right" in page.output


def test_rules_are_sorted_and_their_names_differ() -> None:
    assert list(ALL_RULES) == sorted(ALL_RULES)
    assert len({rule.name for rule in ALL_RULES.values()}) == len(ALL_RULES)


def test_rules_are_listed_and_found_by_name_and_prefix() -> None:
    listing = CliRunner().invoke(main, ["rule"]).output
    assert all(code in listing for code in ALL_RULES)
    assert CliRunner().invoke(main, ["rule", "missing-del"]).output[:5] == "AG203"
    both = CliRunner().invoke(main, ["rule", "AG20"]).output
    assert "AG201 use-after-del" in both and "AG207 tuple-held" in both
    unknown = CliRunner().invoke(main, ["rule", "missing-dell"])
    assert unknown.exit_code == 2
    assert "did you mean 'missing-del'" in unknown.output
