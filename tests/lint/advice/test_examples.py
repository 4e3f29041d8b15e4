"""The rules about programs: their examples are true."""

from __future__ import annotations

import pytest

from astgen.check import check, scan
from astgen.check.finding import SEVERITIES, Example, Rule
from astgen.lint.advice import advise
from astgen.lint.profile import detect
from astgen.lint.rules import imports, indexes, lifetimes, performance
from astgen.lint.subject import Subject

RULES = {
    rule.code: rule
    for family in (imports, indexes, lifetimes, performance)
    for rule in family.RULES
}
GOOD = [(rule, text) for rule in RULES.values() for text in rule.good]
BAD = [(rule, text) for rule in RULES.values() for text in rule.bad]


def advice(text: Example) -> list[str]:
    assert isinstance(text, str)
    found = scan(text)
    assert found.findings == () and found.tree is not None
    findings = advise(Subject(text), found.tree, detect(text))
    return [finding.rule for finding in findings]


@pytest.mark.parametrize("rule, text", GOOD)
def test_a_good_example_has_no_finding_of_its_rule(rule: Rule, text: Example) -> None:
    assert rule.code not in advice(text)


@pytest.mark.parametrize("rule, text", BAD)
def test_a_bad_example_has_nothing_else_of_its_weight(
    rule: Rule, text: Example
) -> None:
    least = SEVERITIES.index(rule.severity)
    weighty = [
        code for code in advice(text) if SEVERITIES.index(RULES[code].severity) >= least
    ]
    assert weighty and set(weighty) == {rule.code}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_fixable_rule_mends_one_of_its_examples(rule: Rule) -> None:
    edits = False
    for text in rule.bad:
        assert isinstance(text, str)
        tree = scan(text).tree
        assert tree is not None
        findings = advise(Subject(text), tree, detect(text))
        edits = edits or any(one.edits for one in findings if one.rule == rule.code)
    assert edits == rule.fixable


STOCK = """\
import torch
import operator

def __vllm_inlined_submods__1(key, s72, value, layer, query, out):
    cache = torch.ops.vllm.unified_kv_cache_update(key, value, layer)
    done = torch.ops.vllm.unified_attention_with_output(query, key, value, out, layer)
    return ()

def execution_fn(l_ids_, s72, l_self_modules_a_parameters_weight_, *, __vllm_submods__):
    submod_0 = __vllm_submods__[0](l_ids_, s72, l_self_modules_a_parameters_weight_)
    del l_ids_, l_self_modules_a_parameters_weight_
    getitem = submod_0[0]
    getitem_1 = submod_0[1]
    getitem_2 = submod_0[2]
    getitem_3 = submod_0[3]
    del submod_0
    submod_1 = __vllm_inlined_submods__1(getitem, s72, getitem_1, "a.0", getitem_2, getitem_3)
    del getitem, getitem_1, getitem_2
    submod_2 = __vllm_submods__[2](getitem_3, s72)
    del getitem_3, s72
    getitem_4 = submod_2[0]
    return (getitem_4,)
"""


def test_what_vllm_writes_by_habit_is_worth_notes_and_no_warning() -> None:
    assert check(STOCK) == ()
    codes = advice(STOCK)
    # `cache` is read by nobody here: the operator behind it ran while it was held.
    assert codes == ["AG106", "AG703", "AG205", "AG204", "AG702"]
    tidy = STOCK.replace("out, layer)", "out, layer, kv_cache_dummy_dep=cache)")
    assert {RULES[code].severity for code in advice(tidy)} == {"note"}
