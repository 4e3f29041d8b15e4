"""Sizes of tensors, taken apart into numbers, before a graph is split.

A `torch.Size` cannot go from one compiled piece to the next: compilers of
pieces take tensors and numbers. So `x.size()` becomes one number a dimension,
an `aten.sym_size.int` node where the dimension is dynamic, and whatever used
the size uses the numbers.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_arg

from astgen.metadata import value_of

__all__ = ["decompose_sizes"]


def decompose_sizes(graph: fx.Graph) -> fx.Graph:
    """A copy of `graph` in which sizes are numbers.

    Where only a `torch.Size` will do, as in a result of the graph, one is put
    together again right before its use. The size of a tensor without metadata
    has no known rank and stays as it is.

    Args:
        graph: The graph of a model; it is not changed.

    Returns:
        The copy.
    """
    copy = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    for node in graph.nodes:
        copies[node] = copy.node_copy(node, copies.__getitem__)
    # What a node of the copy stands for: a number, or a tuple of them (a size).
    known: dict[fx.Node, Any] = {}
    made: list[fx.Node] = []
    for node in list(copy.nodes):
        value = _size_of(node, known, made)
        if value is None:
            value = _folded(node, known, made)
        if value is None:
            _use(node, known)
        else:
            known[node] = value
    for node in [*reversed(known), *reversed(made)]:
        if not node.users:
            copy.erase_node(node)
    return copy


def _size_of(
    node: fx.Node, known: dict[fx.Node, Any], made: list[fx.Node]
) -> tuple[Any, ...] | None:
    """The dimensions that `node` asks a tensor for, or that it is made of."""
    if node.target is torch.Size and len(node.args) == 1:
        made_of = map_arg(node.args[0], lambda n: known.get(n, n))
        return tuple(made_of) if isinstance(made_of, (list, tuple)) else None
    asks_method = node.op == "call_method" and node.target == "size"
    asks_attribute = node.target is getattr and node.args[1:] == ("shape",)
    if not (asks_method and len(node.args) == 1 and not node.kwargs or asks_attribute):
        return None
    # The node's own value comes first: a tensor may change its shape in place,
    # and the metadata of the tensor tells how it looks in the end.
    shape = value_of(node)
    if shape is None:
        shape = getattr(value_of(node.args[0]), "shape", None)
    if shape is None:
        return None
    return tuple(
        _dimension(node, i, dim, made) if isinstance(dim, torch.SymInt) else int(dim)
        for i, dim in enumerate(shape)
    )


def _dimension(
    node: fx.Node, index: int, dim: torch.SymInt, made: list[fx.Node]
) -> fx.Node:
    with node.graph.inserting_before(node):
        result = node.graph.call_function(
            torch.ops.aten.sym_size.int, (node.args[0], index)
        )
    key = "val" if "val" in node.meta else "example_value"
    result.meta = {**node.meta, key: dim}
    made.append(result)
    return result


def _folded(node: fx.Node, known: dict[fx.Node, Any], made: list[fx.Node]) -> Any:
    """What `node` computes from a known size, if that can be told right away."""
    if not node.args or not any(
        isinstance(known.get(n), tuple) for n in node.all_input_nodes
    ):
        return None
    args: Any = map_arg(node.args, lambda n: known.get(n, n))
    first, *rest = args
    if not isinstance(first, tuple):
        return None
    if node.target is len:
        return len(first)
    if node.target is operator.getitem and _is_constant(rest[0]):
        return first[rest[0]]
    if node.target is operator.add and isinstance(rest[0], tuple):
        return first + rest[0]
    if (node.op, node.target) == ("call_method", "numel"):
        return _product(node, first, made)
    return None


def _product(node: fx.Node, factors: tuple[Any, ...], made: list[fx.Node]) -> Any:
    product: Any = 1
    value: Any = 1
    for factor in factors:
        value = value * (value_of(factor) if isinstance(factor, fx.Node) else factor)
        if not isinstance(product, fx.Node) and not isinstance(factor, fx.Node):
            product *= factor
            continue
        with node.graph.inserting_before(node):
            product = node.graph.call_function(operator.mul, (product, factor))
        product.meta = {**node.meta, "example_value": value}
        made.append(product)
    return product


def _use(node: fx.Node, known: dict[fx.Node, Any]) -> None:
    """Let `node` use the numbers where it used what they replace."""
    if not any(n in known for n in node.all_input_nodes):
        return
    sizes: dict[fx.Node, fx.Node] = {}
    takes_tuples = _takes_tuples(node, known)

    def replacement(used: fx.Node) -> Any:
        value = known.get(used, used)
        if not isinstance(value, tuple) or takes_tuples:
            return value
        if used not in sizes:
            with node.graph.inserting_before(node):
                sizes[used] = node.graph.call_function(torch.Size, (list(value),))
            sizes[used].meta = dict(used.meta)
        return sizes[used]

    node.args = map_arg(node.args, replacement)
    node.kwargs = map_arg(node.kwargs, replacement)


def _takes_tuples(node: fx.Node, known: dict[fx.Node, Any]) -> bool:
    """Whether `node` means the same with a tuple in place of a size.

    So do the functions and methods of torch; what others do with it is theirs.
    """
    if node.op == "call_method":
        return node.args[0] not in known
    module = getattr(node.target, "__module__", None) or ""
    return node.op == "call_function" and module.partition(".")[0] == "torch"


def _is_constant(index: Any) -> bool:
    nodes: list[fx.Node] = []
    map_arg(index, nodes.append)
    return not nodes
