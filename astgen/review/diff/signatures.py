"""The parameters of two functions."""

from __future__ import annotations

from collections.abc import Callable

from astgen.review.diff.difference import Difference, Place
from astgen.review.diff.sequences import matched
from astgen.structure.lines import Function, Hole, Parameter

__all__ = ["compare_signatures"]


Agree = Callable[[Hole, Hole], bool]
"""Whether what is in two holes may be the same."""


def compare_signatures(
    left: Function, right: Function, agree: Agree
) -> tuple[list[Difference], dict[int, int]]:
    """Compare the parameters of two functions, whose names do not count.

    Args:
        left: One function.
        right: The other one.
        agree: Compares what is in defaults.

    Returns:
        The differences, one at most, and which parameter of the right each of the
        left is: by position, or by name where their number differs. The first
        parameter is -1, the second -2.
    """
    pairs = _paired(left.parameters, right.parameters)
    details = []
    to_left = {other: one for one, other in pairs.items()}
    for place, one in enumerate(left.parameters):
        if place not in pairs:
            details.append(f"parameter {place} ({one.name}) was removed")
            continue
        other = right.parameters[pairs[place]]
        if not _same(one, other, agree):
            details.append(
                f"parameter {place} ({one.name}) is {_kind(other)}, was {_kind(one)}"
            )
    for place, one in enumerate(right.parameters):
        if place not in to_left:
            details.append(f"parameter {place} ({one.name}) was added")
    if left.takes_pieces != right.takes_pieces:
        details.append(
            f"the list of pieces is {right.takes_pieces or 'not taken'}, "
            f"was {left.takes_pieces or 'not taken'}"
        )
    values = {-1 - one: -1 - other for one, other in pairs.items()}
    if not details:
        return [], values
    here, there = (
        Place(one.name, one.number, f"def {one.name}(...)") for one in (left, right)
    )
    detail = "; ".join(details)
    return [Difference("signature changed", here, there, detail)], values


def _paired(left: list[Parameter], right: list[Parameter]) -> dict[int, int]:
    if len(left) == len(right):
        return {place: place for place in range(len(left))}
    return dict(matched([one.name for one in left], [one.name for one in right]))


def _same(left: Parameter, right: Parameter, agree: Agree) -> bool:
    named = "keyword" in (left.kind, right.kind) and left.name != right.name
    if named or (left.kind, left.default) != (right.kind, right.default):
        return False
    holes = list(zip(left.holes, right.holes))
    if any(one.kind != other.kind for one, other in holes):
        return False
    return all([agree(one, other) for one, other in holes])


def _kind(one: Parameter) -> str:
    """What callers have to know of a parameter."""
    name = f" {one.name}" if one.kind == "keyword" else ""
    return f"{one.kind}{name}" + (f" = {one.text}" if one.default else "")
