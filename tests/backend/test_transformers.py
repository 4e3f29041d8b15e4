"""A model of the transformers library, small and random, through the backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.compare import assert_same
from torch import fx

from astgen.backend import CompiledGraph, compile_graph, parse_options

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=96,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        use_cache=False,
        attn_implementation="sdpa",
    )
    return transformers.LlamaForCausalLM(config).eval()


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("pieces", ["eager", "inductor"])
def test_llama_computes_what_it_does_without_the_backend(
    model: torch.nn.Module, pieces: str, dynamic: bool
) -> None:
    graphs: list[CompiledGraph] = []

    def backend(gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
        graphs.append(compile_graph(gm, parse_options({"pieces": pieces})))
        return graphs[-1].function

    compiled = torch.compile(model, backend=backend, fullgraph=True)
    with torch.no_grad():
        for length in (7, 11) if dynamic else (7, 7):
            tokens = torch.randint(0, 96, (2, length))
            if dynamic:
                torch._dynamo.mark_dynamic(tokens, 1)
            actual, expected = compiled(tokens).logits, model(tokens).logits
            if pieces == "eager":
                assert_same(actual, expected)
            else:
                torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
    (graph,) = graphs
    kinds = [piece.is_splitting for piece in graph.split.pieces]
    assert kinds == [False, True, False, True, False]
