"""Which rules are on: selectors of the command line and of configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from astgen.errors import SettingsError
from astgen.lint.rules import ALL_RULES

__all__ = ["matches", "selected", "validate"]

_EVERYTHING = "ALL"


def validate(selectors: Iterable[str], where: str) -> tuple[str, ...]:
    """Check selectors and bring them into one form.

    Args:
        selectors: Codes (`AG203`), prefixes of codes (`AG2`), names of rules
            (`missing-del`) or `ALL`.
        where: Where they stand, for the message.

    Returns:
        Codes and prefixes; `ALL` is the empty prefix.

    Raises:
        SettingsError: One of them selects nothing.
    """
    names = {rule.name: rule.code for rule in ALL_RULES.values()}
    found = []
    for selector in selectors:
        prefix = names.get(selector.lower(), selector.upper())
        if prefix == _EVERYTHING:
            found.append("")
            continue
        if not prefix or not any(code.startswith(prefix) for code in ALL_RULES):
            close = get_close_matches(selector.lower(), names, n=1)
            close += get_close_matches(prefix, ALL_RULES, n=1)
            meant = f"did you mean {close[0]!r}" if close else "see 'astgen rule'"
            raise SettingsError(f"{where}: no rule is called {selector!r}; {meant}")
        found.append(prefix)
    return tuple(found)


def selected(
    select: Sequence[str] | None,
    ignore: Sequence[str],
    extend: Sequence[str] = (),
    ignored_here: Sequence[str] = (),
) -> frozenset[str]:
    """The codes of the rules that are on.

    The longer selector wins, as in ruff: `--select AG2 --ignore AG203` leaves AG203
    out, `--ignore AG2 --select AG203` leaves it in; of equal ones, ignoring wins.

    Args:
        select: Validated selectors of what is on; None for the default rules.
        ignore: Validated selectors of what is off.
        extend: Validated selectors of what is on besides.
        ignored_here: Validated selectors of what is off in this file, whatever is on.

    Returns:
        The codes.
    """
    on = []
    for code, rule in ALL_RULES.items():
        wanted = max(_length(code, select or ()), _length(code, extend))
        if select is None and rule.default:
            wanted = max(wanted, 0)
        unwanted = _length(code, ignore)
        if rule.always:
            keep = code not in ignore
        else:
            keep = wanted >= 0 and wanted > unwanted
        if keep and not (matches(code, ignored_here) and not rule.always):
            on.append(code)
    return frozenset(on)


def matches(code: str, selectors: Iterable[str]) -> bool:
    """Whether a code is that of one of the selectors, or begins with one."""
    return any(code.startswith(selector) for selector in selectors)


def _length(code: str, selectors: Iterable[str]) -> int:
    """The length of the longest selector of a code, -1 if there is none."""
    lengths = (len(one) for one in selectors if code.startswith(one))
    return max(lengths, default=-1)
