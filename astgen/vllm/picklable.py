"""Can vLLM pickle a constant? Told without pickling.

vLLM pickles the list of constants when it saves its AOT artifact, long after the
graph is gone. What pickle would ask an object, `__reduce_ex__`, is asked here as
well, while there still is a node to name; what pickle is known to write is not asked.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import torch

__all__ = ["why_not_picklable"]

_PLAIN = frozenset(
    {
        *(type(None), type(...), bool, int, float, complex, str, bytes, bytearray),
        *(torch.dtype, torch.device, torch.layout, torch.memory_format),
        *(torch.UntypedStorage, torch.storage.TypedStorage),
    }
)
_CONTAINERS = frozenset({list, tuple, set, frozenset, torch.Size})
_NAMELESS = (type(None), type(...), type(NotImplemented))
"""Classes that no module has under their name; pickle knows them."""

_TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})
_PROTOCOL = 4
_LIMIT = 100_000
"""Objects that are looked at; what is larger is left to vLLM."""


def why_not_picklable(value: Any) -> str:
    """Why pickle cannot write a value; empty if nothing speaks against it.

    Args:
        value: A constant.

    Returns:
        The reason.
    """
    # Keeps everything alive, or what is made on the way could share an address.
    looked: dict[int, Any] = {}
    waiting = [value]
    while waiting and len(looked) < _LIMIT:
        one = waiting.pop()
        if id(one) in looked or type(one) in _PLAIN:
            continue
        looked[id(one)] = one
        try:
            waiting += _parts(one)
        except Exception as error:
            # The object itself says that it cannot, in whatever way.
            return f"{type(error).__name__}: {error}"
    return ""


def _parts(value: Any) -> list[Any]:
    """What pickle writes to write `value`.

    Raises:
        Exception: It cannot write it.
    """
    kind = type(value)
    if kind in _CONTAINERS:
        return list(value)
    if kind is dict:
        return [*value.keys(), *value.values()]
    if kind in _TENSORS and value.layout is torch.strided:
        return []
    if kind is FunctionType or (
        isinstance(value, type) and kind not in copyreg.dispatch_table
    ):
        if value not in _NAMELESS:
            _find(value, value.__qualname__)
        return []
    reduce = copyreg.dispatch_table.get(kind)
    made: Any = reduce(value) if reduce else value.__reduce_ex__(_PROTOCOL)
    if isinstance(made, str):
        _find(value, made)
        return []
    return [part for part in _spread(made) if part is not None]


def _spread(made: tuple[Any, ...]) -> Iterable[Any]:
    """A reduction's function, arguments and state, and the items to be added."""
    yield from made[:3]
    for items in made[3:5]:
        yield from items or ()
    yield from made[5:]


def _find(value: Any, name: str) -> None:
    """Makes sure that a module has `value` under `name`, as pickle does.

    Raises:
        ValueError: It has not.
    """
    home = getattr(value, "__module__", None)
    modules = [home] if home is not None else [*sys.modules]
    for module in modules:
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is value:
            return
    raise ValueError(f"{name!r} is not found in {home or 'any module'}")
