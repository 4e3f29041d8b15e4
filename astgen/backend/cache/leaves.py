"""What a graph refers to beside its nodes, by position: the same in every process.

A program that was stored is bound to the objects of the graph at hand, so weights are
never stored, and a function needs no name that can be imported, only a key.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

import torch

from astgen.check import DEFAULT_DIALECT
from astgen.emit.constants import Constants
from astgen.emit.nodes import slot_of
from astgen.emit.targets import Targets
from astgen.errors import AstgenError, ConstantError
from astgen.operators import is_operator
from astgen.store.codec import dumps, encode

__all__ = ["Leaves", "Uncacheable"]


class Uncacheable(AstgenError):
    """A graph is compiled anew each time, since no key can be made for it."""


class Leaves:
    """The objects of one graph, each once, in the order in which they are met.

    Attributes:
        objects: The objects.
        operators: The schema of each registered operator that is called, by name.
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.operators: dict[str, str] = {}
        self._places: dict[int, int] = {}
        self._targets = Targets(Constants(), partial(slot_of, DEFAULT_DIALECT.consts))
        self._names: dict[int, str] = {}

    def constant(self, value: Any) -> str:
        """How a constant is spelled: its position."""
        if is_operator(value):
            return self.target(value)
        place = self._places.get(id(value))
        if place is None:
            place = self._places[id(value)] = len(self.objects)
            self.objects.append(value)
        return f"<{place}>"

    def target(self, target: Any) -> str:
        """How a target of a call is spelled: the path to it, else its position."""
        name = self._names.get(id(target))
        if name is None:
            name = self._names[id(target)] = self._target(target)
        return name

    def _target(self, target: Any) -> str:
        # Whoever spells the text has the same notion of what a path leads to.
        key = self._targets.key(target)
        if is_operator(target):
            name = key if isinstance(key, str) else repr(key)
            self.operators[name] = _schema(target)
            return name
        return key if isinstance(key, str) else self.constant(target)

    def described(self) -> list[str]:
        """A line for each object that is the same in every process.

        Raises:
            Uncacheable: An object is nothing that could be told from others.
        """
        values = [None if _is_bound(value) else value for value in self.objects]
        try:
            encoded = encode(values)
        except ConstantError as error:
            raise Uncacheable(str(error)) from error
        lines = [
            _tensor(value) if _is_bound(value) else f"{slot.kind} {slot.shown}"
            for value, slot in zip(self.objects, encoded.slots)
        ]
        blobs = "".join(sorted(encoded.blobs))
        whole = hashlib.sha256(dumps(encoded.document) + blobs.encode()).hexdigest()
        return [*lines, f"all of them {whole}"] if lines else []


def _is_bound(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _tensor(value: torch.Tensor) -> str:
    grad = " requires_grad" if value.requires_grad else ""
    shape = ", ".join(map(str, value.shape))
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return f"{kind} {value.dtype}[{shape}] {value.device}{grad}"


def _schema(target: Any) -> str:
    if isinstance(target, torch._ops.OpOverload):
        return str(target._schema)
    if isinstance(target, torch._ops.OpOverloadPacket):
        names = sorted(name or "default" for name in target._overload_names)
        overloads = (getattr(target, name) for name in names)
        return "; ".join(str(one._schema) for one in overloads)
    return "a higher-order operator"
