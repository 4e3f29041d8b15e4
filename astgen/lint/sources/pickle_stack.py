"""The stack, the marks, the memo and the plain containers of the pickle machine."""

from __future__ import annotations

from astgen.lint.sources.pickle_values import Node, Value

__all__ = ["Stack", "Stop", "even"]

_FIXED = frozenset({"tuple", "frozenset"})


class Stop(Exception):
    """The machine cannot go on."""

    def __init__(
        self, reason: str, too_large: bool = False, doubtful: bool = False
    ) -> None:
        """Say why.

        Args:
            reason: What is wrong, for people.
            too_large: It is a limit of ours, not a fault of the pickle.
            doubtful: No pickler writes this, but unpicklers may accept it.
        """
        super().__init__(reason)
        self.reason = reason
        self.too_large = too_large
        self.doubtful = doubtful


class Stack:
    """What a pickle works on. Too few values on the stack are an `IndexError`."""

    def __init__(self, memo_limit: int) -> None:
        """Start empty.

        Args:
            memo_limit: The first index of the memo that is refused.
        """
        self.nodes: list[Node] = []
        self.stack: list[Value] = []
        self.below: list[list[Value]] = []
        self.memo: dict[int, Value] = {}
        self.memo_limit = memo_limit

    def push(self, value: Value) -> None:
        """Put a literal on the stack."""
        self.stack.append(value)

    def push_node(self, node: Node) -> None:
        """Put a new node on the stack."""
        self.nodes.append(node)
        self.stack.append(node)

    def mark(self) -> None:
        """Begin a new stack on top of what there is."""
        self.below.append(self.stack)
        self.stack = []

    def pop_mark(self) -> list[Value]:
        """Take everything above the last mark, and the mark."""
        if not self.below:
            raise Stop("there is no mark on the stack")
        items, self.stack = self.stack, self.below.pop()
        return items

    def pop(self) -> None:
        """Drop the value on top, or the mark if there is none above it."""
        if self.stack:
            self.stack.pop()
        else:
            self.pop_mark()

    def take(self, count: int) -> list[Value]:
        """Take some values from the top, in the order in which they were put there."""
        if len(self.stack) < count:
            raise IndexError
        items = self.stack[-count:]
        del self.stack[-count:]
        return items

    def get(self, index: int) -> None:
        """Put an entry of the memo on the stack."""
        if index not in self.memo:
            raise Stop(f"the memo has no entry {_number(index)}")
        self.stack.append(self.memo[index])

    def put(self, index: int) -> None:
        """Write the value on top into the memo."""
        value = self.stack[-1]
        if index < 0:
            raise Stop("an entry of the memo has a negative number")
        if index >= self.memo_limit:
            raise Stop(f"the memo has an entry {_number(index)}", too_large=True)
        self.memo[index] = value

    def add_parts(self, items: list[Value]) -> None:
        """Append elements to the object on top."""
        target = self.target()
        if target.parts is None:
            target.parts = []
        target.parts += items

    def add_pairs(self, items: list[Value]) -> None:
        """Set items of the object on top, given as keys and values in turn."""
        target = self.target()
        if target.kind == "list":
            raise Stop("an opcode sets single items of a list", doubtful=True)
        if target.pairs is None:
            target.pairs = []
        target.pairs += even(items)

    def target(self) -> Node:
        """The object on top, which is about to be changed in place."""
        found = self.stack[-1]
        if not isinstance(found, Node):
            raise Stop(f"an opcode changes a value of type {type(found).__name__}")
        if found.kind in _FIXED:
            raise Stop(f"an opcode changes a {found.kind}")
        return found


def even(items: list[Value]) -> list[Value]:
    """Keys and values in turn, as they are; an odd number of them is refused."""
    if len(items) % 2:
        raise Stop("a key has no value")
    return items


def _number(value: int) -> str:
    # The text of a huge number takes quadratic time, and Python refuses to make it.
    return f"{value:,}" if abs(value) < 1 << 64 else "with a huge number"
