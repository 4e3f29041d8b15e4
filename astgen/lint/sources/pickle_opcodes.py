"""What each opcode of a pickle does on the pickle machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from astgen.lint.sources.pickle_stack import Stack, Stop, even
from astgen.lint.sources.pickle_values import Made, Node, Value

__all__ = ["Opcodes"]

_HIGHEST_PROTOCOL = 5
_MOST_IMPORTS = 200_000
"""Picklers write a name once and remember it; caches have some hundred."""

_LITERALS = """
    INT BININT BININT1 BININT2 LONG LONG1 LONG4 STRING BINSTRING SHORT_BINSTRING
    UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8 FLOAT BINFLOAT
""".split()
_BLOBS = "BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8".split()
_GETS = "GET BINGET LONG_BINGET".split()
_PUTS = "PUT BINPUT LONG_BINPUT".split()
_EXTENSIONS = "EXT1 EXT2 EXT4".split()
_SETTLED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "NONE": ("push", (None,)),
    "NEWTRUE": ("push", (True,)),
    "NEWFALSE": ("push", (False,)),
    "MARK": ("mark", ()),
    "POP_MARK": ("pop_mark", ()),
    "POP": ("pop", ()),
    "STOP": ("stop", ()),
    "LIST": ("make_list", ()),
    "TUPLE": ("make_tuple", ()),
    "FROZENSET": ("make_frozenset", ()),
    "DICT": ("make_dict", ()),
    "TUPLE1": ("short_tuple", (1,)),
    "TUPLE2": ("short_tuple", (2,)),
    "TUPLE3": ("short_tuple", (3,)),
    "GLOBAL": ("name_in_text", ()),
    "STACK_GLOBAL": ("name_on_stack", ()),
    "INST": ("instance", ()),
    "OBJ": ("from_mark", ("call",)),
    "REDUCE": ("reduce", ()),
    "NEWOBJ": ("new", ()),
    "NEWOBJ_EX": ("new_with_keywords", ()),
    "BUILD": ("build", ()),
    "NEXT_BUFFER": ("supplied", ("buffer",)),
}
"""Opcodes whose argument does not matter: a method, and what it is called with."""


class Opcodes(Stack):
    """What the opcodes do. Objects are described where an unpickler would make them."""

    def __init__(self, data: bytes, memo_limit: int) -> None:
        """Start at the first byte.

        Args:
            data: The pickle.
            memo_limit: The first index of the memo that is refused.
        """
        super().__init__(memo_limit)
        self.data = data
        self.blobs: list[tuple[int, bytes]] = []
        self.top: Value = None
        self.imports = 0
        self.position = 0
        self.end = 0

    def actions(self) -> dict[str, Callable[[Any], None]]:
        """What is done with the argument of an opcode, by the opcode's name."""
        actions: dict[str, Callable[[Any], None]] = {
            "FRAME": _ignore,
            "READONLY_BUFFER": _ignore,
            "PROTO": self.proto,
            "PERSID": partial(self.supplied, "persistent"),
            "BINPERSID": lambda _: self.supplied("persistent", self.stack.pop()),
            "EMPTY_LIST": lambda _: self.push_node(Node("list")),
            "EMPTY_TUPLE": lambda _: self.push_node(Node("tuple")),
            "EMPTY_SET": lambda _: self.push_node(Node("set")),
            "EMPTY_DICT": lambda _: self.push_node(Node("dict")),
            "DUP": lambda _: self.stack.append(self.stack[-1]),
            "MEMOIZE": lambda _: self.put(len(self.memo)),
            "APPEND": lambda _: self.add_parts(self.take(1)),
            "APPENDS": lambda _: self.add_parts(self.pop_mark()),
            "ADDITEMS": lambda _: self.add_parts(self.pop_mark()),
            "SETITEM": lambda _: self.add_pairs(self.take(2)),
            "SETITEMS": lambda _: self.add_pairs(self.pop_mark()),
        }
        actions |= dict.fromkeys(_LITERALS, self.push)
        actions |= dict.fromkeys(_BLOBS, self.blob)
        actions |= dict.fromkeys(_GETS, self.get)
        actions |= dict.fromkeys(_PUTS, self.put)
        actions |= dict.fromkeys(_EXTENSIONS, partial(self.supplied, "extension"))
        for name, (method, arguments) in _SETTLED.items():
            actions[name] = _without_argument(getattr(self, method), arguments)
        return actions

    def proto(self, number: int) -> None:
        if number > _HIGHEST_PROTOCOL:
            raise Stop(f"protocol {number} is unknown")

    def stop(self) -> None:
        self.top = self.stack.pop()

    def blob(self, content: bytes | bytearray) -> None:
        value = bytes(content)
        self.blobs.append((self.position, value))
        self.stack.append(value)

    def make_list(self) -> None:
        self.push_node(Node("list", self.pop_mark()))

    def make_tuple(self) -> None:
        self.push_node(Node("tuple", self.pop_mark()))

    def make_frozenset(self) -> None:
        self.push_node(Node("frozenset", self.pop_mark()))

    def make_dict(self) -> None:
        self.push_node(Node("dict", None, even(self.pop_mark())))

    def short_tuple(self, size: int) -> None:
        self.push_node(Node("tuple", self.take(size)))

    def from_mark(self, kind: str) -> None:
        """A call of what lies deepest above the mark with the rest."""
        callee, *arguments = self.pop_mark()
        self.called(kind, callee, arguments)

    def called(self, kind: str, callee: Value, arguments: list[Value]) -> None:
        packed = Node("tuple", arguments)
        self.nodes.append(packed)
        self.push_node(Made(kind, callee, packed))

    def supplied(self, kind: str, argument: Value = None) -> None:
        self.push_node(Made(kind, None, argument))

    def name_in_text(self) -> None:
        self.push_node(self.named(self.lines()))

    def name_on_stack(self) -> None:
        self.push_node(self.named(self.take(2)))

    def named(self, parts: list[Value]) -> Node:
        self.imports += 1
        if self.imports > _MOST_IMPORTS:
            raise Stop("there are too many imports", too_large=True)
        return Made("global", None, Node("tuple", parts))

    def instance(self) -> None:
        callee = self.named(self.lines())
        self.nodes.append(callee)
        self.called("call", callee, self.pop_mark())

    def lines(self) -> list[Value]:
        # What pickletools hands on has the two joined by a space, which they may hold.
        raw = self.data[self.position + 1 : self.end].decode("ascii")
        return list(raw.split("\n")[:2])

    def reduce(self) -> None:
        callee, arguments = self.take(2)
        self.push_node(Made("call", callee, arguments))

    def new(self) -> None:
        callee, arguments = self.take(2)
        self.push_node(Made("new", callee, arguments))

    def new_with_keywords(self) -> None:
        callee, arguments, keywords = self.take(3)
        self.push_node(Made("new", callee, arguments, keywords))

    def build(self) -> None:
        (state,) = self.take(1)
        target = self.target()
        if target.states is None:
            target.states = []
        target.states.append(state)


def _ignore(argument: Any) -> None:
    """Leave everything as it is."""


def _without_argument(
    method: Callable[..., None], arguments: tuple[Any, ...]
) -> Callable[[Any], None]:
    return lambda _: method(*arguments)
