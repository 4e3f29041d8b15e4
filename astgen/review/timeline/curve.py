"""How much memory the values of each function take, statement by statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from astgen.provenance.model import PieceOrigins
from astgen.provenance.sizes import evaluate
from astgen.review.timeline.model import Span, Timeline, Timelines, Unit
from astgen.review.timeline.sums import largest, samples

__all__ = ["Curve", "curves"]


@dataclass(frozen=True)
class Curve:
    """The memory of a function, for given sizes.

    Attributes:
        unit: What is counted: bytes, or values.
        samples: For each statement what is alive after it, without what the model
            owns; for a return, what is alive when it returns.
        peak: The largest of the samples.
        peak_at: The first statement with that sample.
        owned: What the model owns of what the function takes.
        unknown: How many values, those of the model aside, have no known size; bytes
            are without them.
        inside: For each statement what the piece or the function that it calls needs
            by itself while it runs; 0 where nothing is called, None where it is not
            known. It is in no sample. Calls that share a function need what the
            first of them does: only its values are known.
        needless: For each value with a late or missing `del`, by its place in the
            lanes, what it holds although nothing needs it; in values, 1.
    """

    unit: Unit
    samples: tuple[int, ...]
    peak: int
    peak_at: int
    owned: int
    unknown: int
    inside: tuple[int | None, ...]
    needless: Mapping[int, int]


def curves(lines: Timelines, symbols: Mapping[str, int]) -> dict[str, Curve]:
    """Compute the curves of all functions.

    Args:
        lines: The timelines of a program.
        symbols: The value of each symbolic size.

    Returns:
        The curves, by the names of the functions.
    """
    computer = _Computer(lines, symbols)
    # Functions stand behind those that they call.
    return {name: computer.curve(one) for name, one in lines.functions.items()}


class _Computer:
    def __init__(self, lines: Timelines, symbols: Mapping[str, int]) -> None:
        self.sizes = [evaluate(size, symbols) for size, _ in lines.storages]
        self.pieces = {
            name: _piece(piece, symbols) for name, piece in lines.pieces.items()
        }
        self.functions: dict[tuple[str, Unit], int] = {}

    def curve(self, timeline: Timeline) -> Curve:
        count = timeline.statements
        inside = self.inside(timeline)
        own = samples(self.counted(timeline, given=False), count)
        # While a call runs, what was there before is there, and what it needs itself.
        during = (now + (more or 0) for now, more in zip([0, *own], inside))
        self.functions[timeline.name, timeline.unit] = max(*own, *during)
        found = samples(self.counted(timeline, given=True), count)
        peak = max(found)
        return Curve(
            timeline.unit,
            tuple(found),
            peak,
            found.index(peak),
            self.owned(timeline),
            sum(
                not one.is_known or any(self.sizes[at] is None for at in one.storages)
                for one in timeline.lanes
                if one.kind != "parameter"
            ),
            tuple(inside),
            self.needless(timeline),
        )

    def counted(self, timeline: Timeline, *, given: bool) -> Iterator[tuple[Span, int]]:
        """What a curve counts; what parameters bring in only if that is wanted."""
        if timeline.unit == "values":
            for lane in timeline.lanes:
                if lane.kind == "value" or (given and lane.kind == "input"):
                    yield lane.span, 1
            return
        for held in timeline.held:
            if not held.owner and (given or not held.is_given):
                size = self.sizes[held.storage] or 0
                yield from ((span, size) for span in held.spans)

    def owned(self, timeline: Timeline) -> int:
        if timeline.unit == "values":
            return sum(one.kind == "parameter" for one in timeline.lanes)
        return self.sum(one.storage for one in timeline.held if one.owner)

    def needless(self, timeline: Timeline) -> dict[int, int]:
        is_values = timeline.unit == "values"
        return {
            place: 1 if is_values else self.sum(one.needless)
            for place, one in enumerate(timeline.lanes)
            if one.is_late or one.is_missing
        }

    def sum(self, storages: Iterable[int]) -> int:
        return sum(self.sizes[one] or 0 for one in storages)

    def inside(self, timeline: Timeline) -> list[int | None]:
        """What the calls of each statement need; of more than one, the most."""
        found: list[int | None] = [0] * timeline.statements
        for call in timeline.calls:
            if call.kind == "function":
                needs = self.functions.get((call.name, timeline.unit))
            elif timeline.unit == "bytes":
                needs = self.pieces.get(call.name)
            else:
                needs = None
            before = found[call.statement]
            both = needs is not None and before is not None
            found[call.statement] = max(needs or 0, before or 0) if both else None
        return found


def _piece(piece: PieceOrigins, symbols: Mapping[str, int]) -> int | None:
    """The most that a piece needs at a time; None if a size is not known."""
    found: list[tuple[Span, int]] = []
    for one in piece.memory:
        size = evaluate(one.size, symbols)
        if size is None:
            return None
        found.append(((one.first, one.last + 1), size))
    return largest(found)
