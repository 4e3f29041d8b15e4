"""Two results of a model: equal to the bit, or close, or where they differ."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch.utils import _pytree as pytree

from astgen.errors import CaptureError

__all__ = ["difference", "tolerances_for"]

_TOLERANCES = {
    torch.float64: 1e-6,
    torch.complex128: 1e-6,
    torch.float32: 1e-3,
    torch.complex64: 1e-3,
    torch.float16: 1e-2,
    torch.bfloat16: 4e-2,
}
"""Relative and absolute tolerance by dtype; all others must be equal."""


def tolerances_for(value: Any) -> dict[str, float]:
    """The tolerances that apply to a value, by name of the dtype.

    Args:
        value: Tensors in any containers.

    Returns:
        Relative and absolute tolerance at once; empty if all must be equal.
    """
    leaves = pytree.tree_leaves(_opened(value))
    dtypes = {leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor)}
    return {
        str(dtype).removeprefix("torch."): tolerance
        for dtype, tolerance in _TOLERANCES.items()
        if dtype in dtypes
    }


def difference(actual: Any, expected: Any, exact: bool) -> str | None:
    """Where two values differ first.

    Args:
        actual: Tensors, numbers and the like, in any containers.
        expected: What `actual` should be.
        exact: Whether floats must be equal to the bit; else within the tolerances.

    Returns:
        What differs, in words; None if nothing does.

    Raises:
        CaptureError: There is something in it that cannot be compared.
    """
    left, left_spec = pytree.tree_flatten_with_path(_opened(actual))
    right, right_spec = pytree.tree_flatten_with_path(_opened(expected))
    if left_spec != right_spec:
        return "the containers differ"
    for (path, a), (_, b) in zip(left, right):
        found = _leaf_difference(a, b, exact)
        if found:
            return f"{pytree.keystr(path)}: {found}"
    return None


def _opened(value: Any) -> Any:
    """`value`, with dataclasses that pytree does not know as dicts."""

    def open_leaf(leaf: Any) -> Any:
        if dataclasses.is_dataclass(leaf) and not isinstance(leaf, type):
            names = [field.name for field in dataclasses.fields(leaf)]
            return {name: _opened(getattr(leaf, name)) for name in names}
        return leaf

    return pytree.tree_map(open_leaf, value)


def _leaf_difference(a: Any, b: Any, exact: bool) -> str | None:
    if type(a) is not type(b):
        return f"a {type(a).__name__} instead of a {type(b).__name__}"
    if isinstance(a, torch.Tensor):
        return _tensor_difference(a, b, exact)
    by_identity = getattr(type(a), "__eq__") is object.__eq__
    if by_identity and a is not b:
        raise CaptureError(
            f"results of type {type(a).__name__} cannot be compared; return tensors, "
            "numbers, or containers of them"
        )
    same = a is b or a == b or (a != a and b != b)
    return None if same else f"{a!r} instead of {b!r}"


def _tensor_difference(a: torch.Tensor, b: torch.Tensor, exact: bool) -> str | None:
    for what in ("dtype", "shape", "device", "layout"):
        x, y = getattr(a, what), getattr(b, what)
        if x != y:
            return f"{what} {_spelled(x)} instead of {_spelled(y)}"
    if a.device.type == "meta":
        raise CaptureError("the results are on the device 'meta' and have no values")
    a, b = _plain(a), _plain(b)
    tolerance = _TOLERANCES.get(a.dtype)
    if exact or tolerance is None:
        unequal = (_bits(a) != _bits(b)).any(-1)
    else:
        unequal = ~torch.isclose(a, b, tolerance, tolerance, equal_nan=True)
    count = int(unequal.sum())
    if not count:
        return None
    gap = (a.to(torch.complex128) - b.to(torch.complex128)).abs().max().item()
    return f"{count} of {a.numel()} elements differ, by {gap:.3g} at most"


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    return tensor.resolve_conj().resolve_neg().reshape(-1).contiguous()


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.uint8).view(tensor.numel(), tensor.itemsize)


def _spelled(value: Any) -> str:
    return str(tuple(value)) if isinstance(value, torch.Size) else str(value)
