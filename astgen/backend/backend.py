"""`torch.compile(model, backend="astgen")`: the backend on one page."""

from __future__ import annotations

import copy
import operator
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch import fx
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module

from astgen.backend.cache.lookup import cached
from astgen.backend.caching import SerializableFunction
from astgen.backend.compiled import CompiledGraph
from astgen.backend.options import BackendOptions, PieceCompiler, parse_options
from astgen.backend.pieces import (
    BuiltPiece,
    CompiledPiece,
    build_piece,
    is_worth_compiling,
)
from astgen.backend.ranks import check_graph
from astgen.backend.splitting import SplitGraph, split
from astgen.errors import BackendError
from astgen.program import generate

__all__ = ["astgen_backend", "compile_graph"]


def astgen_backend(
    gm: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> SerializableFunction:
    """The backend, as Dynamo calls it.

    Args:
        gm: The graph that Dynamo captured.
        example_inputs: Not used; the graph has example values of its own.
        options: `splitting_ops`, `pieces`, `cache_dir`, `trust_cache`,
            `check_ranks` and `provenance`; see `BackendOptions`.
        mode: Modes are inductor's; there are none here.

    Returns:
        What Dynamo runs in place of the graph, and `aot_compile` can store.

    Raises:
        BackendError: An option is unknown, or a mode is given.
        UnsupportedGraphError: The graph cannot be expressed as source.
        RankError: Ranks that are compared do not run the same program.
    """
    if mode is not None:
        raise BackendError(
            f"the astgen backend has no mode {mode!r}; leave `mode` out and say with "
            "options={'pieces': 'inductor'} what compiles the pieces"
        )
    checked = parse_options(options)
    if checked.check_ranks is not False:
        group = None if checked.check_ranks is True else checked.check_ranks
        check_graph(gm, checked, group)
    if checked.cache_dir is not None:
        return cached(gm, checked, lambda: _serializable(compile_graph(gm, checked)))
    return _serializable(compile_graph(gm, checked))


def _serializable(graph: CompiledGraph) -> SerializableFunction:
    return SerializableFunction(graph.program, graph.pieces, graph.function)


def compile_graph(gm: fx.GraphModule, options: BackendOptions) -> CompiledGraph:
    """Split a graph, compile its pieces and stitch them together, without a cache.

    Args:
        gm: A graph, as Dynamo hands it to a backend; it is not changed.
        options: How to split it and what compiles the pieces.

    Returns:
        The function and what it was made from.

    Raises:
        BackendError: A piece cannot be compiled with what the graph tells.
        UnsupportedGraphError: The graph cannot be expressed as source.
    """
    milliseconds: dict[str, float] = {}
    with _timed("split", milliseconds):
        cut = split(gm, options.splitting_ops)
    with _timed("pieces", milliseconds):
        pieces = _compile_pieces(cut, options.pieces)
    with _timed("generate", milliseconds):
        functions = {name: piece.function for name, piece in pieces.items()}
        stitching = _with_pieces(cut.gm, functions)
        # The compiled pieces do not know their graphs any more.
        graphs: dict[str, Any] = {name: cut.gm.get_submodule(name) for name in pieces}
        program = generate(stitching, provenance=options.provenance and graphs)
    with _timed("build", milliseconds):
        function = program.compile(functions)
    return CompiledGraph(cut, stitching, program, function, milliseconds, pieces)


@contextmanager
def _timed(stage: str, milliseconds: dict[str, float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    milliseconds[stage] = (time.perf_counter() - start) * 1e3


def _compile_pieces(cut: SplitGraph, kind: PieceCompiler) -> dict[str, BuiltPiece]:
    """The pieces that the emitter is not to inline, compiled."""
    compiled: dict[str, BuiltPiece] = {}
    for piece in cut.pieces:
        child: Any = cut.gm.get_submodule(piece.name)
        if not piece.is_splitting and is_worth_compiling(child):
            compiled[piece.name] = build_piece(child, kind)
    return compiled


def _with_pieces(
    gm: fx.GraphModule, pieces: Mapping[str, Callable[..., Any]]
) -> fx.GraphModule:
    attributes: dict[str, Any] = {}
    for node in gm.graph.nodes:
        if node.op == "call_module" and node.target in pieces:
            attributes[node.target] = CompiledPiece(pieces[node.target])
        elif node.op in ("call_module", "get_attr"):
            attributes[node.target] = operator.attrgetter(node.target)(gm)
    with _use_lazy_graph_module(True):
        return _make_graph_module(attributes, copy.deepcopy(gm.graph))
