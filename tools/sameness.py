"""Equality to the last bit of what two runs leave behind, for the sweeps.

Whatever differs is described in a line instead of raised: a sweep counts and goes on.
"""

from __future__ import annotations

import copy
import struct
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.utils import _pytree as pytree

__all__ = ["Place", "copied", "differences", "tensors_in"]

Place = tuple[str, ...]
"""The way from a value to one of its parts."""

_PLAIN: dict[type, type] = {immutable_list: list, immutable_dict: dict}


def differences(actual: Any, expected: Any) -> Iterator[tuple[Place, str, bool]]:
    """Where two values differ.

    Tensors are equal with the same dtype, shape, strides, layout and bytes; where
    the bytes differ, a NaN on both sides is the same. FX's immutable containers count
    as plain ones; all other types must be the same.

    Args:
        actual: What came out.
        expected: What should have.

    Returns:
        For each difference the place, a description, and whether nothing but the
        numbers in a tensor differ.
    """
    todo: list[tuple[Place, Any, Any]] = [((), actual, expected)]
    while todo:
        place, left, right = todo.pop()
        kinds = [_PLAIN.get(type(value), type(value)) for value in (left, right)]
        if kinds[0] is not kinds[1]:
            yield place, f"a {kinds[0].__name__} for a {kinds[1].__name__}", False
        elif isinstance(left, dict):
            if list(left) != list(right):
                yield place, f"keys {list(left)} for {list(right)}", False
            todo += [
                ((*place, f"[{key!r}]"), left[key], right[key])
                for key in left
                if key in right
            ]
        elif isinstance(left, (list, tuple)):
            if len(left) != len(right):
                yield place, f"{len(left)} items for {len(right)}", False
            todo += [
                ((*place, f"[{index}]"), *pair)
                for index, pair in enumerate(zip(left, right))
            ]
        elif isinstance(left, torch.Tensor):
            found = _between_tensors(left, right)
            if found is not None:
                yield (place, *found)
        elif not _same_leaf(left, right):
            yield place, f"{left!r:.80} for {right!r:.80}", False


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in a value, in order."""
    leaves = pytree.tree_leaves(value)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def copied(value: Any) -> Any:
    """A copy with tensors and generators of its own, which share what these share."""
    memo: dict[int, Any] = {}

    def copy_leaf(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            if leaf.layout is not torch.strided:
                # These cannot be copied deeply, and share no storage.
                memo.setdefault(id(leaf), leaf.clone())
            return copy.deepcopy(leaf, memo)
        if isinstance(leaf, torch.Generator):
            return memo.setdefault(id(leaf), leaf.clone_state())
        return leaf

    return pytree.tree_map(copy_leaf, value)


def _between_tensors(
    left: torch.Tensor, right: torch.Tensor
) -> tuple[str, bool] | None:
    for name, get in _FACTS.items():
        facts = get(left), get(right)
        if facts[0] != facts[1]:
            return f"{name} {facts[0]} for {facts[1]}", False
    for one, other in zip(_dense_parts(left), _dense_parts(right)):
        # The indices of sparse tensors say how many values there are.
        if one.shape != other.shape:
            return f"{list(one.shape)} stored for {list(other.shape)}", False
        wrong = _different_elements(one, other)
        if wrong:
            return f"{wrong} of {one.numel()} elements differ", True
    return None


def _stride(tensor: torch.Tensor) -> tuple[int, ...] | None:
    return tensor.stride() if tensor.layout is torch.strided else None


def _quantizer(tensor: torch.Tensor) -> Any:
    if not tensor.is_quantized:
        return None
    if tensor.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        return tensor.qscheme(), tensor.q_scale(), tensor.q_zero_point()
    scales, points = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
    axis = tensor.q_per_channel_axis()
    return tensor.qscheme(), axis, scales.tolist(), points.tolist()


_FACTS = {
    "dtype": lambda tensor: tensor.dtype,
    "shape": lambda tensor: tuple(tensor.shape),
    "layout": lambda tensor: tensor.layout,
    "stride": _stride,
    "storage offset": lambda tensor: (
        tensor.storage_offset() if tensor.layout is torch.strided else None
    ),
    "device": lambda tensor: tensor.device,
    "requires_grad": lambda tensor: tensor.requires_grad,
    "conjugate": lambda tensor: tensor.is_conj(),
    "negative": lambda tensor: tensor.is_neg(),
    "coalesced": lambda tensor: (
        tensor.is_coalesced() if tensor.layout is torch.sparse_coo else None
    ),
    "quantizer": _quantizer,
}


def _dense_parts(tensor: torch.Tensor) -> list[torch.Tensor]:
    """What a tensor stores, as plain dense tensors."""
    tensor = tensor.detach()
    if tensor.is_meta:
        return []
    if tensor.layout is torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    if tensor.layout is not torch.strided:
        return [tensor.to_dense()]
    if tensor.is_quantized:
        return [tensor.int_repr()]
    return [tensor.resolve_conj().resolve_neg()]


def _different_elements(one: torch.Tensor, other: torch.Tensor) -> int:
    wrong = (_bytes(one) != _bytes(other)).any(dim=1)
    if not wrong.any():
        return 0
    if one.is_floating_point() or one.is_complex():
        both_nan = one.flatten().isnan() & other.flatten().isnan()
        wrong &= ~both_nan
    return int(wrong.sum())


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """A row of bytes for each element."""
    flat = tensor.flatten().clone(memory_format=torch.contiguous_format)
    return flat.view(torch.uint8).view(flat.numel(), flat.element_size())


def _same_leaf(left: Any, right: Any) -> bool:
    if isinstance(left, float):
        return struct.pack("d", left) == struct.pack("d", right) or (
            left != left and right != right
        )
    if isinstance(left, complex):
        return _same_leaf(left.real, right.real) and _same_leaf(left.imag, right.imag)
    if isinstance(left, torch.Generator):
        return torch.equal(left.get_state(), right.get_state())
    return left is right or bool(left == right)
