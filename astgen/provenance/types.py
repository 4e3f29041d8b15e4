"""The types of values, as people write them: `f32[s72, 128]`."""

from __future__ import annotations

import re
from typing import Any

import torch

__all__ = ["MOST_PARTS", "shape_of", "type_text"]

MOST_PARTS = 16
"""How many items of a tuple are written out."""

_DTYPE = re.compile(r"(bfloat|float|complex|uint|int|qint|quint)([0-9]+)(?:_(\w+))?")
_LETTERS = {"bfloat": "bf", "float": "f", "complex": "c", "uint": "u", "int": "i"}
_DEEP = 4


def type_text(value: Any, depth: int = _DEEP) -> str:
    """The type of an example value.

    Args:
        value: A tensor, real or fake, a number, symbolic or not, or a container.
        depth: How deep containers are looked into.
    """
    if isinstance(value, torch.Tensor):
        shape = shape_of(value)
        sizes = "..." if shape is None else ", ".join(map(str, shape))
        return f"{_dtype(value.dtype)}[{sizes}]"
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return f"Sym({value})"
    if isinstance(value, (tuple, list)) and depth:
        parts = [type_text(one, depth - 1) for one in value[:MOST_PARTS]]
        parts += ["..."] * (len(value) > MOST_PARTS)
        return f"({', '.join(parts)})" if len(parts) != 1 else f"({parts[0]},)"
    return "None" if value is None else type(value).__qualname__


def shape_of(tensor: torch.Tensor) -> tuple[int | torch.SymInt, ...] | None:
    """The shape of a tensor; None if it has none, as lists of tensors have none."""
    try:
        return tuple(tensor.shape)
    except RuntimeError:
        return None


def _dtype(dtype: torch.dtype) -> str:
    name = str(dtype).removeprefix("torch.")
    found = _DTYPE.fullmatch(name)
    if found is None:
        return "b8" if name == "bool" else name
    kind, bits, rest = found.groups()
    return f"{_LETTERS.get(kind, kind)}{bits}{(rest or '').replace('_', '')}"
