"""The readable graphs that vLLM keeps in its cache, compared as text.

`computation_graph.py` (written by vLLM's backend with `print_readable` of torch.fx)
has the graph of every piece, with the lines of the model in comments. It is nothing
that runs, and nothing here reads it as Python.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from astgen.errors import ArtifactError
from astgen.lint.sources.blob import of_file
from astgen.lint.sources.kind import GRAPH
from astgen.lint.sources.refusal import Refused, display
from astgen.review.diff.sequences import anchors, matched

__all__ = ["GraphLine", "compare_graphs", "find_graphs", "read_graph"]

Keys = list[tuple[str, str]]

_MOST_BYTES = 64 << 20
_CLASS = re.compile(r"\s*class (\w+)\(")
_SOURCE = re.compile(r"\s*# File: (.*)")
_FREED = re.compile(r";  [\w =]+ = None$")
_WEIGHT = re.compile(r"[lL]_self_modules_(\w+?)_(?:parameters|buffers|closure)_")
_PACKAGES = re.compile(r"\S*/(?:site|dist)-packages/")


@dataclass(frozen=True)
class GraphLine:
    """A line of a graph.

    Attributes:
        piece: The piece that it is in.
        text: The line, without what is freed behind it.
        source: The line of the model that it comes from.
        near: The module of the weight that was named last in the piece.
        number: Where it stands in the file, from 1.
    """

    piece: str
    text: str
    source: str
    near: str
    number: int

    @property
    def place(self) -> str:
        """Where it is in the model, as far as that is known."""
        near = f"near {self.near}" if self.near else ""
        return ", ".join(part for part in (self.piece, near, self.source) if part)


def find_graphs(folder: str) -> list[str]:
    """The graphs in a cache, as paths below it, in order."""
    found = []
    for path, _, names in os.walk(folder):
        if GRAPH in names:
            found.append(os.path.relpath(os.path.join(path, GRAPH), folder))
    return sorted(found)


def read_graph(path: str) -> list[GraphLine]:
    """The lines of a graph that compute something.

    Raises:
        ArtifactError: It cannot be read, is too large, or is no regular file: opening
            a pipe can wait for ever.
    """
    try:
        data = of_file(path).load(_MOST_BYTES)
    except Refused as error:
        raise ArtifactError(
            error.message, path=display(path), rule=error.rule.code, hint=error.hint
        ) from error
    return list(_lines(data.decode("utf-8", "replace")))


def compare_graphs(
    left: list[GraphLine], right: list[GraphLine]
) -> list[tuple[GraphLine | None, GraphLine | None]]:
    """The lines that differ: each with its counterpart, if it has one.

    Args:
        left: The lines of one graph.
        right: Those of another one.
    """
    keys = [[(line.piece, line.text) for line in side] for side in (left, right)]
    found: list[tuple[GraphLine | None, GraphLine | None]] = []
    done = (0, 0)
    for one, other in [*_matched(*keys), (len(left), len(right))]:
        gone, new = left[done[0] : one], right[done[1] : other]
        for place in range(max(len(gone), len(new))):
            found.append(
                (
                    gone[place] if place < len(gone) else None,
                    new[place] if place < len(new) else None,
                )
            )
        done = one + 1, other + 1
    return found


def _matched(left: Keys, right: Keys) -> Iterator[tuple[int, int]]:
    """Lines that match: those that are there once, and between them the most."""
    start = (0, 0)
    for one, other in [*anchors(left, right), (len(left), len(right))]:
        gaps = left[start[0] : one], right[start[1] : other]
        for inner, its in matched(*gaps):
            yield start[0] + inner, start[1] + its
        if one < len(left):
            yield one, other
        start = one + 1, other + 1


def _lines(text: str) -> Iterator[GraphLine]:
    piece = source = near = ""
    for number, line in enumerate(text.split("\n"), 1):
        is_class, is_source = _CLASS.match(line), _SOURCE.match(line)
        if is_class is not None:
            piece, source, near = is_class[1], "", ""
        elif is_source is not None:
            source = _PACKAGES.sub("", is_source[1])
        elif line.strip() and not line.strip().startswith(("#", "def ")):
            for weight in _WEIGHT.finditer(line):
                near = _module(weight[1])
            text_ = _FREED.sub("", line.strip())
            yield GraphLine(piece, text_, source, near, number)


def _module(name: str) -> str:
    """`layers_modules_2_modules_mlp` is `layers.2.mlp`."""
    return re.sub(r"_modules_", ".", name)
