"""The constants beside a program, described from the pickle that would make them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from astgen.lint.sources.pickle_values import MAKERS, Node, Value, children, dotted
from astgen.lint.subject import Constant

__all__ = ["describe"]

_NODES = 200_000
_NAMES = 32
_SHOWN_CHARACTERS = 80
_SHOWN_DEPTH = 3
_SHOWN_ITEMS = 4
_CYCLE = ("cycle", frozenset({"..."}))
_LARGE = 64

_Summary = tuple[str, frozenset[str]]
"""A digest of a description, and the names that making it would import."""


def describe(values: Iterable[Value]) -> tuple[Constant, ...]:
    """Describe constants. Time is linear in the size of the pickle.

    Args:
        values: The constants in slot order; they may share parts.

    Returns:
        A constant for each. One that imports very many names, contains itself, or comes
        after very many parts, has `...` among its names.
    """
    known: dict[int, _Summary] = {}
    constants = []
    for value in values:
        key, names = _summary(value, known)
        constants.append(
            Constant(_kind(value), _shown(value), key, tuple(sorted(names)))
        )
    return tuple(constants)


def _kind(value: Value) -> str:
    if not isinstance(value, Node):
        return "None" if value is None else f"builtins.{type(value).__name__}"
    if value.kind in MAKERS:
        return dotted(value.callee) or "(computed)"
    return dotted(value) or f"builtins.{value.kind}"


def _summary(top: Value, known: dict[int, _Summary]) -> _Summary:
    """From the leaves to the top, without recursion; what is known is not redone."""
    if not isinstance(top, Node):
        return _leaf(top, known)
    if id(top) in known:
        return known[id(top)]
    work = [(top, False)]
    open_now: set[int] = set()
    while work:
        if len(known) + len(open_now) > _NODES:
            return f"number {id(top)}", frozenset({"..."})
        node, below_done = work.pop()
        if below_done:
            open_now.discard(id(node))
            known[id(node)] = _node(node, known)
        elif id(node) not in known and id(node) not in open_now:
            open_now.add(id(node))
            work.append((node, True))
            work += [(part, False) for part in _below(node) if isinstance(part, Node)]
    return known[id(top)]


def _below(node: Node) -> Iterable[Value]:
    yield from (part for _, part in children(node))


def _leaf(value: Value, known: dict[int, _Summary]) -> _Summary:
    # Pickles share long literals, so each is looked at once.
    large = isinstance(value, int) and value.bit_length() > _LARGE
    large = large or isinstance(value, (str, bytes)) and len(value) > _LARGE
    if not large:
        return _digest(value), frozenset()
    if id(value) not in known:
        known[id(value)] = _digest(value), frozenset()
    return known[id(value)]


def _digest(value: Value) -> str:
    if isinstance(value, bytes):
        raw = value
    elif isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, float):
        raw = value.hex().encode()
    elif isinstance(value, int):
        raw = hex(value).encode()
    else:
        raw = b""
    kind = type(value).__name__.encode()
    return hashlib.sha256(kind + b":" + raw).hexdigest()


def _node(node: Node, known: dict[int, _Summary]) -> _Summary:
    digest = hashlib.sha256(node.kind.encode())
    names: set[str] = set()
    name = dotted(node)
    if name is not None:
        names.add(name)
    elif node.kind not in MAKERS and node.arguments is not None:
        names.add("...")
    fields = (
        ("callee", (node.callee,)),
        ("arguments", (node.arguments,)),
        ("keywords", (node.keywords,)),
        ("parts", node.parts or ()),
        ("pairs", node.pairs or ()),
        ("states", node.states or ()),
    )
    for label, values in fields:
        digest.update(f"|{label}".encode())
        for value in values:
            if isinstance(value, Node):
                key, below = known.get(id(value), _CYCLE)
            else:
                key, below = _leaf(value, known)
            digest.update(f",{key}".encode())
            names |= below
    if len(names) > _NAMES:
        names = {*sorted(names)[:_NAMES], "..."}
    return digest.hexdigest(), frozenset(names)


def _shown(value: Value, depth: int = 0) -> str:
    """A short text; deeper parts and further items are dots."""
    if not isinstance(value, Node):
        return _literal(value)
    if depth >= _SHOWN_DEPTH:
        return "..."
    name = dotted(value)
    if name is not None:
        return _cut(name)
    items = [_shown(part, depth + 1) for part in (value.parts or ())[:_SHOWN_ITEMS]]
    if len(value.parts or ()) > _SHOWN_ITEMS:
        items.append("...")
    inside = ", ".join(items)
    if value.kind in MAKERS:
        callee = _shown(value.callee, depth + 1)
        arguments = _shown(value.arguments, depth)
        return _cut(callee + (arguments if arguments[:1] == "(" else "(...)"))
    if value.kind == "tuple":
        return _cut(f"({inside},)" if len(items) == 1 and depth else f"({inside})")
    if value.kind == "list":
        return _cut(f"[{inside}]")
    if value.kind == "dict":
        return "{...}" if value.pairs else "{}"
    return _cut(f"{value.kind}({inside})")


def _literal(value: Value) -> str:
    if isinstance(value, (str, bytes)):
        return ascii(value if len(value) <= 40 else value[:40]) + "..." * (
            len(value) > 40
        )
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "a huge number"
    return repr(value)


def _cut(text: str) -> str:
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS - 3]}..."
