"""Do the ranks of a job run the same program? Collectives that do not match hang.

Correct ranks of tensor parallelism differ in literals and constants (the range of a
vocabulary, an offset), so programs are compared without these first. The order, the
targets and the shapes of collectives have to be the same on all ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch.distributed as dist

from astgen.backend.backend import CompiledGraph
from astgen.backend.statements import Statement, collectives, statements
from astgen.errors import RankError
from astgen.program import Program, generate

__all__ = ["LiteralDifference", "RankReport", "check_ranks"]

_MISSING = Statement("(no statement)", "(no statement)", ())


@dataclass(frozen=True)
class LiteralDifference:
    """A statement in which ranks differ in nothing but literals or constants.

    Attributes:
        place: Which statement of the program, from 0.
        texts: What it is on each rank.
    """

    place: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class RankReport:
    """What `check_ranks` found.

    Attributes:
        ranks: How many ranks were compared.
        statements: How many statements each has.
        collectives: How many collectives each has.
        literals: Where they differ in literals or constants.
    """

    ranks: int
    statements: int
    collectives: int
    literals: tuple[LiteralDifference, ...] = ()


def check_ranks(
    program: Program | CompiledGraph,
    group: dist.ProcessGroup | None = None,
    *,
    literals: Literal["report", "raise"] = "report",
) -> RankReport:
    """Compare the program of this rank with those of all others; a collective call.

    Args:
        program: What this rank runs. Of a `CompiledGraph`, the pieces are compared
            as well, and the shapes of what collectives are given; of a `Program`,
            its text.
        group: The ranks that compare; all of the job by default.
        literals: What happens where nothing but literals and constants differ.

    Returns:
        What was compared, the same on each rank.

    Raises:
        RankError: On every rank, with the first statement in which they differ.
    """
    if literals not in ("report", "raise"):
        raise ValueError(f"literals is {literals!r}; choose 'report' or 'raise'")
    if isinstance(program, CompiledGraph):
        # With nothing compiled, all pieces become functions of one text.
        whole = generate(program.split.gm)
        calls = collectives(program.split.gm)
    else:
        whole, calls = program, []
    mine = statements(whole)
    shapes = [Statement(call, call, ()) for call in calls]
    structure = [one.structure for one in (*shapes, *mine)]
    details = [one.literals for one in (*shapes, *mine)]
    digests = _gathered((_digest(structure), _digest(details)), group)
    if len({structure for structure, _ in digests}) > 1:
        # All ranks have the same digests, so all of them come here.
        _raise_first("a collective", _gathered(shapes, group))
        _raise_first("a statement", _gathered(mine, group))
    found: tuple[LiteralDifference, ...] = ()
    if len(set(digests)) > 1:
        found = tuple(_literal_differences(_gathered(mine, group)))
    if found and literals == "raise":
        first = found[0]
        raise _error(f"literals of statement {first.place} differ", first.texts)
    count = sum(one.is_collective for one in mine)
    return RankReport(len(digests), len(mine), count, found)


def _digest(lines: Sequence[Any]) -> str:
    return hashlib.sha256(repr(lines).encode("utf-8", "replace")).hexdigest()


def _gathered(value: Any, group: dist.ProcessGroup | None) -> list[Any]:
    """The value of each rank. What is sent are texts; PyTorch pickles them."""
    values: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(values, value, group=group)
    return values


def _raise_first(what: str, of_ranks: Sequence[Sequence[Statement]]) -> None:
    for place in range(max(map(len, of_ranks))):
        row = [ranks[place] if place < len(ranks) else _MISSING for ranks in of_ranks]
        if len({one.structure for one in row}) > 1:
            texts = tuple(one.text for one in row)
            raise _error(f"{what}, number {place}, differs", texts)


def _literal_differences(
    of_ranks: Sequence[Sequence[Statement]],
) -> list[LiteralDifference]:
    return [
        LiteralDifference(place, tuple(one.shown for one in row))
        for place, row in enumerate(zip(*of_ranks))
        if len({one.literals for one in row}) > 1
    ]


def _error(what: str, texts: Sequence[str]) -> RankError:
    by_text: dict[str, list[str]] = {}
    for rank, text in enumerate(texts):
        by_text.setdefault(text, []).append(str(rank))
    lines = [
        f"\n  rank{'s' * (len(ranks) > 1)} {', '.join(ranks)}: {text}"
        for text, ranks in by_text.items()
    ]
    return RankError(
        f"the ranks do not run the same program: {what}; compile the same model with "
        "the same options and shapes on all of them" + "".join(lines),
        tuple(texts),
    )
