"""The lives of the values of one function, and of the storages that they lie in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from astgen.dynamo_names import is_owned
from astgen.provenance.model import Storage, Value
from astgen.review.timeline.lives import Life
from astgen.review.timeline.model import Held, Kind, Lane, Span

__all__ = ["held", "kind_of", "lane", "needless"]


def kind_of(life: Life, value: Value | None, storages: Sequence[Storage]) -> Kind:
    """What kind of value it is.

    Args:
        life: Its life.
        value: What it is, None if that is not known; then its name has to say whether
            the model owns it.
        storages: All storages.
    """
    if life.first >= 0:
        return "value"
    if value is None:
        return "parameter" if is_owned(life.name) else "input"
    owned = [bool(storages[one].owner) for one in value.storages]
    return "parameter" if owned and all(owned) else "input"


def lane(life: Life, kind: Kind, value: Value | None) -> Lane:
    """The lane of a value."""
    made = Lane(life.name, kind, life.first, life.last_use, life.end)
    if value is None:
        return made
    return replace(made, type=value.type, storages=value.storages, is_known=True)


def held(lanes: Sequence[Lane], storages: Sequence[Storage]) -> tuple[Held, ...]:
    """When each storage is reachable from the values of a function.

    Args:
        lanes: Its values.
        storages: All storages.
    """
    spans = _spans(lanes, lambda one: one.span)
    given = {place for one in lanes if one.first < 0 for place in one.storages}
    return tuple(
        Held(place, storages[place].size, storages[place].owner, place in given, found)
        for place, found in spans.items()
    )


def needless(
    lanes: Sequence[Lane], needed: Sequence[int], storages: Sequence[Storage]
) -> list[Lane]:
    """Note what values with a late or missing `del` hold needlessly.

    Args:
        lanes: The values.
        needed: The last statement that needs each of them.
        storages: All storages.

    Returns:
        The values.
    """
    last = {id(one): place for one, place in zip(lanes, needed)}

    def rightly(one: Lane) -> Span:
        first, end = one.span
        if one.is_late or one.is_missing:
            end = min(end, last[id(one)] + 1)
        return first, end

    spans = _spans(lanes, rightly)
    found = []
    for one in lanes:
        if one.is_late or one.is_missing:
            rest = rightly(one)[1], one.end
            places = tuple(
                place
                for place in one.storages
                if not storages[place].owner and not _covers(spans[place], rest)
            )
            one = replace(one, needless=places)
        found.append(one)
    return found


def _spans(
    lanes: Iterable[Lane], span_of: Callable[[Lane], Span]
) -> dict[int, tuple[Span, ...]]:
    """The samples of each storage, in the order in which storages come up."""
    found: dict[int, list[Span]] = {}
    for one in lanes:
        for place in one.storages:
            found.setdefault(place, []).append(span_of(one))
    return {place: tuple(_union(spans)) for place, spans in found.items()}


def _union(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, end in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif first < end:
            merged.append((first, end))
    return merged


def _covers(spans: Sequence[Span], rest: Span) -> bool:
    """Whether one of the spans has all of the rest."""
    place = bisect_right(spans, (rest[0], rest[1])) - 1
    # A span that begins where the rest does may sort behind it.
    near = spans[max(place, 0) : place + 2]
    return any(first <= rest[0] and rest[1] <= end for first, end in near)
