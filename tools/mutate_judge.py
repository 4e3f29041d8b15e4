"""Mutants made, classed by the oracle and shown to the checker; the counts of both.

Mutants that lost a del are shown to the linter as well, since they may run.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

import mutate_calls
import mutate_functions
import mutate_lifetimes
import mutate_names
import mutate_paths
import mutate_syntax
from astgen.check import check
from mutate_program import Change, Program, Source
from mutate_run import broken

__all__ = ["OPERATORS", "Count", "Judged", "flagged", "judge", "mutants"]

OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    **mutate_names.OPERATORS,
    **mutate_calls.OPERATORS,
    **mutate_functions.OPERATORS,
    **mutate_paths.OPERATORS,
    **mutate_syntax.OPERATORS,
}
"""What makes mutants, by name."""


@dataclass(frozen=True)
class Judged:
    """A mutant, what the oracle says of it, and what the checker says.

    Attributes:
        operator: What made it.
        program: The program that it was made of.
        text: The mutant.
        reason: Why it is structurally broken, or holds a value for too long; None if
            it is a valid program.
        rules: The codes of the checker's findings, then of those of lint.
    """

    operator: str
    program: Program
    text: str
    reason: str | None
    rules: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether oracle and checker agree."""
        return (self.reason is not None) == bool(self.rules)

    def __str__(self) -> str:
        lines = difflib.unified_diff(
            self.program.text.splitlines(),
            self.text.splitlines(),
            fromfile=self.program.name,
            tofile=self.operator,
            lineterm="",
            n=1,
        )
        verdict = self.reason or "a valid program"
        found = " ".join(self.rules) or "no finding"
        return "\n".join([f"oracle: {verdict}; checker: {found}", *lines])


@dataclass
class Count:
    """The mutants of one operator.

    Attributes:
        made: All of them.
        structural: Those that the oracle calls broken.
        flagged: Those of them that the checker refuses.
        valid: Those that are valid programs, which no checker can tell from the
            original; a digest and `astgen diff` can.
        refused: Those of them that the checker refuses all the same.
    """

    made: int = 0
    structural: int = 0
    flagged: int = 0
    valid: int = 0
    refused: int = 0
    rules: dict[str, int] = field(default_factory=dict)

    @property
    def missed(self) -> int:
        """Structural mutants that the checker accepts."""
        return self.structural - self.flagged

    def add(self, judged: Judged) -> None:
        """Count a mutant."""
        self.made += 1
        if judged.reason is None:
            self.valid += 1
            self.refused += bool(judged.rules)
        else:
            self.structural += 1
            self.flagged += bool(judged.rules)
        for rule in set(judged.rules):
            self.rules[rule] = self.rules.get(rule, 0) + 1


def mutants(
    program: Program, limit: int | None, seed: int
) -> Iterator[tuple[str, str]]:
    """The mutants of a program.

    Args:
        program: A valid program.
        limit: How many of each operator at most; they are drawn evenly.
        seed: What the drawing depends on, beside the program's name.

    Yields:
        The operator's name and the mutant; none twice for an operator.
    """
    source = Source(program)
    for name, make in OPERATORS.items():
        changes = _drawn(make(source), limit, Random(f"{seed} {program.name} {name}"))
        texts = dict.fromkeys(source.mutant(change) for change in changes)
        texts.pop(program.text, None)
        for text in texts:
            yield name, text


def _drawn(made: Iterator[Change], limit: int | None, random: Random) -> list[Change]:
    """Some of many, without keeping the others: each is as likely as any other."""
    kept: list[Change] = []
    for number, change in enumerate(made):
        if limit is None or number < limit:
            kept.append(change)
        elif (place := random.randrange(number + 1)) < limit:
            kept[place] = change
    return kept


def judge(
    program: Program, limit: int | None = None, seed: int = 0
) -> Iterator[Judged]:
    """Make the mutants of a program and judge each.

    Raises:
        ValueError: The program itself is not valid.
    """
    reason, rules = broken(program, program.text), flagged(program, program.text)
    if reason or rules:
        found = reason or " ".join(rules)
        raise ValueError(f"{program.name} is no valid program: {found}")
    for name, text in mutants(program, limit, seed):
        reason, rules = broken(program, text), flagged(program, text)
        if name in mutate_lifetimes.OPERATORS:
            reason = reason or mutate_lifetimes.forgotten(program, text)
            rules += mutate_lifetimes.noted(program, text)
        yield Judged(name, program, text, reason, rules)


def flagged(program: Program, text: str) -> tuple[str, ...]:
    """The codes of the checker's findings in a mutant of a program."""
    found = check(
        text,
        consts=program.consts,
        submods=program.submods,
        dialect=program.dialect,
    )
    return tuple(finding.rule for finding in found)
