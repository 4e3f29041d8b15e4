"""Arguments of nodes as expressions: names, literals, slots and what holds them.

Works without recursion, so nesting of any depth is fine; what is nested deeper
than the dialect allows in one expression goes through a temporary.
"""

from __future__ import annotations

from collections import UserDict, UserList, deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any

import libcst as cst
import torch
from torch import fx
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.check.dialect import MAX_ARGUMENT_NESTING
from astgen.emit.blame import argument_path
from astgen.emit.constants import Constants
from astgen.emit.literals import Quote, is_literal, literal, quoted
from astgen.emit.nodes import call_of, container, dotted, slot_of, tuple_of
from astgen.emit.targets import Targets
from astgen.errors import UnsupportedGraphError
from astgen.operators import OPERATORS, is_operator

__all__ = ["Arguments", "type_name"]

_LISTS = (list, immutable_list)
_DICTS = (dict, immutable_dict)
_SEQUENCES = frozenset({tuple, *_LISTS})
_SPELLED_BY_ITEM = frozenset({slice, range, torch.Size, *_SEQUENCES, *_DICTS})
_SHALLOW = frozenset({fx.Node, int, bool, str, type(None)})
"""Types of most arguments: nodes, and constants that hold nothing."""
_PLAIN = frozenset(
    {torch.device, torch.dtype, torch.layout, torch.memory_format, float}
)
"""Types of which no value holds others."""
_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
_NO_CONSTANTS = (fx.Node, fx.Proxy, *_SYMBOLS)
_HAS_A_NAME = (fx.Node, *OPERATORS)
"""What is spelled by name even inside a record: nodes, and operators, which do not
pickle."""

Spelled = tuple[cst.BaseExpression, int]
"""An expression and how deeply containers nest in it."""
Walk = Generator[Any, Spelled, Spelled]


@dataclass
class Arguments:
    """Spells the arguments of one function.

    Attributes:
        constants: The program's slots.
        targets: Spells operators that are passed as values.
        names: What each node is called; nodes that are not here are not defined.
        temporary: Binds an expression to a new temporary and returns its name;
            None where no statement can be put before the expression.
        consts_name: The name of the list of slots.
        quote: How strings are spelled.
    """

    constants: Constants
    targets: Targets
    names: dict[fx.Node, cst.BaseExpression] = field(default_factory=dict)
    temporary: Callable[[cst.BaseExpression], cst.BaseExpression] | None = None
    consts_name: str = "__vllm_consts__"
    quote: Quote = quoted

    def spell(self, arg: Any, node: fx.Node | None = None) -> cst.BaseExpression:
        """The expression for one argument.

        Args:
            arg: A node, a constant, or containers of both.
            node: Whose argument it is, for errors.

        Returns:
            The expression.

        Raises:
            UnsupportedGraphError: The argument has no meaning outside tracing,
                or hides a node where `torch.fx` does not look for one.
        """
        kind = type(arg)
        if kind is fx.Node:
            return self._name(arg, node)
        if kind in _SEQUENCES and _SHALLOW.issuperset(map(type, arg)):
            items = [
                (
                    self._name(one, node)
                    if type(one) is fx.Node
                    else self.constant(one, node)
                )
                for one in arg
            ]
            return container(kind, items)
        leaf = self._leaf(arg, node)
        if leaf is not None:
            return leaf
        walks: list[Walk] = [self._walk(arg, node)]
        around = {id(arg): arg}
        answer: Spelled | None = None
        while walks:
            try:
                child = walks[-1].send(answer)  # type: ignore[arg-type]
            except StopIteration as done:
                walks.pop()
                around.popitem()
                answer = self._limited(done.value)
            else:
                leaf = self._leaf(child, node)
                if leaf is None:
                    if id(child) in around:
                        raise UnsupportedGraphError(
                            f"a {type_name(child)} contains itself; no expression does",
                            node,
                        )
                    around[id(child)] = child
                    walks.append(self._walk(child, node))
                answer = None if leaf is None else (leaf, 0)
        if answer is None:
            raise UnsupportedGraphError(f"no value for {type_name(arg)}", node)
        return answer[0]

    def slot(self, value: Any) -> cst.BaseExpression:
        """The expression for the slot of a constant."""
        return slot_of(self.consts_name, self.constants.slot(value))

    def constant(self, value: Any, node: fx.Node | None) -> cst.BaseExpression:
        """The expression for a value as one object: a literal, a path or a slot.

        Raises:
            UnsupportedGraphError: The value is, or holds, nothing that can be kept.
        """
        if is_literal(value):
            return literal(value, self.quote)
        if is_operator(value):
            return self.targets.spell(value)
        if type(value) in _PLAIN:
            return self.slot(value)
        intruder = _find(value, _NO_CONSTANTS)
        if intruder is not None:
            raise _refusal(value, intruder, node)
        return self.slot(value)

    def _leaf(self, arg: Any, node: fx.Node | None) -> cst.BaseExpression | None:
        """What stands for `arg` if it is not spelled out item by item."""
        kind = type(arg)
        if kind in _SPELLED_BY_ITEM:
            return None
        if isinstance(arg, fx.Node):
            return self._name(arg, node)
        if isinstance(arg, tuple) and _is_record(kind):
            if _find(arg, _HAS_A_NAME) is not None:
                return None
        return self.constant(arg, node)

    def _name(self, arg: fx.Node, node: fx.Node | None) -> cst.BaseExpression:
        found = self.names.get(arg)
        if found is None:
            raise UnsupportedGraphError(
                f"{arg.name!r} is used before it is defined; order the graph "
                "with graph.lint() as a guide",
                node,
                argument_path(node, arg) if node is not None else "",
            )
        return found

    def _walk(self, arg: Any, node: fx.Node | None) -> Walk:
        kind = type(arg)
        if kind in _DICTS:
            return (yield from self._dict(arg, node))
        if kind is slice:
            step = () if arg.step is None else (arg.step,)
            items, height = yield from _all((arg.start, arg.stop, *step))
            return call_of(cst.Name("slice"), items), height
        if kind is range:
            step = () if arg.step == 1 else (arg.step,)
            items, height = yield from _all((arg.start, arg.stop, *step))
            return call_of(cst.Name("range"), items), height
        items, height = yield from _all(arg)
        if kind is tuple or kind in _LISTS:
            return container(kind, items), height
        if kind is torch.Size:
            return call_of(dotted("torch.Size"), [tuple_of(items)]), height + 1
        return call_of(self.targets.rebuild(kind), [tuple_of(items)]), height + 1

    def _dict(self, arg: dict[Any, Any], node: fx.Node | None) -> Walk:
        for key in arg:
            if _find(key, (fx.Node,)) is not None:
                raise _refusal(arg, key, node)
        keys, key_height = yield from _all(arg.keys())
        values, height = yield from _all(arg.values())
        elements = [
            cst.DictElement(key=key, value=value) for key, value in zip(keys, values)
        ]
        return cst.Dict(elements=elements), max(key_height, height)

    def _limited(self, spelled: Spelled) -> Spelled:
        expression, height = spelled
        if height < MAX_ARGUMENT_NESTING or self.temporary is None:
            return spelled
        return self.temporary(expression), 0


