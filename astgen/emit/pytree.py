"""Graphs whose public inputs and outputs are nested: dicts, tuples, dataclasses.

Such a graph carries a code generator of its own with the specs of both sides.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
from torch import fx
from torch.fx.graph import CodeGen, _PyTreeCodeGen

from astgen.emit.arguments import Arguments
from astgen.emit.nodes import container, tuple_of
from astgen.errors import UnsupportedGraphError

__all__ = ["nested_inputs", "pytree_of"]


def pytree_of(graph: fx.Graph) -> Any:
    """How the public inputs and outputs of a graph nest.

    Returns:
        The graph's pytree information, None if its inputs are flat.

    Raises:
        UnsupportedGraphError: The graph has a code generator of its own that
            changes what its inputs mean.
    """
    codegen = graph._codegen
    if type(codegen) is CodeGen:
        return None
    if type(codegen) is _PyTreeCodeGen:
        return codegen.pytree_info
    raise UnsupportedGraphError(
        f"the graph's inputs go through a {type(codegen).__name__}; reset it with "
        "graph.set_codegen(torch.fx.graph.CodeGen()) if they are flat"
    )


def nested_inputs(
    info: Any, names: list[str], arguments: Arguments
) -> cst.BaseExpression:
    """The expression that nests the parameters the way the input spec says.

    Args:
        info: The graph's pytree information.
        names: The parameters' names, in order.
        arguments: Spells the keys.

    Returns:
        `[a, b]`, or `([a, b], {"key": c})` where the spec is that of positional
        and keyword arguments.
    """
    given: list[cst.BaseExpression] = [cst.Name(name) for name in names]
    keywords = _keywords(info)
    if keywords is None:
        return container(list, given)
    count = len(given) - len(keywords)
    elements = [
        cst.DictElement(key=arguments.spell(key), value=value)
        for key, value in zip(keywords, given[count:])
    ]
    return tuple_of([container(list, given[:count]), cst.Dict(elements=elements)])


def _keywords(info: Any) -> list[str] | None:
    """The keyword arguments of a spec that is `(args, kwargs)`.

    A function of a tuple and a dict has a spec of the same shape; only the names
    tell them apart.
    """
    spec = info.in_spec
    if spec.type is not tuple or spec.num_children != 2:
        return None
    positional, keyword = spec.child(0), spec.child(1)
    if positional.type is not tuple or keyword.type is not dict:
        return None
    names = list(keyword.context)
    count = positional.num_children
    return names if info.orig_args == [*info.orig_args[:count], *names] else None
