"""Where in a pickle something that can be called may stand as a value.

What a pickle hands to a class that calls it, or leaves in an object whose methods are
called, runs as surely as what the pickle calls itself. Caches have such values at a
few places, which are written down here.
"""

from __future__ import annotations

from collections.abc import Iterable

from astgen.lint.sources.pickle_calls import arguments_of, spelled
from astgen.lint.sources.pickle_values import Node

__all__ = ["ANYTHING", "KEYS", "NOTHING", "Kinds", "Places", "follows_reader"]

Kinds = frozenset[str]
"""Kinds of listed names, and single names, that may stand at a place."""

NOTHING: Kinds = frozenset()
"""What may stand where nothing that can be called may."""

ANYTHING: Kinds = frozenset({"*"})
"""What may stand where a known call has checked every value."""

_CLASSES = frozenset({"type", "object", "call", "literal", "mapping"})
_CONSTANTS = frozenset({"type"})
_FACTORIES = frozenset(
    {"builtins.dict", "builtins.int", "builtins.list", "builtins.set"}
)
_SETS = frozenset({"type", "sympy"})

KEYS: dict[str, Kinds] = {
    "_annotation": _CLASSES,
    "_default": _CLASSES,
    "_return_annotation": _CLASSES,
    "_str": frozenset({"builtins.str"}),
    "get_decomp_fn": frozenset({"torch._inductor.decomposition.select_decomp_table"}),
    "pytype": frozenset({"builtins.bool", "builtins.float", "builtins.int"}),
    "raw_type": frozenset({"type"}),
    "type": frozenset({"type", "object"}),
}
"""What may stand behind a key of a dictionary."""

_HOLDERS: dict[str, Kinds] = {
    "consts": _CONSTANTS,
    "opaque_value_type_classes": frozenset({"type", "object"}),
}
"""What may stand in the list or dictionary behind a key."""


class Places:
    """What may stand in the single tuples, lists and dictionaries of a pickle."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        """Look for containers that stand behind certain keys.

        Args:
            nodes: Everything that the pickle makes.
        """
        self._in: dict[int, Kinds] = {}
        for node in nodes:
            pairs = node.pairs
            if not pairs:
                continue
            for place in range(0, len(pairs) - 1, 2):
                key, value = pairs[place], pairs[place + 1]
                if isinstance(value, Node) and isinstance(key, str):
                    if key in _HOLDERS:
                        self._in[id(value)] = _HOLDERS[key]

    def known_call(self, name: str, node: Node) -> None:
        """Take note of a call that is known to be harmless with what it is given."""
        self._in[id(node.arguments)] = ANYTHING
        arguments = arguments_of(node) or []
        if name == "collections.defaultdict":
            self._in[id(node.arguments)] = _FACTORIES
        if name in ("_functools.reduce", "types.GenericAlias"):
            self._in[id(arguments[1])] = _CLASSES
        if name == "functools.partial":
            for state in node.states or ():
                self._in[id(state)] = ANYTHING

    def inside(self, node: Node) -> Kinds:
        """What may stand in a container, apart from what its keys say."""
        known = self._in.get(id(node))
        if known is not None:
            return known
        return _SETS if node.kind in ("set", "frozenset") else NOTHING


def follows_reader(node: Node) -> bool:
    """Whether a tuple is vLLM's reader and the byte string that it reads."""
    match node:
        case Node(kind="tuple", parts=[_, bytes()]):
            return True
        case Node(kind="tuple", parts=[_, Node() as made]):
            return spelled(made)
    return False
