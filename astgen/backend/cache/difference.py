"""Why one entry of a cache is not the other: the ingredients that differ. No torch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Difference", "differences", "nearest"]

_MISSING = "(not there)"


@dataclass(frozen=True)
class Difference:
    """One ingredient that differs.

    Attributes:
        ingredient: Where it is (`options.pieces`, `graph[3]`).
        first: What it is in the first.
        second: What it is in the second.
        more: How many further ones differ in the same list.
    """

    ingredient: str
    first: str
    second: str
    more: int = 0


def differences(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> list[Difference]:
    """The ingredients that differ; of a list, the first item that does."""
    return list(_differences("", first, second))


def nearest(
    wanted: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]
) -> str | None:
    """The name of the one among `others` that differs in the least."""
    if not others:
        return None
    return min(others, key=lambda name: (_distance(wanted, others[name]), name))


def _distance(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[int, int]:
    found = differences(first, second)
    kinds = {one.ingredient.partition(".")[0].partition("[")[0] for one in found}
    return len(kinds), sum(1 + one.more for one in found)


def _differences(where: str, first: Any, second: Any) -> Iterator[Difference]:
    if isinstance(first, dict) and isinstance(second, dict):
        for name in _names(first, second):
            below = f"{where}.{name}" if where else name
            yield from _differences(
                below, first.get(name, _MISSING), second.get(name, _MISSING)
            )
    elif isinstance(first, list) and isinstance(second, list):
        length = max(len(first), len(second))
        left, right = _filled(first, length), _filled(second, length)
        places = [i for i in range(length) if left[i] != right[i]]
        if places:
            at = places[0]
            shown = str(left[at]), str(right[at])
            yield Difference(f"{where}[{at}]", *shown, len(places) - 1)
    elif first != second:
        yield Difference(where, _shown(first), _shown(second))


def _names(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))


def _filled(items: list[Any], length: int) -> list[Any]:
    return items + [_MISSING] * (length - len(items))


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"{len(value)} items"
    return str(value)
