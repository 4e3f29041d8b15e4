"""A node of the layer tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from astgen.review.report.visible import visible

__all__ = ["Node", "joined", "numbered", "spans"]

_LISTED = 6


@dataclass
class Node:
    """Statements that belong together.

    Attributes:
        label: What people know them by.
        spans: Their blocks, as first ones and ones behind the last.
        note: What is to be said of them.
        kind: `module`, `row`, `group` (of nodes that are equal up to names), `rest`
            or `function`.
        is_odd: Whether they differ from others that are alike.
        nodes: What they consist of.
    """

    label: str
    spans: list[tuple[int, int]] = field(default_factory=list)
    note: str = ""
    kind: str = "module"
    is_odd: bool = False
    nodes: list[Node] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return sum(end - start for start, end in self.spans)

    def data(self) -> dict[str, Any]:
        """The node as a value of JSON."""
        return {
            "label": visible(self.label),
            "spans": [[*span] for span in self.spans],
            "count": self.count,
            "note": visible(self.note),
            "kind": self.kind,
            "odd": int(self.is_odd),
            "nodes": [one.data() for one in self.nodes],
        }


def spans(blocks: list[int]) -> list[tuple[int, int]]:
    """Ascending blocks as stretches."""
    found: list[tuple[int, int]] = []
    for block in blocks:
        if found and found[-1][1] == block:
            found[-1] = found[-1][0], block + 1
        else:
            found.append((block, block + 1))
    return found


def joined(parts: list[Node]) -> list[tuple[int, int]]:
    """The stretches of several nodes."""
    blocks = {
        block
        for one in parts
        for start, end in one.spans
        for block in range(start, end)
    }
    return spans(sorted(blocks))


def numbered(names: list[str]) -> str:
    """Names in a list; what stands in front of a number is said once."""
    shown = names
    if len(names) > _LISTED:
        shown = [*names[: _LISTED - 2], "...", names[-1]]
    stem = names[0].rstrip("0123456789") if names else ""
    found = shown[:1]
    for name in shown[1:]:
        rest = name.removeprefix(stem)
        found.append(rest if stem and rest.isdigit() else name)
    return ", ".join(found)
