"""Which names a pickle imports, and whether what it does with them is harmless.

Judged by a list of exact names, `pickle_globals.txt`: each may be used in one way.
`pickle_calls` describes the calls that are known with their arguments, and
`pickle_places` where something that can be called may stand. What cannot be told,
such as a name that is computed, is not harmless.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from astgen.lint.sources.pickle_calls import resolve
from astgen.lint.sources.pickle_machine import Reading
from astgen.lint.sources.pickle_places import (
    ANYTHING,
    KEYS,
    NOTHING,
    Kinds,
    Places,
    follows_reader,
)
from astgen.lint.sources.pickle_shapes import Shape, Shapes, changed
from astgen.lint.sources.pickle_values import MAKERS, Made, Node, Value, dotted

__all__ = ["COMPUTED", "imported", "judge", "listed"]

COMPUTED = "(computed)"
"""Stands for a name that the pickle works out while it is loaded."""

_PROGRAM_KEYS = frozenset({"consts", "execution_code", "submod_names"})
_TOKEN = "unpickle_state"
"""What PyTorch's graph pickler asks its caller for."""

_UNLIMITED = Shape("")
_WHY = {
    "call": "is called with arguments that no known cache has",
    "guarded": "is called with arguments that no known cache has",
    "literal": "is called with arguments that no known cache has",
    "mapping": "is called with arguments that no known cache has",
    "object": "is made in a way, or gets a state, that no known cache has",
    "opaque": "is made in a way, or gets a state, that no known cache has",
    "source": "is called with arguments that no known cache has",
    "sympy": "is called with arguments that sympy may evaluate",
}


@functools.cache
def listed() -> dict[str, Shape]:
    """Return the names that pickles may import, each with how it is used.

    The kinds of use are explained at the head of the list.
    """
    file = Path(__file__).parent / "pickle_globals.txt"
    shapes: dict[str, Shape] = {}
    text = file.read_text(encoding="utf-8").replace("\n  ", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, kind, *keys = line.split()
            shapes[name] = Shape(kind, frozenset(keys))
    return shapes


def imported(nodes: Iterable[Node]) -> set[str]:
    """The names that a pickle imports, as far as it says them.

    Args:
        nodes: Everything that the pickle makes.

    Returns:
        Dotted paths; `COMPUTED` stands for all that are worked out.
    """
    return {dotted(node) or COMPUTED for node in nodes if node.kind == "global"}


def judge(reading: Reading, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Find what is not known to be harmless.

    Args:
        reading: Everything that a pickle makes.
        names: Names that are allowed beside the listed ones.

    Yields:
        A name, and what the pickle does with it. The same pair may come often.
    """
    judgement = _Judgement(
        listed() | dict.fromkeys(names, _UNLIMITED), Places(reading.nodes)
    )
    for node in reading.nodes:
        if node.kind in MAKERS:
            yield from judgement.made(node)
        elif type(node) is Made:
            yield from judgement.supplied(node)
    # Calls that are known say where their arguments may stand, so they come first.
    for node in reading.nodes:
        # Most of a large pickle is plain data, which is passed over fast.
        if type(node) is Made or node.pairs or Made in map(type, node.parts or ()):
            yield from judgement.values(node)
    yield from judgement.value(reading.top, NOTHING)


class _Judgement:
    """What is known of one pickle."""

    def __init__(self, known: dict[str, Shape], places: Places) -> None:
        self.known = known
        self.places = places
        self.shapes = Shapes(known)

    def supplied(self, node: Node) -> Iterator[tuple[str, str]]:
        """A name that is imported, or a value that comes from the loader."""
        if node.kind == "persistent" and node.arguments != _TOKEN:
            yield _short(node.arguments), "is a persistent id: the loader supplies it"
        elif node.kind == "extension":
            yield _short(node.arguments), "is a code of copyreg's extension registry"
        name = dotted(node) if node.kind == "global" else _short(node.arguments)
        if name is None:
            yield COMPUTED, "is imported: its module or name is worked out by a call"
        elif node.kind == "global" and name not in self.known:
            yield name, "is imported"
        elif changed(node):
            yield name, "is changed: its attributes or items are set"

    def made(self, node: Node) -> Iterator[tuple[str, str]]:
        name = resolve(node.callee)
        if name is None:
            yield COMPUTED, "is called: what is called is worked out by another call"
            return
        shape = self.known.get(name)
        if shape is None:
            yield name, "is called"
        elif shape.kind not in _WHY and shape is not _UNLIMITED:
            yield name, "is called; it is only listed to be referred to"
        elif not self.shapes.fits(node, name, shape):
            yield name, _WHY[shape.kind]
        elif shape.kind in ("guarded", "mapping"):
            self.places.known_call(name, node)

    def values(self, node: Node) -> Iterator[tuple[str, str]]:
        """Values inside something, where it might call them."""
        inside = self.places.inside(node)
        for place, part in enumerate(node.parts or ()):
            if type(part) is Made:
                if place == 0 and self.kind(part) == "reader" and follows_reader(node):
                    continue
                yield from self.value(part, inside)
        if node.pairs:
            yield from self.pairs(node.pairs, inside)
        if node.kind in MAKERS:
            for value in (node.arguments, node.keywords, *(node.states or ())):
                if type(value) is Made:
                    yield from self.value(value, NOTHING)

    def pairs(self, pairs: list[Value], inside: Kinds) -> Iterator[tuple[str, str]]:
        found: list[str] = []
        computed = False
        for place in range(0, len(pairs) - 1, 2):
            key, value = pairs[place], pairs[place + 1]
            kinds = inside
            if isinstance(key, Node):
                computed = True
                yield from self.value(key, NOTHING)
            elif isinstance(key, str):
                kinds = KEYS.get(key, inside)
                if key in _PROGRAM_KEYS:
                    found.append(key)
            if type(value) is Made:
                yield from self.value(value, kinds)
        if found and computed:
            yield COMPUTED, "is a key beside a program, which may replace its entries"
        for key in _PROGRAM_KEYS if found[1:] else ():
            if found.count(key) > 1:
                yield key, "is set more than once; the last entry is what counts"

    def kind(self, value: Value) -> str:
        name = resolve(value)
        shape = self.known.get(name or "")
        return "" if shape is None else shape.kind

    def value(self, value: Value, allowed: Kinds) -> Iterator[tuple[str, str]]:
        """A value that can be called must stand where caches have it."""
        if type(value) is not Made or allowed is ANYTHING:
            return
        if value.kind == "persistent":
            yield _short(value.arguments), "is handed on as a value"
            return
        name = resolve(value)
        shape = self.known.get(name or "")
        if name is None or shape is None or shape.kind in ("", "constant"):
            return
        if shape.kind not in allowed and name not in allowed:
            yield name, "is handed on as a value"


def _short(value: Value) -> str:
    if isinstance(value, Node):
        return COMPUTED
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "a huge number"
    if isinstance(value, (str, bytes)):
        value = value[:100]
    return value if isinstance(value, str) else ascii(value)
