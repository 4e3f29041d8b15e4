"""A program -> the timelines of its functions."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from astgen.check import scan
from astgen.errors import InvalidProgramError
from astgen.garbage import paused
from astgen.lint.advice.facts import Body, Facts, gather
from astgen.provenance.model import FunctionOrigins, Provenance, Value
from astgen.review.programs import ReadProgram
from astgen.review.timeline.lanes import held, kind_of, lane, needless
from astgen.review.timeline.lives import Life, held_too_long, is_late, lives, needed
from astgen.review.timeline.model import Call, Lane, Timeline, Timelines
from astgen.review.timeline.values import values_of

__all__ = ["timelines"]


@paused()
def timelines(program: ReadProgram, namespaces: Sequence[str] = ()) -> Timelines:
    """Find out how long the values of a program live.

    Args:
        program: The program.
        namespaces: Operator namespaces that are allowed beside the usual ones.

    Returns:
        The timelines of its functions: with storages, where it is known what the
        statements were made of.

    Raises:
        InvalidProgramError: It is no generated code.
    """
    dialect = program.dialect(namespaces)
    scanned = scan(program.code, dialect=dialect)
    if scanned.tree is None or not scanned.in_grammar:
        raise InvalidProgramError(scanned.findings)
    facts = gather(scanned.tree, dialect)
    said = program.provenance or Provenance()
    # Where storages are known, they tell what a parameter without a `del` holds.
    profile = "vllm-0.32" if said.functions else program.profile
    reader = _Reader(facts, said, held_too_long(facts, profile, program.code))
    names = program.submod_names or ()
    functions = {
        name: reader.timeline(body, names) for name, body in facts.functions.items()
    }
    storages = tuple((one.size, one.owner) for one in said.storages)
    return Timelines(functions, said.symbols, storages, said.pieces)


class _Reader:
    """Lays out the functions of one program."""

    def __init__(self, facts: Facts, said: Provenance, too_long: set[int]) -> None:
        self.facts = facts
        self.said = said
        self.too_long = too_long

    def timeline(self, body: Body, names: Sequence[str | None]) -> Timeline:
        found = lives(self.facts, body)
        origins = self.said.functions.get(body.node.name)
        if origins and len(origins.statements) != len(body.node.body):
            origins = None
        values = self.values(body, found, origins)
        lanes = [self.lane(body, *pair) for pair in zip(found, values)]
        last = [needed(body, life) for life in found]
        return Timeline(
            body.node.name,
            tuple((one.lineno, one.end_lineno or one.lineno) for one in body.node.body),
            tuple(needless(lanes, last, self.said.storages)),
            "values" if origins is None else "bytes",
            held(lanes, self.said.storages),
            tuple(_calls(body, names)),
        )

    def values(
        self, body: Body, found: list[Life], origins: FunctionOrigins | None
    ) -> list[Value | None]:
        if origins is None:
            return [None] * len(found)
        return [*values_of(self.facts.dialect, body, found, origins)]

    def lane(self, body: Body, life: Life, value: Value | None) -> Lane:
        kind = kind_of(life, value, self.said.storages)
        made = lane(life, kind, value)
        if kind == "parameter":
            return made
        is_missing = not life.is_deleted and id(life.node) in self.too_long
        if kind == "input" and self.said.functions and not made.storages:
            # What holds no memory needs no `del`.
            is_missing = False
        return replace(
            made, is_late=is_late(self.facts, body, life), is_missing=is_missing
        )


def _calls(body: Body, names: Sequence[str | None]) -> Iterator[Call]:
    starts = [_start(one) for one in body.node.body]
    for use in body.uses:
        statement = bisect_right(starts, _start(use.node)) - 1
        if use.slot is None:
            yield Call(statement, "function", use.name)
        else:
            name = names[use.slot] if use.slot < len(names) else None
            yield Call(statement, "piece", name or "")


def _start(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset
