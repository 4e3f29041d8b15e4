"""A piece of a graph, turned into a callable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import torch
from torch import fx

from astgen.backend.options import PieceCompiler
from astgen.errors import BackendError
from astgen.metadata import value_of
from astgen.program import Program, generate

__all__ = [
    "BuiltPiece",
    "CompiledPiece",
    "build_piece",
    "compile_piece",
    "is_worth_compiling",
]


@dataclass(frozen=True)
class BuiltPiece:
    """A compiled piece, with what is needed to store it.

    Attributes:
        function: Takes the values of the placeholders, returns what the piece does.
        program: The program that it is; None if inductor compiled it.
        modules: The modules that the program calls.
        stored: The bytes that it was loaded from, if inductor compiled it elsewhere;
            PyTorch does not store what it has loaded.
    """

    function: Callable[..., Any]
    program: Program | None = None
    modules: Mapping[str, torch.nn.Module] = field(default_factory=dict)
    stored: bytes | None = field(default=None, repr=False)


class CompiledPiece(torch.nn.Module):
    """A compiled piece in a stitching graph.

    Not a `GraphModule`, so the emitter calls it and does not inline it; it
    runs under FX as well.
    """

    def __init__(self, compiled: Callable[..., Any]) -> None:
        super().__init__()
        self.compiled = compiled

    def forward(self, *args: Any) -> Any:
        """Run the piece on the values of its placeholders."""
        return self.compiled(*args)


def is_worth_compiling(piece: fx.GraphModule) -> bool:
    """Whether a piece does more than the stitching function does as well.

    A piece that makes no tensor only computes with numbers or mutates what it
    is given, and has nothing that a compiler could fuse.
    """
    if not any(node.op.startswith("call_") for node in piece.graph.nodes):
        return False
    values = [value_of(node) for node in piece.graph.output_node().all_input_nodes]
    return any(v is None or isinstance(v, torch.Tensor) for v in values)


def compile_piece(piece: fx.GraphModule, kind: PieceCompiler) -> Callable[..., Any]:
    """Compile one piece.

    Args:
        piece: The piece; it is not changed.
        kind: As for `build_piece`.

    Returns:
        A callable that takes the values of the placeholders and returns what
        the piece returns.

    Raises:
        AstgenError: "eager" cannot express the piece.
        BackendError: "inductor" lacks the example values that Dynamo records.
    """
    return build_piece(piece, kind).function


def build_piece(piece: fx.GraphModule, kind: PieceCompiler) -> BuiltPiece:
    """Compile one piece, and keep what it was made of.

    A piece whose inputs share memory is "eager" in any case: what inductor
    makes of such inputs at run time is not what it assumed at compile time.

    Args:
        piece: The piece; it is not changed.
        kind: "eager" makes a Python function of it, "inductor" compiles it
            with TorchInductor, for the shapes that the graph was traced with.

    Returns:
        The function and what it was made of.

    Raises:
        AstgenError: "eager" cannot express the piece.
        BackendError: "inductor" lacks the example values that Dynamo records.
    """
    if kind == "inductor":
        inputs = _example_inputs(piece)
        if not _share_memory(inputs):
            # Reached through torch, which imports inductor on first use: that
            # takes a second, and "eager" does without.
            compiled: Any = torch._inductor.standalone_compile(
                piece, inputs, dynamic_shapes="from_graph", options={}
            )
            return BuiltPiece(compiled)
    modules: dict[str, torch.nn.Module] = {
        str(node.target): piece.get_submodule(str(node.target))
        for node in piece.graph.find_nodes(op="call_module")
    }
    program = generate(piece)
    called = {
        name: module
        for name, module in modules.items()
        if not isinstance(module, fx.GraphModule)
    }
    return BuiltPiece(program.compile(modules), program, called)


def _share_memory(inputs: Iterable[Any]) -> bool:
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    is_alias_of: Any = vars(torch._C)["_is_alias_of"]
    return any(is_alias_of(a, b) for a, b in combinations(tensors, 2))


def _example_inputs(piece: fx.GraphModule) -> list[Any]:
    placeholders = piece.graph.find_nodes(op="placeholder")
    for node in placeholders:
        if "example_value" not in node.meta:
            raise BackendError(
                f"inductor cannot compile a piece: its input {node.name!r} has no "
                "example value; capture the graph with torch.compile, or use "
                "pieces='eager'"
            )
    return [node.meta["example_value"] for node in placeholders]
