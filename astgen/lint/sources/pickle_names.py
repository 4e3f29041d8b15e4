"""Which names a pickle imports, and whether what it does with them is harmless.

Judged by a list of exact names, `pickle_globals.txt`, and the calls that
`pickle_calls` describes. What cannot be told, such as a name that is computed,
is not harmless.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from astgen.lint.sources.pickle_calls import (
    GUARDS,
    arguments_of,
    few_literals,
    literal_arguments,
    resolve,
)
from astgen.lint.sources.pickle_values import MAKERS, Node, Value, dotted

__all__ = ["COMPUTED", "imported", "judge", "listed"]

COMPUTED = "(computed)"
"""Stands for a name that the pickle works out while it is loaded."""

_FRESH = frozenset({"copyreg._reconstructor", "functools.partial"})
"""Guarded names that make an object of their own."""

_PERSISTENT = frozenset({"unpickle_state"})
"""What PyTorch's graph pickler asks its caller for."""


@functools.cache
def listed() -> dict[str, str]:
    """Return the names that pickles may import, each with its kind.

    The kinds are explained at the head of the list; the usual one is empty.
    """
    file = Path(__file__).parent / "pickle_globals.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    entries = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {name: kind for name, _, kind in entries if name}


def imported(nodes: Iterable[Node]) -> set[str]:
    """The names that a pickle imports, as far as it says them.

    Args:
        nodes: Everything that the pickle makes.

    Returns:
        Dotted paths; `COMPUTED` stands for all that are worked out.
    """
    return {dotted(node) or COMPUTED for node in nodes if node.kind == "global"}


def judge(nodes: Iterable[Node], names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Find what is not known to be harmless.

    Args:
        nodes: Everything that a pickle makes.
        names: Names that are allowed beside the listed ones.

    Yields:
        A name, and what the pickle does with it. The same pair may come often.
    """
    judgement = _Judgement(listed() | dict.fromkeys(names, ""))
    for node in nodes:
        if node.kind in MAKERS:
            yield from judgement.made(node)
        elif node.kind == "global":
            yield from judgement.named(node)
        elif node.kind == "persistent" and node.arguments not in _PERSISTENT:
            yield _short(node.arguments), "is a persistent id: the loader supplies it"
        elif node.kind == "extension":
            yield _short(node.arguments), "is a code of copyreg's extension registry"
        yield from judgement.handed_on(node)


class _Judgement:
    """What is known of one pickle."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.symbolic: dict[int, bool] = {}

    def named(self, node: Node) -> Iterator[tuple[str, str]]:
        name = dotted(node)
        if name is None:
            yield COMPUTED, "is imported: its module or name is worked out by a call"
        elif name not in self.known:
            yield name, "is imported"
        elif _changed(node):
            yield name, "is changed: its attributes or items are set"

    def made(self, node: Node) -> Iterator[tuple[str, str]]:
        name = resolve(node.callee)
        if name is None:
            yield COMPUTED, "is called: what is called is worked out by another call"
            return
        kind = self.known.get(name)
        if kind is None:
            yield name, "is called"
        elif kind == "value":
            yield name, "is called; it is only listed to be referred to"
        elif kind == "guarded" and not self.is_known_call(name, node):
            yield name, "is called with arguments that no known cache has"
        elif kind == "sympy" and not self.is_symbolic_call(name, node):
            yield name, "is called with arguments that sympy may evaluate"
        elif kind and name not in _FRESH and _changed(node):
            yield name, "is called, and what it returns is changed"

    def is_known_call(self, name: str, node: Node) -> bool:
        if node.keywords is not None or not GUARDS[name](node):
            return False
        return name != "builtins.getattr" or resolve(node) in self.known

    def is_symbolic_call(self, name: str, node: Node) -> bool:
        parts = arguments_of(node)
        if name == "sympy.core.symbol.Symbol":
            return literal_arguments(node) and _plain_keywords(node.keywords)
        if name == "sympy.core.numbers.Float":
            return (
                parts is not None
                and len(parts) == 1
                and _is_number(parts[0])
                and _plain_keywords(node.keywords)
            )
        if parts is None or node.keywords is not None:
            return False
        # Many calls can share a tuple of a million arguments.
        place = id(node.arguments)
        if place not in self.symbolic:
            self.symbolic[place] = all(self.is_symbolic(part) for part in parts)
        return self.symbolic[place]

    def is_symbolic(self, value: Value) -> bool:
        if isinstance(value, Node):
            name = resolve(value.callee) if value.kind in MAKERS else None
            return name is not None and self.known.get(name) == "sympy"
        return isinstance(value, (int, float))

    def handed_on(self, node: Node) -> Iterator[tuple[str, str]]:
        """Names that are handed to something, where it might call them."""
        for values in (node.parts, node.pairs, node.states):
            for part in values or ():
                name = dotted(part) if isinstance(part, Node) else None
                if name is not None and self.known.get(name) == "guarded":
                    yield name, "is handed on as a value"


def _is_number(value: Value) -> bool:
    """Whether it is a number, or one in parts as sympy pickles it."""
    if isinstance(value, Node):
        return value.kind == "tuple" and few_literals(value.parts)
    return isinstance(value, (int, float))


def _plain_keywords(keywords: Value) -> bool:
    if keywords is None:
        return True
    if not isinstance(keywords, Node) or keywords.kind != "dict":
        return False
    return few_literals(keywords.pairs)


def _changed(node: Node) -> bool:
    return bool(node.states or node.parts or node.pairs)


def _short(value: Value) -> str:
    if isinstance(value, Node):
        return COMPUTED
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "a huge number"
    if isinstance(value, (str, bytes)):
        value = value[:100]
    return value if isinstance(value, str) else ascii(value)
