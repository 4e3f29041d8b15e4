"""Timelines as data for JSON, for a page that draws them for sizes of its own."""

from __future__ import annotations

from typing import Any

from astgen.review.timeline.model import Lane, Timeline, Timelines

__all__ = ["KINDS", "as_data"]

KINDS = ("parameter", "input", "value")
"""What the numbers of kinds stand for."""

_LATE, _MISSING = 1, 2


def as_data(lines: Timelines) -> dict[str, Any]:
    """Lay timelines out as lists and dicts of numbers and strings.

    The layout, where a size is a number, the name of a symbol, a list such as
    `["*", 4, "s72"]` (see `astgen.provenance.sizes`), or null if it is not known::

        {
          "symbols": [[name, hint or null, low, high or null], ...],
          "storages": [[size, owner], ...],
          "pieces": {name: [operators, [[size, first, last], ...]], ...},
          "functions": [
            {
              "name": name,
              "unit": "bytes" or "values",
              "lines": [[first line, last line], ...],
              "lanes": [[name, kind, first, last use, end, flags, type,
                         storages or null, needless], ...],
              "held": [[storage, is given, [first, end, first, end, ...]], ...],
              "calls": [[statement, "piece" or "function", name], ...]
            }, ...
          ]
        }

    Kinds are places in `KINDS`, flags 1 for late and 2 for missing, storages places in
    `storages`; an owner is empty if the model does not own the storage. "lines" has a
    row for each statement. A value or a storage is in the samples from `first` (from
    0 where that is -1) up to and without `end`. Functions stand behind those that they
    call.

    The curve of a function: sample i is the sum of the sizes of the storages without
    an owner that have a span with first <= i < end; if the unit is "values", the
    number of lanes that are no parameters and have i in their span. What the model
    owns: the sum of the sizes of held storages with an owner. What a lane holds
    needlessly: the sum of the sizes of its needless ones.

    What a call needs by itself: for a piece the largest sum of the sizes of the rows
    with first <= n <= last, over the nodes n. For a function: let own(i) be sample i
    of its curve without what is given (if the unit is "values", lanes of the kind
    "value" only), own(-1) = 0, and inside(i) the most that a call in statement i needs
    by itself (pieces count 0 if the unit is "values"), 0 if nothing is called; then
    the largest of all own(i) and own(i - 1) + inside(i).

    Args:
        lines: The timelines.

    Returns:
        The data.
    """
    return {
        "symbols": [
            [name, one.hint, one.low, one.high] for name, one in lines.symbols.items()
        ],
        "storages": [[size, owner] for size, owner in lines.storages],
        "pieces": {
            name: [
                piece.operators,
                [[one.size, one.first, one.last] for one in piece.memory],
            ]
            for name, piece in lines.pieces.items()
        },
        "functions": [_function(one) for one in lines.functions.values()],
    }


def _function(timeline: Timeline) -> dict[str, Any]:
    return {
        "name": timeline.name,
        "unit": timeline.unit,
        "lines": [[*one] for one in timeline.lines],
        "lanes": [_lane(one) for one in timeline.lanes],
        "held": [
            [one.storage, int(one.is_given), [at for span in one.spans for at in span]]
            for one in timeline.held
        ],
        "calls": [[one.statement, one.kind, one.name] for one in timeline.calls],
    }


def _lane(lane: Lane) -> list[Any]:
    return [
        lane.name,
        KINDS.index(lane.kind),
        lane.first,
        lane.last_use,
        lane.end,
        _LATE * lane.is_late + _MISSING * lane.is_missing,
        lane.type,
        [*lane.storages] if lane.is_known else None,
        [*lane.needless],
    ]
