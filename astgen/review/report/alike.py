"""Which stretches of a function do the same, up to names and slots."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from astgen.review.shapes import Shaped

__all__ = ["key_of"]


def key_of(statements: Sequence[Shaped], places: Sequence[int]) -> Hashable:
    """Equal for statements that do the same, and pass on their values alike.

    Args:
        statements: The statements of a function.
        places: Those that are compared with others, in order.

    Returns:
        The shapes with, for each value that is taken, which of the statements bound
        it, or which of the values from elsewhere it is, counted as they come.
    """
    own = {place: index for index, place in enumerate(places)}
    outside: dict[object, int] = {}
    found: list[Hashable] = []
    for place in places:
        statement = statements[place]
        taken: list[tuple[str, int]] = []
        for value in statement.values:
            if value.origin in own:
                taken.append(("own", own[value.origin]))
            else:
                other = value.origin if value.origin >= 0 else value.name
                taken.append(("other", outside.setdefault(other, len(outside))))
        found.append((statement.shape, tuple(taken)))
    return tuple(found)
