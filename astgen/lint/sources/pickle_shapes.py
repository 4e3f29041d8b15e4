"""Whether a pickle makes something in the one way in which caches make it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from astgen.lint.sources.pickle_calls import (
    GUARDS,
    arguments_of,
    few_literals,
    literal_arguments,
    resolve,
)
from astgen.lint.sources.pickle_values import MAKERS, Node, Value, dotted

__all__ = ["Shape", "Shapes", "changed"]

_SOURCES = "torch._dynamo.source."
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}\Z")


@dataclass(frozen=True)
class Shape:
    """How a listed name is used.

    Attributes:
        kind: What the head of the list explains; empty for no limits.
        keys: What the state may have as keys.
    """

    kind: str
    keys: frozenset[str] = frozenset()


class Shapes:
    """The known ways of one pickle. What many calls share is looked at once."""

    def __init__(self, known: Mapping[str, Shape]) -> None:
        """Start with nothing.

        Args:
            known: The listed names.
        """
        self._known = known
        self._symbolic: dict[int, bool] = {}
        self._states: dict[tuple[int, str], bool] = {}
        self._calls: dict[tuple[int, str], bool] = {}

    def fits(self, node: Node, name: str, shape: Shape) -> bool:
        """Whether a call, and what happens to its result, is known.

        Args:
            node: What is made by the call.
            name: What is called.
            shape: How it is used.
        """
        kind = shape.kind
        if not kind:
            return True
        if kind == "sympy":
            return not changed(node) and self._is_symbolic_call(name, node)
        if node.keywords is not None or node.parts:
            return False
        if kind == "guarded":
            return self._is_known_call(name, node)
        if kind == "mapping":
            return not node.states and _mapping_arguments(name, node)
        if node.pairs:
            return False
        if kind == "literal":
            return not node.states and literal_arguments(node)
        if kind == "opaque":
            return _made_empty(node) and _literal_state(node)
        if kind == "object" and not _made_empty(node):
            return False
        if kind == "source":
            return not node.states and _of_source(node)
        return arguments_of(node) is not None and self._has_state(node, name, shape)

    def _is_known_call(self, name: str, node: Node) -> bool:
        check = GUARDS.get(name)
        if check is None:
            return False
        if name == "functools.partial":
            return not node.pairs and check(node)
        # Many calls can share their arguments.
        place = id(node.arguments), name
        if place not in self._calls:
            self._calls[place] = check(node)
        return self._calls[place] and not changed(node)

    def _has_state(self, node: Node, name: str, shape: Shape) -> bool:
        if not node.states:
            return True
        if len(node.states) > 1:
            return False
        place = id(node.states[0]), name
        if place not in self._states:
            self._states[place] = _known_state(node.states[0], shape.keys)
        return self._states[place]

    def _is_symbolic_call(self, name: str, node: Node) -> bool:
        parts = arguments_of(node)
        if name == "sympy.core.symbol.Symbol":
            named = isinstance((parts or [None])[0], str) and len(parts or ()) == 1
            fine = named and _SYMBOL.match(str((parts or [""])[0])) is not None
            return fine and _plain_keywords(node.keywords)
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
        if place not in self._symbolic:
            self._symbolic[place] = all(self._is_symbolic(part) for part in parts)
        return self._symbolic[place]

    def _is_symbolic(self, value: Value) -> bool:
        if isinstance(value, Node):
            name = resolve(value.callee) if value.kind in MAKERS else None
            shape = self._known.get(name or "")
            return shape is not None and shape.kind == "sympy"
        return isinstance(value, (int, float))


def changed(node: Node) -> bool:
    """Whether something is done to a value after it was made."""
    return bool(node.states or node.parts or node.pairs)


def _made_empty(node: Node) -> bool:
    return node.kind == "new" and arguments_of(node) == []


def _of_source(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as base, *_] if base.kind in MAKERS:
            return (dotted(base.callee) or "").startswith(_SOURCES)
    return False


def _literal_state(node: Node) -> bool:
    match node.states:
        case None | [None | bool() | int() | str()]:
            return True
        case [Node(kind="list" | "tuple", parts=parts)]:
            return few_literals(parts)
    return False


def _known_state(state: Value, keys: frozenset[str]) -> bool:
    """Whether a state is a dictionary of known keys, alone or beside None."""
    match state:
        case Node(kind="tuple", parts=[None, Node() as slots]):
            state = slots
    if not isinstance(state, Node) or state.kind != "dict" or state.states:
        return False
    pairs = state.pairs or []
    if len(pairs) > 2 * len(keys):
        return False
    return not state.parts and all(
        isinstance(key, str) and key in keys for key in pairs[::2]
    )


def _mapping_arguments(name: str, node: Node) -> bool:
    match (name, node.kind, arguments_of(node)):
        case ("collections.OrderedDict", "call", []):
            return True
        case ("collections.Counter", "call", [] | [Node(kind="dict")]):
            return True
        case ("collections.defaultdict", "call", [Node()]):
            return True
    return False


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