def _refusal(value: Any, intruder: Any, node: fx.Node | None) -> UnsupportedGraphError:
    if isinstance(intruder, _SYMBOLS):
        what = f"a {type(intruder).__name__} is no constant"
        way_out = "pass it into the graph as an input"
    elif isinstance(intruder, fx.Proxy):
        what, way_out = "a torch.fx.Proxy is no value", "finish tracing first"
    else:
        what = f"a {type_name(value)} holds a node where torch.fx does not see it"
        way_out = "use a list, a tuple, a slice, a namedtuple or the values of a dict"
    path = ""
    if node is not None:
        path = argument_path(node, intruder) or argument_path(node, value)
    return UnsupportedGraphError(f"{what}; {way_out}", node, path)


def _find(value: Any, kinds: tuple[type, ...]) -> Any:
    """Something of `kinds` in a value, in containers of any type; None if there is
    none."""
    todo = [value]
    seen: set[int] = set()
    while todo:
        item = todo.pop()
        if isinstance(item, kinds):
            return item
        if id(item) not in seen:
            seen.add(id(item))
            todo += _parts(item)
    return None


def _parts(value: Any) -> Iterable[Any]:
    """What a container holds, of the types that people put nodes into."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, MappingProxyType):
        return [*value.keys(), *value.values()]
    if isinstance(value, (UserList, UserDict)):
        return (value.data,)
    if isinstance(value, slice):
        return (value.start, value.stop, value.step)
    if isinstance(value, partial):
        return (*value.args, *value.keywords.values())
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, one.name, None) for one in fields(value)]
    if isinstance(value, SimpleNamespace):
        return vars(value).values()
    return ()


def type_name(value: object) -> str:
    """The type of a value as people write it; never its `repr`, which may raise."""
    kind = type(value)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_record(kind: type) -> bool:
    """A namedtuple or structseq: made from one sequence of its fields."""
    return hasattr(kind, "_fields") or hasattr(kind, "n_sequence_fields")


def _all(
    children: Iterable[Any],
) -> Generator[Any, Spelled, tuple[list[cst.BaseExpression], int]]:
    """Have children spelled; their expressions, and the height of what holds them."""
    items: list[cst.BaseExpression] = []
    height = 0
    for child in children:
        expression, below = yield child
        items.append(expression)
        height = max(height, below)
    return items, height + 1
