"""Equality to the last bit: what a generated function returns against what is right."""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

import numpy as np
import torch
from torch import fx
from torch.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["assert_same", "tensors_in"]

_PLAIN: dict[type, type] = {immutable_list: list, immutable_dict: dict}


def assert_same(actual: Any, expected: Any, where: str = "result") -> None:
    """Compare two values: types, order, bits, NaN payloads, strides.

    Args:
        actual: What came out.
        expected: What should have. FX's immutable containers count as plain ones.
        where: What the values are, for the message.

    Raises:
        AssertionError: They differ; the message leads to the first difference.
    """
    todo = [(actual, expected, where)]
    while todo:
        left, right, path = todo.pop()
        kind, expected_kind = _kind(left), _kind(right)
        assert (
            kind is expected_kind
        ), f"{path}: a {kind.__name__} for a {expected_kind.__name__}"
        parts = _parts(left)
        if parts is None:
            assert _same_leaf(left, right), f"{path}: {_show(left)}, not {_show(right)}"
            continue
        expected_parts = _parts(right)
        assert len(parts) == len(
            expected_parts
        ), f"{path}: {len(parts)} parts for {len(expected_parts)}"
        for (key, one), (_, other) in zip(parts, expected_parts):
            todo.append((one, other, f"{path}{key}"))


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in a value, in order."""
    found: list[torch.Tensor] = []
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, torch.Tensor):
            found.append(item)
        else:
            todo += [part for _, part in reversed(_parts(item) or ())]
    return found


def _kind(value: Any) -> type:
    return _PLAIN.get(type(value), type(value))


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What a container holds, with the way there; None for anything else."""
    if isinstance(value, dict):
        keys = [(f".keys()[{i}]", key) for i, key in enumerate(value)]
        return keys + [
            (f".values()[{i}]", item) for i, item in enumerate(value.values())
        ]
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, (slice, range)):
        return [
            (f".{name}", getattr(value, name)) for name in ("start", "stop", "step")
        ]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return [(f".{name}", getattr(value, name)) for name in names]
    return None


def _same_leaf(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, torch.Tensor):
        return _tensor_key(left) == _tensor_key(right)
    if isinstance(left, (np.ndarray, np.generic)):
        return (left.dtype, left.shape, left.tobytes()) == (
            right.dtype,
            right.shape,
            right.tobytes(),
        )
    if isinstance(left, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, complex):
        return struct.pack("dd", left.real, left.imag) == struct.pack(
            "dd", right.real, right.imag
        )
    if isinstance(left, fx.Node):
        return False
    if isinstance(left, torch.Generator):
        return torch.equal(left.get_state(), right.get_state())
    if type(left).__eq__ is object.__eq__:
        return bool(getattr(left, "__dict__", None)) and vars(left) == vars(right)
    return bool(left == right)


def _tensor_key(tensor: torch.Tensor) -> tuple[Any, ...]:
    plain = tensor.detach()
    raw = (
        plain.resolve_conj()
        .resolve_neg()
        .flatten()
        .clone(memory_format=torch.contiguous_format)
    )
    return (
        tensor.dtype,
        tensor.shape,
        tensor.stride(),
        tensor.device,
        tensor.requires_grad,
        raw.view(torch.uint8).numpy().tobytes(),
    )


def _show(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
