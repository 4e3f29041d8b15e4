"""The names that the pickles of one file import, counted and judged."""

from __future__ import annotations

from collections.abc import Collection

from astgen.check.finding import Finding, Rule
from astgen.check.report import shown
from astgen.lint.rules.pickles import PICKLE_GLOBAL, PICKLE_PAYLOAD
from astgen.lint.sources.pickle_machine import Reading
from astgen.lint.sources.pickle_names import imported, judge

__all__ = ["Tally"]

_MOST = 100
_MODULES = 6


class Tally:
    """Names over all pickles of a file, nested ones included."""

    def __init__(self, path: str, names: Collection[str]) -> None:
        """Start with nothing.

        Args:
            path: What the file is called in findings.
            names: Names that are allowed beside the listed ones.
        """
        self._path = path
        self._allowed = names
        self._names: set[str] = set()
        self._refused: dict[str, tuple[str, str]] = {}

    def add(self, reading: Reading, member: str) -> None:
        """Take in a pickle.

        Args:
            reading: Everything that it makes.
            member: Where in the file it stands.
        """
        self._names |= imported(reading.nodes)
        for name, why in judge(reading, self._allowed):
            known = self._refused.setdefault(name, (why, member))
            # A call says more than the import that comes before it.
            if known[0] == "is imported" != why:
                self._refused[name] = (why, member)

    def findings(self, member: str) -> list[Finding]:
        """What there is to say.

        Args:
            member: Where in the file the outermost pickle stands.

        Returns:
            A finding for each refused name, as far as they are not too many, and a
            note of what all the pickles import.
        """
        found = [
            self._finding(
                PICKLE_GLOBAL,
                place,
                f"{shown(name)} {why}",
                "do not load the file unless you know why it is there; "
                "a name that you trust can be allowed in the configuration",
            )
            for name, (why, place) in list(self._refused.items())[:_MOST]
        ]
        more = len(self._refused) - _MOST
        if more > 0:
            message = f"{more:,} further names are not known to be harmless"
            found.append(
                self._finding(PICKLE_GLOBAL, member, message, "do not load the file")
            )
        found.append(self._finding(PICKLE_PAYLOAD, member, self._summary(), _TRUST))
        return found

    def _summary(self) -> str:
        if not self._names:
            return "the file is a pickle, which imports no names"
        modules = sorted({name.partition(".")[0] for name in self._names})
        listed = ", ".join(shown(name) for name in modules[:_MODULES])
        more = len(modules) - _MODULES
        rest = f" and {more:,} more" if more > 0 else ""
        count = len(self._names)
        names = "1 name" if count == 1 else f"{count:,} names"
        return f"the file is a pickle, which imports {names} from {listed}{rest}"

    def _finding(self, rule: Rule, member: str, message: str, hint: str) -> Finding:
        return Finding(
            1, 1, 1, 1, rule.code, message, hint, path=self._path, member=member
        )


_TRUST = "load it only if you trust whoever could write to it"
