"""Findings and the comments of their file -> findings that nobody has looked at.

A comment that suppresses nothing is a finding itself (AG901). What nobody knows by
that name may be a slip of the pen, so it is pointed out and never removed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Set
from difflib import get_close_matches
from itertools import islice

from astgen.check.finding import Edit, Finding
from astgen.check.report import shown
from astgen.lint.comments import Suppression, comments
from astgen.lint.rules import ALL_RULES
from astgen.lint.rules.engine import NEVER_KNOWN
from astgen.lint.rules.suppression import UNUSED_SUPPRESSION

__all__ = ["Suppressions", "suppressions"]

_NAMES = {rule.name: rule.code for rule in ALL_RULES.values()}
_LEAST_LENGTH = len("AG1")
_KNOWN = {
    code[:length]
    for code in ALL_RULES
    for length in range(_LEAST_LENGTH, len(code) + 1)
}
"""Codes, and beginnings of codes that say which family is meant."""

_EVERYWHERE = 0
_MOST = 100
_MOST_CODES = 5
"""Of more complaints, and of more codes in one, the first ones say enough."""

_CLOSE = 0.8
_LONGEST = 50


class Suppressions:
    """The suppressing comments of a file.

    Args:
        found: The comments, in the order of the text.
        path: The file.
    """

    def __init__(self, found: Iterable[Suppression] = (), path: str = "") -> None:
        self.path = path
        self.comments = tuple(found)
        self._places = {
            (_line(comment), _code(word))
            for comment in self.comments
            if not comment.misplaced
            for word in comment.codes
        }

    def apply(
        self, findings: Iterable[Finding], active: Set[str]
    ) -> tuple[list[Finding], int]:
        """Leave out what is suppressed.

        Args:
            findings: All findings of the file under active rules.
            active: The codes of the rules that are on. A comment about another rule
                may be of use when that one is on.

        Returns:
            The other findings, with the comments that suppress nothing where they
            stand; and how many are suppressed.
        """
        found = list(findings)
        if not self.comments:
            return found, 0
        used: set[tuple[int, str]] = set()
        kept = [finding for finding in found if not self._suppress(finding, used)]
        # Where not all was judged, nobody knows what a comment is good for.
        judged = not any(finding.rule in NEVER_KNOWN for finding in found)
        if judged and UNUSED_SUPPRESSION.code in active:
            for finding in list(islice(self._unused(used, active), _MOST)):
                found.append(finding)
                if not self._suppress(finding, used):
                    insort(kept, finding)
        return kept, len(found) - len(kept)

    def _suppress(self, finding: Finding, used: set[tuple[int, str]]) -> bool:
        if finding.rule in NEVER_KNOWN:
            return False
        covering = {
            (line, finding.rule[:length])
            for line in (_EVERYWHERE, finding.line, finding.end_line)
            for length in range(_LEAST_LENGTH, len(finding.rule) + 1)
        } & self._places
        used |= covering
        return bool(covering)

    def _unused(
        self, used: Set[tuple[int, str]], active: Set[str]
    ) -> Iterator[Finding]:
        for comment in self.comments:
            unknown = [word for word in comment.codes if _code(word) not in _KNOWN]
            dead = [
                word
                for word in comment.codes
                if _code(word) in _KNOWN
                and (_line(comment), _code(word)) not in used
                and _could_be_used(_code(word), active)
            ]
            if comment.misplaced:
                message = "'ignore-file' suppresses nothing below code"
                yield self._complaint(comment, message, "move it above all code")
                continue
            if not comment.codes:
                message = "a comment without codes suppresses nothing"
                hint = "name what it is about, as in '# astgen: ignore[AG203]'"
                yield self._complaint(comment, message, hint)
            if unknown:
                message = f"no rule is called {_listed(unknown)}"
                yield self._complaint(comment, message, _meant(unknown[:_MOST_CODES]))
            if dead:
                where = "in this file" if comment.everywhere else "on this line"
                message = f"nothing {where} breaks {_listed(dead)}"
                edit = comment.without(dead)
                yield self._complaint(comment, message, _way_out(dead), edit)

    def _complaint(
        self, comment: Suppression, message: str, hint: str, *edits: Edit
    ) -> Finding:
        return Finding(
            line=comment.line,
            column=comment.column,
            end_line=comment.line,
            end_column=comment.end_column,
            rule=UNUSED_SUPPRESSION.code,
            message=message,
            hint=hint,
            path=self.path,
            edits=edits,
        )


def suppressions(text: str, path: str = "") -> Suppressions:
    """Find the suppressing comments of a text.

    Args:
        text: Any text.
        path: The file that it is from.

    Returns:
        The comments, for findings of this text.
    """
    return Suppressions(comments(text), path)


def _line(comment: Suppression) -> int:
    return _EVERYWHERE if comment.everywhere else comment.line


def _listed(codes: list[str]) -> str:
    more = len(codes) - _MOST_CODES
    listed = ", ".join(map(shown, codes[:_MOST_CODES]))
    return f"{listed} and {more} more" if more > 0 else listed


def _code(word: str) -> str:
    """The code, or the beginning of codes, that a word stands for, as on --select."""
    return _NAMES.get(word.lower(), word.upper())


def _rules(code: str) -> set[str]:
    return {rule for rule in ALL_RULES if rule.startswith(code)}


def _could_be_used(code: str, active: Set[str]) -> bool:
    """Whether it says something that a comment with this code is of no use now."""
    if UNUSED_SUPPRESSION.code.startswith(code):
        return False
    rules = _rules(code)
    return rules <= NEVER_KNOWN or bool(rules & active)


def _meant(unknown: Iterable[str]) -> str:
    for word in unknown:
        # What is much longer than a name is none, and takes long to compare.
        for said, known in ((word.lower(), _NAMES), (word.upper(), ALL_RULES)):
            close = get_close_matches(said[:_LONGEST], known, n=1, cutoff=_CLOSE)
            if close:
                return f"did you mean {close[0]!r}?"
    return "see 'astgen rule'"


def _way_out(dead: Iterable[str]) -> str:
    for word in dead:
        if _rules(_code(word)) <= NEVER_KNOWN:
            return f"{word} cannot be suppressed; remove what suppresses nothing"
    return "remove what suppresses nothing"
