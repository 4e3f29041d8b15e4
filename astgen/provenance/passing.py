"""Operators that return their input, where the example values say otherwise.

Dropout that is off returns what it is given (`aten/src/ATen/native/Dropout.cpp`), and
traces on fake tensors, as of PyTorch 2.13, have a new one.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import fx

__all__ = ["returned"]

_DROPOUTS = frozenset(
    {
        F.dropout,
        F.dropout1d,
        F.dropout2d,
        F.dropout3d,
        F.alpha_dropout,
        F.feature_alpha_dropout,
        torch.dropout,
        torch.alpha_dropout,
        torch.feature_dropout,
        torch.feature_alpha_dropout,
        torch.ops.aten.dropout.default,
        torch.ops.aten.alpha_dropout.default,
        torch.ops.aten.feature_dropout.default,
        torch.ops.aten.feature_alpha_dropout.default,
    }
)

_OFF_BY_DEFAULT = frozenset({F.alpha_dropout, F.feature_alpha_dropout})


def returned(node: fx.Node) -> fx.Node | None:
    """The input that a node returns as it is; None if it does not, or not for sure."""
    if node.op != "call_function" or node.target not in _DROPOUTS:
        return None
    given = _argument(node, 0, "input")
    is_on = _argument(node, 2, "training", "train")
    is_off = is_on is False or (is_on is None and node.target in _OFF_BY_DEFAULT)
    is_off = is_off or _argument(node, 1, "p") == 0
    return given if is_off and isinstance(given, fx.Node) else None


def _argument(node: fx.Node, place: int, *names: str) -> Any:
    if place < len(node.args):
        return node.args[place]
    return next((node.kwargs[name] for name in names if name in node.kwargs), None)
