"""What is a collective, and those of a graph with the shapes that they are given."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from torch import fx
from torch._ops import OpOverload, OpOverloadPacket

from astgen.backend.cache.spelling import Speller
from astgen.metadata import value_of

__all__ = ["NAMESPACES", "arguments_of", "collectives"]

NAMESPACES = (
    "_c10d_functional",
    "_c10d_functional_autograd",
    "_dtensor",
    "c10d",
    "c10d_functional",
    "symm_mem",
)
"""Where the operators are that ranks have to run together."""


def collectives(gm: fx.GraphModule) -> list[str]:
    """The collectives of a graph and of the graphs below it, with what they are given.

    Args:
        gm: A graph, such as one that was split.
    """
    return list(_collectives(gm, Speller()))


def _collectives(gm: fx.GraphModule, speller: Speller) -> Iterator[str]:
    for node in gm.graph.nodes:
        if node.op == "call_module":
            child = gm.get_submodule(str(node.target))
            if isinstance(child, fx.GraphModule):
                yield from _collectives(child, speller)
        elif node.op == "call_function":
            name = _collective(node.target)
            if name:
                given = [speller.value(value_of(n)) for n in node.all_input_nodes]
                yield f"{name}({'; '.join(given)}) gives {_result(node, speller)}"


def _result(node: fx.Node, speller: Speller) -> str:
    return speller.value(value_of(node)) or "what is not known"


def _collective(target: Any) -> str:
    """The name of a collective; empty for other targets."""
    if isinstance(target, OpOverload):
        return str(target) if target.namespace in NAMESPACES else ""
    if isinstance(target, OpOverloadPacket):
        name = target._qualified_op_name
        return name if name.partition("::")[0] in NAMESPACES else ""
    module = str(getattr(target, "__module__", ""))
    name = str(getattr(target, "__qualname__", ""))
    return f"{module}.{name}" if module.startswith("torch.distributed") else ""


def arguments_of(target: Any) -> dict[int | str | None, str] | None:
    """The names of a collective's arguments, as far as they are known.

    Args:
        target: What is called.

    Returns:
        The names by position; None for what is no collective.
    """
    while isinstance(target, functools.partial):
        # Which argument is where is not followed through these.
        if _collective(target.func):
            return {}
        target = target.func
    if not _collective(target):
        return None
    if isinstance(target, OpOverloadPacket):
        target = getattr(target, target._overload_names[0] or "default")
    if not isinstance(target, OpOverload):
        return {}
    return {i: one.name for i, one in enumerate(target._schema.arguments)}
