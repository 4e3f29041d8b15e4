"""Round after round of mending, until nothing is left that could be mended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from astgen.check import Finding, check
from astgen.lint.fix.apply import fix

__all__ = ["mend"]

_ROUNDS = 100


def mend(
    text: str, lint: Callable[[str], Sequence[Finding]], *, layout: bool = False
) -> str:
    """Mend what can be mended without changing what a program computes.

    Args:
        text: The text of a program.
        lint: Gives the findings of a text that are to be mended. It is asked again
            after each round, since one mended line can show the next problem.
        layout: Whether the mended text is laid out by black.

    Returns:
        The mended text; to mend it again changes nothing. It has no more errors than
        the text had: a round that would add one is left out, and is the last.
    """
    text = _rounds(text, lint)
    if not layout:
        return text
    from astgen.lint.fix.layout import laid_out

    # The layout says who generated a text, so there may be something left to mend.
    return laid_out(_rounds(laid_out(text), lint))


def _rounds(text: str, lint: Callable[[str], Sequence[Finding]]) -> str:
    errors = None
    for _ in range(_ROUNDS):
        fixed = fix(text, lint(text))
        if fixed.text == text:
            break
        if errors is None:
            errors = len(check(text))
        left = len(check(fixed.text))
        if left > errors:
            break
        text, errors = fixed.text, left
    return text
