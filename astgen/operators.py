"""PyTorch's operators: which objects are some, and what they are called."""

from __future__ import annotations

from typing import Any

from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

__all__ = ["OPERATORS", "is_operator", "operator_name"]

OPERATORS = (OpOverload, OpOverloadPacket, HigherOrderOperator)
"""Types of operators."""


def is_operator(value: object) -> bool:
    """Whether a value is an operator."""
    return isinstance(value, OPERATORS)


def operator_name(value: Any) -> str:
    """The name of an operator below `torch.ops` (`aten.add.Tensor`).

    It may be that of something else there: of an overload, that of an attribute of its
    packet.
    """
    if isinstance(value, OpOverload):
        return f"{value.namespace}.{value._opname}.{value._overloadname}"
    if isinstance(value, OpOverloadPacket):
        return value._qualified_op_name.replace("::", ".")
    return f"{value.namespace}.{value.name()}"
