"""The objects that the source cannot spell: which slot holds which.

Slots are shared by identity, and by value for value types, so that their number
does not depend on how a tracer happened to allocate objects. The value key never
asks a user's type for `==` or `hash`.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Hashable
from typing import Any

import torch

__all__ = ["Constants"]

_PLACEMENTS = {
    "Replicate": (),
    "Shard": ("dim",),
    "_StridedShard": ("dim", "split_factor"),
    "Partial": ("reduce_op",),
}
_PLACEMENT_MODULE = "torch.distributed.tensor.placement_types"


class Constants:
    """The list of slots of one program, filled in order of first use."""

    def __init__(
        self, values: list[Any] | None = None, index: dict[int, int] | None = None
    ) -> None:
        """Start empty, or go on with slots that a caller already has.

        Args:
            values: The slots; appended to in place.
            index: Slot by `id` of the object; kept up to date in place.
        """
        self.values: list[Any] = [] if values is None else values
        self._by_id: dict[int, int] = {} if index is None else index
        self._by_key: dict[Hashable, int] = {}
        for slot, value in enumerate(self.values):
            key = _value_key(value)
            if key is not None:
                self._by_key.setdefault(key, slot)

    def slot(self, value: Any) -> int:
        """The slot of an object, a new one if no slot holds it yet."""
        known = self._by_id.get(id(value))
        if known is None:
            key = _value_key(value)
            known = None if key is None else self._by_key.get(key)
            if known is None:
                known = len(self.values)
                self.values.append(value)
                if key is not None:
                    self._by_key[key] = known
                # Only what the slots keep alive may be known by its id.
                self._by_id[id(value)] = known
        return known

    def key(self, value: Any) -> Hashable:
        """A key that is equal for objects which share a slot.

        It knows objects by their `id`: callers keep them alive.
        """
        return _value_key(value) or id(value)

    def made(self, key: Hashable, make: Callable[[], Any]) -> int:
        """The slot of an object that the emitter itself makes, one for each key."""
        full_key = ("made", key)
        if full_key not in self._by_key:
            self._by_key[full_key] = len(self.values)
            self.values.append(make())
        return self._by_key[full_key]


def _value_key(value: Any) -> Hashable | None:
    """A key that is equal for interchangeable values; None: compare by identity."""
    kind = type(value)
    if kind is float:
        return kind, struct.pack(">d", value)
    if kind is complex:
        return kind, struct.pack(">dd", value.real, value.imag)
    if kind is torch.device:
        return kind, value.type, value.index
    if kind.__module__ == _PLACEMENT_MODULE and kind.__name__ in _PLACEMENTS:
        return _placement_key(value)
    return None


def _placement_key(value: Any) -> Hashable | None:
    kind = type(value)
    if getattr(sys.modules.get(_PLACEMENT_MODULE), kind.__name__, None) is not kind:
        return None
    fields = [getattr(value, name) for name in _PLACEMENTS[kind.__name__]]
    if any(type(item) not in (int, str) for item in fields):
        return None
    return (kind, *fields)
