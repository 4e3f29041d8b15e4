"""What a pickle would make, described without making it.

Literals stand for themselves. Everything else is a `Node`: it is shared as the pickle
shares it, and may contain itself. Whoever walks over nodes does so without recursion.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = [
    "CONTAINERS",
    "MAKERS",
    "Made",
    "Node",
    "Value",
    "children",
    "dotted",
    "key_pairs",
]

CONTAINERS = frozenset({"list", "tuple", "set", "frozenset", "dict"})
"""Kinds of nodes that are plain containers."""

MAKERS = frozenset({"call", "new"})
"""Kinds of nodes that are made by calling something: `f(*args)`, `cls.__new__(cls)`."""


class Node:
    """A value of a pickle that is no literal.

    Attributes:
        kind: One of `CONTAINERS` or `MAKERS`; `global` (a name that is imported);
            `persistent`, `extension` and `buffer` (what the loading program supplies).
        callee: What is called to make it.
        arguments: What it is called with: for `call` a tuple as a rule, for
            `global` a module and a name, else the one thing that identifies it.
        keywords: Keyword arguments, if the pickle gives some.
        parts: Elements: those of a container, or what is appended to an object; None
            for none.
        pairs: Keys and values in turn, likewise.
        states: What the object's state is set to, one after the other.
    """

    __slots__ = ("kind", "pairs", "parts", "states")

    callee: Value = None
    arguments: Value = None
    keywords: Value = None

    def __init__(
        self,
        kind: str,
        parts: list[Value] | None = None,
        pairs: list[Value] | None = None,
    ) -> None:
        """Describe a value; see the attributes of the class."""
        self.kind = kind
        self.parts = parts
        self.pairs = pairs
        self.states: list[Value] | None = None


class Made(Node):
    """A node that is no container. Millions of containers need not have its fields."""

    __slots__ = ("arguments", "callee", "keywords")

    def __init__(
        self,
        kind: str,
        callee: Value = None,
        arguments: Value = None,
        keywords: Value = None,
    ) -> None:
        """Describe a value; see the attributes of `Node`."""
        super().__init__(kind)
        self.callee = callee
        self.arguments = arguments
        self.keywords = keywords


Value = bool | int | float | str | bytes | Node | None


_OLD_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""Modules that only protocols 0 to 2 name; unpicklers of Python 3 translate them."""


def dotted(value: Value) -> str | None:
    """The dotted path of a global whose module and name are text, else None."""
    if not isinstance(value, Node) or value.kind != "global":
        return None
    where = value.arguments
    if not isinstance(where, Node) or where.parts is None:
        return None
    module, name = where.parts
    if type(module) is not str or type(name) is not str:
        return None
    return f"{_OLD_MODULES.get(module, module)}.{name}"


def children(node: Node) -> Iterator[tuple[str | int, Value]]:
    """What a node refers to, each with a label for people."""
    if node.callee is not None:
        yield "callee", node.callee
    if node.arguments is not None:
        yield "args", node.arguments
    if node.keywords is not None:
        yield "kwargs", node.keywords
    yield from enumerate(node.parts or ())
    yield from key_pairs(node)
    for state in node.states or ():
        yield "", state


def key_pairs(node: Node) -> Iterator[tuple[str | int, Value]]:
    """Keys, as far as they are text or numbers, and all the values of a mapping."""
    pairs = node.pairs or ()
    for place in range(0, len(pairs) - 1, 2):
        key = pairs[place]
        if isinstance(key, Node):
            yield "key", key
        yield (key if isinstance(key, (str, int)) else "..."), pairs[place + 1]
