"""A graph, cut into pieces at the splitting operators.

The pieces alternate: what is between two splitting operators is one piece,
splitting operators that follow each other are one piece. The cut leaves the
order of the nodes alone, since a graph may mutate its tensors, and what goes
from piece to piece is tensors and numbers only.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module
from torch.fx.node import map_arg
from torch.fx.passes.split_module import split_module

from astgen.backend.operators import SplittingOps, resolve_operators
from astgen.backend.sizes import decompose_sizes
from astgen.metadata import value_of

__all__ = ["Piece", "SplitGraph", "split"]

# These change how the nodes after them run. They are repeated in each piece
# that they reach, so on their own they do not make a piece.
_STATE = (
    torch._C._set_grad_enabled,
    torch.amp.autocast_mode._enter_autocast,
    torch.amp.autocast_mode._exit_autocast,
)
_SHAPE_OPERATORS = (
    torch.ops.aten.sym_size.int,
    torch.ops.aten.sym_stride.int,
    torch.ops.aten.sym_numel.default,
    torch.ops.aten.sym_storage_offset.default,
)
_SHAPE_METHODS = ("dim", "ndimension", "nelement", "numel", "size", "stride")
_NUMBERS = (bool, int, float, torch.SymBool, torch.SymInt, torch.SymFloat)
# Older releases hand a single result of a piece over without the tuple.
_TUPLES: dict[str, Any] = (
    {"tuple_return": True}
    if "tuple_return" in inspect.signature(split_module).parameters
    else {}
)


@dataclass(frozen=True)
class Piece:
    """A child of the stitching graph.

    Attributes:
        name: Its name there, the target of the node that calls it.
        index: Its place in the order of execution, from 0.
        is_splitting: Whether it holds splitting operators.
    """

    name: str
    index: int
    is_splitting: bool


@dataclass(frozen=True)
class SplitGraph:
    """A stitching graph and its pieces.

    Attributes:
        gm: The stitching graph. It calls the pieces, its `GraphModule`
            children, and takes their results apart.
        pieces: The pieces, in the order of execution.
    """

    gm: fx.GraphModule
    pieces: tuple[Piece, ...]


@dataclass
class _Segment:
    is_splitting: bool
    nodes: list[fx.Node] = field(default_factory=list)


def split(gm: fx.GraphModule, splitting_ops: Sequence[str]) -> SplitGraph:
    """Cut a graph into pieces.

    Args:
        gm: A graph, as Dynamo hands it to a backend; it is not changed.
        splitting_ops: Names of the operators to cut at, as
            `resolve_operators` takes them.

    Returns:
        The stitching graph with its pieces. A graph that computes nothing has
        no pieces, one without a splitting operator has one.

    Raises:
        BackendError: An operator does not exist.
    """
    graph = decompose_sizes(gm.graph)
    _move_items_to_producers(graph)
    segments = _segments(graph, resolve_operators(splitting_ops))
    with _use_lazy_graph_module(True):
        if not segments:
            return SplitGraph(_make_graph_module(gm, graph), ())
        stitching = _cut(gm, graph, segments)
    return SplitGraph(
        stitching,
        tuple(
            Piece(f"submod_{i}", i, segment.is_splitting)
            for i, segment in enumerate(segments)
        ),
    )


def _move_items_to_producers(graph: fx.Graph) -> None:
    """Put each item of a tuple right behind what makes the tuple.

    Taking an item has no effects, so it may move; thus the tuple stays inside
    of the piece that makes it, and the cut never has to look back.
    """
    last: dict[fx.Node, fx.Node] = {}
    for node in list(graph.nodes):
        if _takes_item(node) and node.args[0].op not in ("placeholder", "get_attr"):
            producer = node.args[0]
            last.get(producer, producer).append(node)
            last[producer] = node


def _takes_item(node: fx.Node) -> bool:
    if node.target is not operator.getitem or not isinstance(node.args[0], fx.Node):
        return False
    producer: fx.Node = node.args[0]
    index = node.args[1]
    value = value_of(producer)
    if isinstance(value, (list, tuple)):
        return isinstance(index, (int, slice)) and len(node.all_input_nodes) == 1
    # Without metadata, an item of a tuple and a row of a tensor look alike; a
    # node that is only ever indexed with plain numbers makes a tuple.
    return value is None and all(
        user.target is operator.getitem and isinstance(user.args[1], int)
        for user in producer.users
    )


def _segments(graph: fx.Graph, splitting_ops: SplittingOps) -> list[_Segment]:
    segments: list[_Segment] = []
    home: dict[fx.Node, _Segment] = {}
    # Nodes that make no piece of their own wait for the one that comes next,
    # unless a splitting operator comes next and there is one before.
    waiting: list[fx.Node] = []
    for node in graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        if _takes_item(node) and node.args[0] in home:
            home[node] = home[node.args[0]]
            home[node].nodes.append(node)
            continue
        is_splitting = splitting_ops.matches(node)
        if not is_splitting and _is_bookkeeping(node):
            waiting.append(node)
            continue
        if is_splitting and segments:
            stay = [n for n in waiting if n.target is not torch.Size]
            segments[-1].nodes += stay
            waiting = waiting[len(stay) :]
        if not segments or segments[-1].is_splitting != is_splitting:
            segments.append(_Segment(is_splitting))
        segments[-1].nodes += [*waiting, node]
        waiting = []
        home[node] = segments[-1]
    if segments:
        segments[-1].nodes += waiting
    return segments


def _is_bookkeeping(node: fx.Node) -> bool:
    """Whether `node` only computes with numbers, or switches a mode."""
    if node.target in _STATE or node.target is torch.Size or _takes_item(node):
        return True
    inputs = node.all_input_nodes
    on_numbers = bool(inputs) and all(isinstance(value_of(n), _NUMBERS) for n in inputs)
    value = value_of(node)
    if value is None:
        return on_numbers
    if not isinstance(value, _NUMBERS):
        return False
    asks_shape = (
        node.target in _SHAPE_METHODS
        if node.op == "call_method"
        else node.target in _SHAPE_OPERATORS
    )
    return on_numbers or asks_shape


def _cut(
    gm: fx.GraphModule, graph: fx.Graph, segments: Sequence[_Segment]
) -> fx.GraphModule:
    index = {n: i for i, segment in enumerate(segments) for n in segment.nodes}
    output = graph.output_node()
    results, meta = output.args[0], output.meta
    leaves: dict[fx.Node, None] = {}
    sizes: dict[fx.Node, Any] = {}

    def collect(node: fx.Node) -> None:
        if node.target is torch.Size:
            sizes[node] = node.args
            map_arg(node.args, collect)
        elif node.op != "get_attr":
            leaves[node] = None

    # The pieces hand out tensors and numbers; what the graph makes of them in
    # its result is the stitching graph's to do.
    map_arg(results, collect)
    output.args = (tuple(leaves),)
    for size in sizes:
        graph.erase_node(size)
    root = split_module(
        _make_graph_module(gm, graph),
        None,  # type: ignore[arg-type]  # not used, says its documentation
        index.__getitem__,
        keep_original_order=True,
        **_TUPLES,
    )
    _restore_results(root.graph, results, leaves, sizes)
    root.graph.output_node().meta = meta
    return _finished(gm, root)


def _restore_results(
    stitching: fx.Graph,
    results: Any,
    leaves: Iterable[fx.Node],
    sizes: Mapping[fx.Node, Any],
) -> None:
    """Make of `leaves`, which `stitching` returns, what the whole graph returned."""
    output = stitching.output_node()
    handed_out: Any = output.args[0]
    stitched: dict[fx.Node, fx.Node] = dict(zip(leaves, handed_out))

    def restore(node: fx.Node) -> fx.Node:
        with stitching.inserting_before(output):
            if node in sizes:
                args = map_arg(sizes[node], restore)
                stitched[node] = stitching.call_function(torch.Size, args)
            elif node not in stitched:
                stitched[node] = stitching.create_node("get_attr", node.target)
        return stitched[node]

    output.args = (map_arg(results, restore),)


def _finished(gm: fx.GraphModule, root: fx.GraphModule) -> fx.GraphModule:
    """`root`, with all the attributes and metadata that belong to its nodes."""
    attributes: dict[str, Any] = {}
    for node in root.graph.nodes:
        if node.op == "get_attr":
            attributes[node.target] = operator.attrgetter(node.target)(gm)
        elif node.op == "call_module":
            piece: Any = root.get_submodule(node.target)
            attributes[node.target] = piece
            _placeholders_first(piece.graph)
            _keep_meta(node, piece.graph.output_node().args[0])
    return _make_graph_module(attributes, root.graph)


def _placeholders_first(graph: fx.Graph) -> None:
    # Modes that a piece inherits are switched on before its placeholders.
    first = next(node for node in graph.nodes if node.op != "placeholder")
    for node in graph.find_nodes(op="placeholder"):
        first.prepend(node)


def _keep_meta(call: fx.Node, results: Any) -> None:
    if isinstance(results, fx.Node):
        call.meta = dict(results.meta)
        return
    for item in call.users:
        index: Any = item.args[1]
        item.meta = dict(results[index].meta)
