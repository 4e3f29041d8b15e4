"""Selectors: which rules are on."""

from __future__ import annotations

import pytest

from astgen.errors import SettingsError
from astgen.lint.rules import ALL_RULES
from astgen.lint.select import selected, validate

ALWAYS = {code for code, rule in ALL_RULES.items() if rule.always}
DEFAULT = {code for code, rule in ALL_RULES.items() if rule.default}


def on(**options: list[str]) -> set[str]:
    given = {name: validate(value, name) for name, value in options.items()}
    select = given.pop("select", None)
    ignore = given.pop("ignore", ())
    return set(selected(select, ignore, **given))


def test_without_selectors_the_default_rules_are_on() -> None:
    assert on() == DEFAULT | ALWAYS
    assert "AG002" not in on() and "AG101" in on()


def test_select_leaves_only_what_it_names_and_what_is_always_on() -> None:
    assert on(select=["AG101"]) == {"AG101"} | ALWAYS
    assert on(select=["AG20"]) == {c for c in ALL_RULES if c[:4] == "AG20"} | ALWAYS
    assert on(select=["ALL"]) == set(ALL_RULES)


def test_rules_have_names_too_and_case_does_not_matter() -> None:
    assert on(select=["Undefined-Name", "ag203"]) == {"AG101", "AG203"} | ALWAYS


def test_the_longer_selector_wins_and_ignoring_wins_a_tie() -> None:
    assert "AG203" not in on(select=["AG2"], ignore=["AG203"])
    assert "AG203" in on(select=["AG203"], ignore=["AG2"])
    assert "AG203" not in on(select=["AG203"], ignore=["AG203"])
    assert "AG101" not in on(ignore=["ALL"])


def test_extend_select_adds_to_the_default_rules() -> None:
    assert on(extend=["AG002"]) == DEFAULT | ALWAYS | {"AG002"}


def test_what_is_always_on_goes_by_its_full_code_alone() -> None:
    assert "AG001" in on(ignore=["AG0"]) and "AG001" in on(select=["AG7"])
    assert "AG001" not in on(ignore=["AG001"])


def test_rules_ignored_in_a_file_are_off_whatever_is_selected() -> None:
    assert "AG203" not in on(select=["AG203"], ignored_here=["AG2"])
    assert "AG004" in on(ignored_here=["ALL"])


@pytest.mark.parametrize(
    "selector, meant",
    [
        ("AG999", "AG99"),
        ("undefined-nam", "undefined-name"),
        ("", "astgen rule"),
        ("E501", "astgen rule"),
        ("*", "astgen rule"),
    ],
)
def test_a_selector_of_nothing_is_refused_with_what_was_meant(
    selector: str, meant: str
) -> None:
    with pytest.raises(SettingsError, match="--select: no rule is called") as caught:
        validate([selector], "--select")
    assert ("did you mean" in str(caught.value)) or meant in str(caught.value)
