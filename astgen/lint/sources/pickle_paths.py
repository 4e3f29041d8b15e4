"""Where in a pickle a value stands, as people would write it down."""

from __future__ import annotations

from collections import deque

from astgen.lint.sources.pickle_values import Node, Value, children

__all__ = ["Paths", "joined"]

_VALUES = 300_000
_LABELS = 8
_LABEL_CHARACTERS = 40
_PATH_CHARACTERS = 160


class Paths:
    """The shortest way from the value of a pickle to each value inside it."""

    def __init__(self, top: Value) -> None:
        """Remember where to start; nothing is looked at before the first question.

        Args:
            top: The value of the pickle.
        """
        self._top = top
        self._above: dict[int, tuple[int, str | int]] | None = None

    def _look(self) -> dict[int, tuple[int, str | int]]:
        """From each value to what it is in, the nearest first, and not too many."""
        above: dict[int, tuple[int, str | int]] = {}
        queue: deque[Value] = deque([self._top])
        seen = {id(self._top)}
        while queue and len(seen) < _VALUES:
            node = queue.popleft()
            if not isinstance(node, Node):
                continue
            for label, child in children(node):
                if isinstance(child, (Node, bytes, str)) and id(child) not in seen:
                    seen.add(id(child))
                    above[id(child)] = (id(node), label)
                    queue.append(child)
        return above

    def path(self, value: Value) -> str:
        """Write down where a value stands.

        Args:
            value: A value of this pickle, by identity.

        Returns:
            Such as `compiled_fn[1].graph_module`; empty for the whole, and three dots
            for what the pickle makes and drops, or in place of a long beginning.
        """
        top = id(self._top)
        if id(value) == top:
            return ""
        if self._above is None:
            self._above = self._look()
        labels: list[str] = []
        place = id(value)
        while place in self._above and len(labels) < _LABELS:
            place, label = self._above[place]
            labels.append(_written(label))
        if place != top:
            labels.append("...")
        return "".join(reversed(labels)).removeprefix(".")


def joined(member: str, path: str) -> str:
    """Where something stands in a file, from where its pickle stands and its path."""
    if not member or not path:
        return member or path
    link = "" if path.startswith("[") else "."
    whole = f"{member}{link}{path}"
    if len(whole) <= _PATH_CHARACTERS:
        return whole
    return f"...{whole[-_PATH_CHARACTERS:]}"


def _written(label: str | int) -> str:
    if isinstance(label, int):
        return f"[{label}]" if abs(label) < 1 << 64 else "[...]"
    if len(label) > _LABEL_CHARACTERS:
        label = f"{label[:_LABEL_CHARACTERS]}..."
    if not label or label.isascii() and label.isidentifier():
        return label and f".{label}"
    return f"[{ascii(label)}]"
