"""The readable graphs of two caches, as `astgen diff` shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from astgen.lint.sources.refusal import display
from astgen.review.diff.readable import (
    GraphLine,
    compare_graphs,
    find_graphs,
    read_graph,
)

__all__ = ["compared_graphs", "graph_lines"]

_SHOWN = 50
_WIDEST = 160


def compared_graphs(left: str, right: str) -> list[dict[str, Any]]:
    """Compare the graphs of two caches, as values of JSON.

    Args:
        left: One folder.
        right: The other one.

    Returns:
        For each pair of graphs the files and the lines that differ. Graphs are paired
        in order, or by their paths if one folder has more; nothing if one is none.

    Raises:
        ArtifactError: A graph cannot be read.
    """
    if not (os.path.isdir(left) and os.path.isdir(right)):
        return []
    files = find_graphs(left), find_graphs(right)
    if len(files[0]) != len(files[1]):
        both = sorted({*files[0]} & {*files[1]})
        files = both, both
    found = []
    for names in zip(*files):
        paths = [os.path.join(*one) for one in zip((left, right), names)]
        lines = compare_graphs(*map(read_graph, paths))
        found.append(
            {
                "left": display(paths[0]),
                "right": display(paths[1]),
                "differences": [
                    {"left": _record(one), "right": _record(other)}
                    for one, other in lines
                ],
            }
        )
    return found


def graph_lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A comparison of two graphs as lines with their styles."""
    yield "head", f"--- {found['left']}\n+++ {found['right']}"
    differences = found["differences"]
    for one in differences[:_SHOWN]:
        known = one["right"] or one["left"]
        yield "head", f"line {known['line']}: {known['place']}"[:_WIDEST]
        for side, style, sign in (("left", "removed", "-"), ("right", "added", "+")):
            if one[side] is not None:
                yield style, f"  {sign} {one[side]['text'][:_WIDEST]}"
        yield "", ""
    if len(differences) > _SHOWN:
        yield "note", f"and {len(differences) - _SHOWN} more lines"
    count = len(differences)
    told = f"{count} line{'s differ' if count != 1 else ' differs'}"
    yield "head", f"graphs of the pieces: {told if count else 'identical'}"


def _record(line: GraphLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    text = line.text if line.text.isprintable() else ascii(line.text)[1:-1]
    place = line.place if line.place.isprintable() else ascii(line.place)[1:-1]
    return {"line": line.number, "place": place, "text": text}
