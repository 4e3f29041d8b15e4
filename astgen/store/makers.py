"""What pickles call that does nothing but make a value, done by hand.

Each function takes what a call may have as arguments, and raises `TypeError`,
`ValueError`, `RuntimeError` or `OverflowError` for anything else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["WAYS"]

_LAYOUTS = {
    str(value): value for value in vars(torch).values() if type(value) is torch.layout
}


def _layout(name: str) -> torch.layout:
    if name not in _LAYOUTS:
        raise ValueError(name)
    return _LAYOUTS[name]


def _device(*args: Any) -> torch.device:
    if not args or not all(type(arg) in (str, int) for arg in args):
        raise ValueError(args)
    return torch.device(*args)


def _size(items: Any) -> torch.Size:
    if type(items) is not tuple or not all(type(item) is int for item in items):
        raise ValueError(items)
    return torch.Size(items)


def _of(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Makes a container of the items of a plain one; a range can have any number."""

    def make(items: Any) -> Any:
        if type(items) not in (list, tuple):
            raise ValueError(items)
        return kind(items)

    return make


def _no_bytes() -> bytes:
    return b""


WAYS: dict[str, Callable[..., Any]] = {
    "_operator.attrgetter": operator.attrgetter,
    "_operator.itemgetter": operator.itemgetter,
    "_operator.methodcaller": operator.methodcaller,
    "builtins.bytes": _no_bytes,
    "builtins.complex": complex,
    "builtins.frozenset": _of(frozenset),
    "builtins.range": range,
    "builtins.set": _of(set),
    "builtins.slice": slice,
    "builtins.xrange": range,
    "operator.attrgetter": operator.attrgetter,
    "operator.itemgetter": operator.itemgetter,
    "operator.methodcaller": operator.methodcaller,
    "torch.Size": _size,
    "torch.device": _device,
    "torch.fx.immutable_collections.immutable_dict": _of(immutable_dict),
    "torch.fx.immutable_collections.immutable_list": _of(immutable_list),
    "torch.serialization._get_layout": _layout,
}
"""What is called with arguments that are known, and does nothing but make a value."""
