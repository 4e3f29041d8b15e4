"""Whether what inductor makes of a piece follows from the piece as it is spelled.

Inductor traces into functions, decompositions and kernels whose code no key can hold.
A piece is only stored if all that it calls is PyTorch's own, or opaque to inductor.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload, OpOverloadPacket
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from astgen.backend.cache.leaves import Leaves
from astgen.check.paths import builtin_namespaces
from astgen.metadata import value_of

__all__ = ["is_storable"]

_DECOMPOSED = "CompositeImplicitAutograd"


def is_storable(piece: fx.GraphModule) -> bool:
    """Whether equal pieces are compiled to the same, in any process.

    Args:
        piece: A piece of a split graph.
    """
    spelled = Leaves()
    for node in piece.graph.nodes:
        if node.op in ("call_module", "get_attr"):
            return False
        if is_traceable_wrapper_subclass(value_of(node)) or _holds_tensor(node):
            return False
        if node.op == "call_function" and not _is_known(node.target, spelled):
            return False
    return True


def _holds_tensor(node: fx.Node) -> bool:
    """Whether a tensor is an argument. No key has its values, which inductor may use."""
    found: list[bool] = []

    def look(value: Any) -> Any:
        found.append(isinstance(value, torch.Tensor))
        return value

    fx.node.map_aggregate((node.args, node.kwargs), look)
    return any(found)


def _is_known(target: Any, spelled: Leaves) -> bool:
    if isinstance(target, OpOverload):
        return target.namespace in builtin_namespaces() or _is_opaque(target)
    if isinstance(target, OpOverloadPacket):
        names = [name or "default" for name in target._overload_names]
        overloads = [getattr(target, name) for name in names]
        return all(_is_known(overload, spelled) for overload in overloads)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return False
    # A path leads to a function of PyTorch or Python; anything else has a position.
    return not spelled.target(target).startswith("<")


def _is_opaque(op: OpOverload) -> bool:
    """Whether inductor only calls an operator, whatever the operator does."""
    name = op._name
    dispatch: Any = torch._C
    if dispatch._dispatch_has_kernel_for_dispatch_key(name, _DECOMPOSED):
        return False
    # Triton operators and decompositions are Python that runs while compiling.
    tables = (
        torch._inductor.decomposition.decompositions,
        torch._inductor.lowering.lowerings,
    )
    traced = any(op in table or op.overloadpacket in table for table in tables)
    return not traced and not op.python_key_table
