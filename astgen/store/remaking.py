"""Constants of somebody else's pickle, made from its description and not by loading it.

Each known way of making a value is written down here and done by hand. What a pickle
makes in any other way is refused, however harmless it looks.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.distributed.tensor import placement_types

from astgen.errors import ArtifactError
from astgen.lint.sources.pickle_calls import spelled
from astgen.lint.sources.pickle_shapes import changed
from astgen.lint.sources.pickle_values import MAKERS, Node, Value, children, dotted
from astgen.store.codec import DecodePolicy
from astgen.store.codec.faults import Malformed
from astgen.store.codec.names import found, is_listed, loaded
from astgen.store.makers import WAYS

__all__ = ["remake"]

_DEPTH = 60
_MOST = 1 << 20
_PLAIN = (torch.dtype, torch.memory_format, torch.qscheme)
_TORCH = ("torch.", "torch._utils.torch.")
_SINGLETONS = {"builtins.Ellipsis": ..., "builtins.NotImplemented": NotImplemented}
_FUNCTIONS = ("torch._C._VariableFunctions", "torch._C._VariableFunctionsClass")
_PLACEMENTS = f"{placement_types.__name__}."
_FIELDS: dict[str, dict[str, type]] = {
    "Partial": {"reduce_op": str},
    "Replicate": {},
    "Shard": {"dim": int},
    "_StridedShard": {"dim": int, "split_factor": int},
}


def remake(consts: Sequence[Value], policy: DecodePolicy, path: str = "") -> list[Any]:
    """Make constants.

    Args:
        consts: What a pickle would make, in slot order.
        policy: Which functions and classes may be among them.
        path: The file, for errors.

    Returns:
        The constants. What the pickle shares, they share.

    Raises:
        ArtifactError: A constant is made in a way that is not known, or needs what
            is not allowed; `field` is the slot.
    """
    maker = _Maker(policy)
    made = []
    for slot, value in enumerate(consts):
        try:
            made.append(maker.constant(value))
        except (_Unknown, Malformed) as fault:
            raise ArtifactError(
                str(fault),
                path=path,
                field=f"consts[{slot}]",
                hint="if you know the name, allow it (astgen convert --allow); else "
                "compile the model again with astgen as the generator, and save that",
            ) from fault
    return made


class _Unknown(Exception):
    """A value is made in a way that is not known."""


class _Maker:
    def __init__(self, policy: DecodePolicy) -> None:
        self.policy = policy
        self.made: dict[int, Any] = {}
        self.weights: dict[int, int] = {}

    def constant(self, value: Value) -> Any:
        """A whole constant. Hashing goes through what is shared again and again."""
        if self.weight(value, 0) > _MOST:
            raise _Unknown("it has too many parts")
        return self.value(value)

    def weight(self, value: Value, depth: int) -> int:
        """How many parts a value has, those that are shared counted each time."""
        if not isinstance(value, Node):
            return 1
        if depth > _DEPTH:
            raise _Unknown("it is nested too deeply, or contains itself")
        if id(value) not in self.weights:
            below = sum(self.weight(part, depth + 1) for _, part in children(value))
            self.weights[id(value)] = 1 + below
        return self.weights[id(value)]

    def value(self, value: Value) -> Any:
        if not isinstance(value, Node):
            return value
        if id(value) not in self.made:
            self.made[id(value)] = self.node(value)
        return self.made[id(value)]

    def values(self, values: Sequence[Value] | None) -> list[Any]:
        return [self.value(value) for value in values or ()]

    def node(self, node: Node) -> Any:
        if node.states and node.kind not in MAKERS:
            raise _Unknown("something is done to it after it was made")
        if node.kind in ("list", "tuple", "set", "frozenset"):
            return _contained(node.kind, self.values(node.parts))
        if node.kind == "dict":
            flat = self.values(node.pairs)
            return _hashed(lambda: dict(zip(flat[::2], flat[1::2])))
        if node.kind == "global":
            return self.named(node)
        if node.kind not in MAKERS or node.keywords is not None:
            raise _Unknown(f"it is made by {node.kind}, which is not known")
        return self.call(node)

    def named(self, node: Node) -> Any:
        name = dotted(node) or _colon(node)
        if name in _SINGLETONS:
            return _SINGLETONS[name]
        for prefix in _TORCH:
            plain = vars(torch).get(name.removeprefix(prefix))
            if name.startswith(prefix) and isinstance(plain, _PLAIN):
                return plain
        return self.function(name, _colon(node))

    def function(self, name: str, own: str) -> Any:
        """A function or class: by the listed path that leads to it, or its own name."""
        root, _, path = name.partition(".")
        listed = f"{root.removeprefix('_')}:{path}"
        if root in ("torch", "operator", "_operator") and is_listed(listed):
            return loaded(listed, self.policy)
        return loaded(own, self.policy)

    def call(self, node: Node) -> Any:
        name = dotted(node.callee)
        given = node.arguments
        if name is None or not isinstance(given, Node) or given.kind != "tuple":
            raise _Unknown("it is made by a call that is worked out")
        if spelled(node) and not changed(node):
            return str((given.parts or [""])[0]).encode("latin-1")
        if node.kind == "new" and name.startswith(_PLACEMENTS):
            return self.placement(node, name.removeprefix(_PLACEMENTS))
        if name == "functools.partial":
            return self.partial(node)
        if node.kind != "call" or changed(node):
            raise _Unknown(f"how {ascii(name)[:80]} is made is not known")
        if name == "builtins.getattr":
            return self.attribute(given)
        args = self.values(given.parts)
        maker = WAYS.get(name)
        if maker is None:
            return self.member(node.callee, args)
        try:
            return maker(*args)
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise _Unknown(f"{name} does not take what it is given") from error

    def attribute(self, given: Node) -> Any:
        """`tuple.__new__`, as in what rebuilds a namedtuple, or a function of torch."""
        match given.parts:
            case [Node() as owner, "__new__"] if dotted(owner) == "builtins.tuple":
                return tuple.__new__
            case [Node() as owner, str() as name] if dotted(owner) in _FUNCTIONS:
                return self.function(f"torch.{name}", f"torch:{name}")
        raise _Unknown("it reads an attribute of something")

    def partial(self, node: Node) -> Any:
        if node.parts or node.pairs:
            raise _Unknown("something is done to a functools.partial")
        match node.states:
            case [Node(kind="tuple", parts=[function, Node() as args, words, _])]:
                made = self.value(function)
                if made is tuple.__new__:
                    # What rebuilds a namedtuple calls no code of its class.
                    match args.parts:
                        case [kind]:
                            return functools.partial(
                                made, found(_colon(kind), self.policy)
                            )
                named = self.value(words)
                texts = type(named) is dict and all(type(key) is str for key in named)
                if callable(made) and texts:
                    return functools.partial(made, *self.value(args), **named)
        raise _Unknown("a functools.partial is made in a way that is not known")

    def placement(self, node: Node, name: str) -> Any:
        match (node.arguments, node.states):
            case (Node(parts=None | []), [Node(kind="dict", pairs=pairs)]):
                flat = pairs or []
                keys = [key for key in flat[::2] if isinstance(key, str)]
                fields = dict(zip(keys, flat[1::2]))
                kinds = {key: type(value) for key, value in fields.items()}
                if kinds == _FIELDS.get(name) and 2 * len(fields) == len(flat):
                    return getattr(placement_types, name)(**fields)
        raise _Unknown(f"how the placement {ascii(name)[:80]} is made is not known")

    def member(self, callee: Value, args: list[Any]) -> Any:
        """A member of an enumeration, found by its value without calling the class."""
        kind = found(_colon(callee), self.policy)
        if not issubclass(kind, enum.Enum) or len(args) != 1:
            raise _Unknown(f"how {_colon(callee)} is made is not known")
        for one in kind.__members__.values():
            own = one._value_
            if type(own) is type(args[0]) and own == args[0]:
                return one
        raise _Unknown(f"{_colon(callee)} has no member of that value")


def _colon(value: Value) -> str:
    """A global as `module:qualified.name`."""
    match value:
        case Node(arguments=Node(parts=[str() as module, str() as name])):
            return f"{module}:{name}"
    raise _Unknown("it has a name that is worked out")


def _contained(kind: str, items: list[Any]) -> Any:
    if kind == "list":
        return items
    if kind == "tuple":
        return tuple(items)
    return _hashed(lambda: set(items) if kind == "set" else frozenset(items))


def _hashed(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except TypeError:
        raise _Unknown("a key of it cannot be one") from None
