"""Inputs for a model, made of the ones that came with it.

All of them are made by copying, so that a model may mutate what it is given. The
values stay those of the original: token ids stay inside of the vocabulary, masks
stay masks.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from astgen.errors import CaptureError

__all__ = ["Inputs"]

_SHOWN = 3


@dataclass(frozen=True)
class Inputs:
    """The arguments of one call.

    Attributes:
        args: The positional ones.
        kwargs: The keyword ones.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        tensors = self._tensors()
        shown = [f"{_kind(t)}{list(t.shape)}" for t in tensors[:_SHOWN]]
        rest = len(tensors) - _SHOWN
        return ", ".join(shown + [f"{rest} more"] * (rest > 0)) or "no tensors"

    def copied(self) -> Inputs:
        """The same values in other tensors; marks of Dynamo's are kept.

        Raises:
            CaptureError: They cannot be copied.
        """
        try:
            return Inputs(*copy.deepcopy((self.args, self.kwargs)))
        except Exception as error:
            raise CaptureError(
                f"the arguments cannot be copied: {type(error).__name__}: {error}; "
                "return tensors that are detached, in plain containers"
            ) from error

    def without_marks(self) -> Inputs:
        """A copy, with no dimension marked as dynamic."""
        result = self.copied()
        for tensor in result._tensors():
            for name in [n for n in vars(tensor) if "_dynamo_" in n]:
                delattr(tensor, name)
        return result

    def shuffled(self) -> Inputs:
        """A copy, the elements of each tensor in random order."""
        result = self.copied()
        for tensor in result._tensors():
            try:
                order = torch.randperm(tensor.numel(), device=tensor.device)
                tensor.copy_(tensor.flatten()[order].view(tensor.shape))
            except RuntimeError:
                pass  # Expanded and sparse tensors keep their values.
        return result

    def resized(self) -> Inputs | None:
        """A copy, with other sizes where a dimension is marked as dynamic.

        Returns:
            None if there is no such dimension.
        """
        changed = False

        def resize(tensor: torch.Tensor) -> torch.Tensor:
            nonlocal changed
            result = tensor
            for dim in sorted(_marked(tensor)):
                size = _other_size(tensor, dim)
                if size is not None:
                    chosen = torch.randint(tensor.shape[dim], (size,))
                    result = result.index_select(dim, chosen.to(tensor.device))
                    changed = True
            if result is not tensor:
                vars(result).update(vars(tensor))
                result.requires_grad_(tensor.requires_grad)
            return result

        given = self.copied()
        both = pytree.tree_map_only(torch.Tensor, resize, (given.args, given.kwargs))
        return Inputs(*both) if changed else None

    def _tensors(self) -> list[torch.Tensor]:
        leaves = pytree.tree_leaves((self.args, self.kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _marked(tensor: torch.Tensor) -> set[int]:
    return getattr(tensor, "_dynamo_dynamic_indices", set())


def _other_size(tensor: torch.Tensor, dim: int) -> int | None:
    # Smaller first: tables of positions end somewhere. Sizes 0 and 1 are constants
    # for Dynamo.
    size = tensor.shape[dim]
    ranges: set[Any] = getattr(tensor, "_dynamo_dynamic_range", set())
    low = max([2, *(r.min for r in ranges if r.dim == dim and r.min is not None)])
    highs = [r.max for r in ranges if r.dim == dim and r.max is not None]
    for other in (size // 2, size - 1, size + 1, 2 * size):
        if low <= other != size and all(other <= high for high in highs):
            return other
    return None


def _kind(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
