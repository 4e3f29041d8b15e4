"""Do the ranks of a job run the same program? Collectives that do not match hang.

Correct ranks of tensor parallelism differ in literals and constants (the range of a
vocabulary, an offset), so programs are compared without these first. The order, the
targets and the shapes of collectives have to be the same on all ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch.distributed as dist
from torch import fx

from astgen.backend.collectives import collectives
from astgen.backend.compiled import CompiledGraph
from astgen.backend.options import BackendOptions
from astgen.backend.splitting import split
from astgen.backend.statements import Statement, statements
from astgen.errors import RankError
from astgen.program import Program, generate

__all__ = ["LiteralDifference", "RankReport", "check_graph", "check_ranks"]

_Compared = tuple[list[Statement], list[Statement]]
"""The collectives with their shapes as far as they are known, the statements."""

_MISSING = Statement("(no statement)", "(no statement)")


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
        RankError: On every rank, with the first statement in which they differ, or
            with what went wrong on one of them before there was anything to compare.
    """
    return _checked(lambda: _compared(program), group, literals)


def check_graph(
    gm: fx.GraphModule, options: BackendOptions, group: dist.ProcessGroup | None = None
) -> RankReport:
    """Compare the graph of this rank with those of all others; a collective call.

    It is split, and nothing of it is compiled, so a rank that finds its program in a
    cache is compared with one that does not.

    Args:
        gm: The graph, as Dynamo hands it to a backend; it is not changed.
        options: Where it is split.
        group: The ranks that compare; all of the job by default.

    Returns:
        What was compared, the same on each rank.

    Raises:
        RankError: As `check_ranks` does.
    """
    return _checked(
        lambda: _of_split(split(gm, options.splitting_ops).gm), group, "report"
    )


def _checked(
    compared: Callable[[], _Compared], group: dist.ProcessGroup | None, literals: str
) -> RankReport:
    shapes: list[Statement] = []
    mine: list[Statement] = []
    failure: Exception | None = None
    try:
        if literals not in ("report", "raise"):
            raise ValueError(f"literals is {literals!r}; choose 'report' or 'raise'")
        shapes, mine = compared()
    except Exception as error:
        # The others are on their way to the comparison, and would wait for this rank.
        failure = error
    digests = _digests([*shapes, *mine])
    of_ranks = _agreed(failure, str(literals), digests, group)
    if len({structure for structure, _ in of_ranks}) > 1:
        # All ranks have the same digests, so all of them come here.
        _raise_first("a collective", _gathered(shapes, group))
        _raise_first("a statement", _gathered(mine, group))
    found: tuple[LiteralDifference, ...] = ()
    if len({*of_ranks}) > 1:
        found = tuple(_literal_differences(_gathered(mine, group)))
    if found and literals == "raise":
        first = found[0]
        raise _error(f"literals of statement {first.place} differ", first.texts)
    count = sum(one.is_collective for one in mine)
    return RankReport(len(of_ranks), len(mine), count, found)


def _compared(program: Program | CompiledGraph) -> _Compared:
    if not isinstance(program, CompiledGraph):
        return [], statements(program)
    return _of_split(program.split.gm)


def _of_split(gm: fx.GraphModule) -> _Compared:
    calls = [Statement(call, call) for call in collectives(gm)]
    # With nothing compiled, all pieces become functions of one text.
    return calls, statements(generate(gm))


def _digests(all_of_them: Sequence[Statement]) -> tuple[str, str]:
    """The digest of the structure, and that of literals and constants."""
    structure = repr([one.structure for one in all_of_them])
    literals = repr([one.literals for one in all_of_them])
    digests = [
        hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        for text in (structure, literals)
    ]
    return digests[0], digests[1]


def _agreed(
    failure: Exception | None,
    literals: str,
    digests: tuple[str, str],
    group: dist.ProcessGroup | None,
) -> list[tuple[str, str]]:
    """The digests of all ranks, if all of them have some and want the same."""
    said = "" if failure is None else f"{type(failure).__name__}: {failure}"
    failures, settings, of_ranks = zip(*_gathered((said, literals, digests), group))
    if any(failures):
        texts = [text or "nothing went wrong" for text in failures]
        raise _error("not all of them can be compared", texts) from failure
    if len({*settings}) > 1:
        raise _error("`literals` of check_ranks differs", settings)
    return [*of_ranks]


def _gathered(value: Any, group: dist.ProcessGroup | None) -> list[Any]:
    """The value of each rank. What is sent are texts; PyTorch pickles them."""
    values: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(values, value, group=group)
    return values


def _raise_first(what: str, of_ranks: Sequence[Sequence[Statement]]) -> None:
    for place in range(max(map(len, of_ranks))):
        row = [ranks[place] if place < len(ranks) else _MISSING for ranks in of_ranks]
        structures = [one.structure for one in row]
        if len({*structures}) > 1:
            texts = [one.shown for one in row]
            if len({*zip(texts, structures)}) > len({*texts}):
                # Names hide the difference, of parameters in another order, say.
                texts = [f"{t}  # {one}" for t, one in zip(texts, structures)]
            raise _error(f"{what}, number {place}, differs", texts)


def _literal_differences(
    of_ranks: Sequence[Sequence[Statement]],
) -> list[LiteralDifference]:
    found = []
    for place, row in enumerate(zip(*of_ranks)):
        literals = [one.literals for one in row]
        if len({*literals}) > 1:
            texts = [one.shown for one in row]
            if len({*zip(texts, literals)}) > len({*texts}):
                texts = [one.exact for one in row]
            found.append(LiteralDifference(place, tuple(texts)))
    return found


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
