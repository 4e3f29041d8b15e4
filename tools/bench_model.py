"""A real model as a graph to measure on: captured, split, its pieces replaced by stubs."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import fx

from astgen.backend import split
from astgen.cli.demo import decoder
from astgen.cli.stitching import PieceResults
from bench_graphs import Piece, Subject
from bench_peers import BenchError
from model_zoo import ARCHITECTURES, SIZES

__all__ = ["demo", "has_transformers", "llama32"]

_LAYERS = 32


def has_transformers() -> bool:
    """Whether the library that `llama32` needs is installed."""
    return importlib.util.find_spec("transformers") is not None


def llama32() -> Subject:
    """Llama of the transformers library: narrow, with 32 layers.

    Raises:
        BenchError: The library is not installed.
    """
    if not has_transformers():
        raise BenchError(
            "llama32 needs transformers; install it with: pip install astgen[models]"
        )
    small = ARCHITECTURES["llama"]
    deep = replace(small, config={**small.config, "num_hidden_layers": _LAYERS})
    return _captured(
        "llama32", deep.build(), (), deep.inputs(SIZES[0]), deep.splitting_ops
    )


def demo() -> Subject:
    """The built-in model of `astgen compile`."""
    model, args = decoder()
    # Marked as dynamic; here, a size is a number.
    (tokens,) = args
    return _captured(
        "demo", model, (tokens.clone(),), {}, ("scaled_dot_product_attention",)
    )


def _captured(
    name: str,
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    splitting_ops: Sequence[str],
) -> Subject:
    graphs: list[tuple[fx.GraphModule, tuple[Any, ...]]] = []

    def backend(gm: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        def run(*inputs: Any) -> Any:
            graphs.append((gm, inputs))
            return gm(*inputs)

        return run

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend=backend, dynamic=False)(*args, **kwargs)
        torch._dynamo.reset()
        # The first graph has the layers, whatever comes behind a graph break.
        gm, inputs = graphs[0]
        return _stubbed(name, split(gm, splitting_ops).gm, inputs)


def _stubbed(name: str, gm: fx.GraphModule, args: Sequence[Any]) -> Subject:
    """Replace the pieces by what they returned once."""
    outputs = PieceResults(gm)
    outputs.run(*args)
    stubbed = fx.GraphModule(gm, copy.deepcopy(gm.graph))
    for piece in outputs.by_piece:
        setattr(stubbed, piece, Piece())
    return Subject(name, stubbed, outputs.by_piece, args)
