"""The graphs that speed is measured on, and callables that stand in for their pieces.

`pure80` and `stitching80` have the shape of what vLLM makes of an 80-layer decoder:
a compiled piece, five results taken apart, an attention piece, and weights as inputs
with the long names that Dynamo gives them. In `pure80` attention is a piece, too; in
`stitching80` it is a graph of two operators that are called as vLLM's are: one
updates the cache of keys and values, one writes into its output. `inlined80x50` is 80
equal graphs of 50 operators. `chain` is as long as one likes. A `Subject` is one of them with all that
it takes to run it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx, nn
from torch.utils import _pytree as pytree

__all__ = [
    "Piece",
    "Subject",
    "chain",
    "inlined80x50",
    "piece_stubs",
    "pure80",
    "stitching80",
    "subject_of",
]

_LAYERS = 80
_WEIGHTS = (
    "self_attn_modules_o_proj_parameters_weight",
    "post_attention_layernorm_parameters_weight",
    "mlp_modules_gate_up_proj_parameters_weight",
    "mlp_modules_down_proj_parameters_weight",
    "next_input_layernorm_parameters_weight",
    "self_attn_modules_qkv_proj_parameters_weight",
)
_NAME_LENGTH = 80
_RESULTS = 5

# As vLLM's own operators, these need no leave to be called.
_LIBRARY = torch.library.Library("vllm", "FRAGMENT")
_LIBRARY.define(
    "bench_kv_cache_update(Tensor key, Tensor value, Tensor layer) -> Tensor"
)
_LIBRARY.define(
    "bench_attention_with_output(Tensor query, Tensor key, Tensor value, "
    "Tensor(a!) output, Tensor layer, *, Tensor? kv_cache_dummy_dep=None) -> ()"
)


def _update(key: torch.Tensor, value: torch.Tensor, layer: torch.Tensor) -> Any:
    return key + value


def _attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    layer: torch.Tensor,
    kv_cache_dummy_dep: torch.Tensor | None = None,
) -> None:
    output.copy_(query)


_LIBRARY.impl("bench_kv_cache_update", _update, "CPU")
_LIBRARY.impl("bench_attention_with_output", _attend, "CPU")


class Piece(nn.Module):
    """A compiled piece: what it computes does not matter here."""

    def forward(self, *args: Any) -> Any:
        """Never runs."""
        raise NotImplementedError("a stub stands in for it")


@dataclass(frozen=True)
class Subject:
    """A graph that speed is measured on.

    Attributes:
        name: What the report calls it.
        gm: The graph.
        results: What each piece returns.
        args: What the graph is called with.
    """

    name: str
    gm: fx.GraphModule
    results: Mapping[str, Any]
    args: Sequence[Any]

    def stubs(self) -> dict[str, Callable[..., Any]]:
        """Pieces that return at once."""
        return {name: _constant(result) for name, result in self.results.items()}

    def computing_stubs(self) -> dict[str, Callable[..., Any]]:
        """Pieces whose results depend on all that they are given, and on which they are."""
        return {
            name: _computing(result, float(index))
            for index, (name, result) in enumerate(self.results.items(), 1)
        }


def pure80() -> fx.GraphModule:
    """80 layers in which everything is a piece."""
    return _decoder(lambda: Piece())


def stitching80() -> fx.GraphModule:
    """80 layers whose attention is a graph of two operators."""
    return _decoder(_attention)


def inlined80x50() -> fx.GraphModule:
    """80 equal graphs of 50 aten operators, one after the other."""
    root, graph = nn.Module(), fx.Graph()
    value = _input(graph, "x", torch.empty(1))
    for index in range(_LAYERS):
        root.add_module(f"submod_{index}", _operators(50))
        value = graph.call_module(f"submod_{index}", (value,))
    graph.output((value,))
    return fx.GraphModule(root, graph)


def chain(nodes: int) -> fx.GraphModule:
    """A graph of so many nodes: pieces of which one result of two is passed on."""
    root, graph = nn.Module(), fx.Graph()
    value = _input(graph, "x", torch.empty(1))
    for index in range(nodes // 4):
        root.add_module(f"submod_{index}", Piece())
        weight = _weight(graph, index, _WEIGHTS[0])
        both = graph.call_module(f"submod_{index}", (value, weight))
        first = graph.call_function(operator.getitem, (both, 0))
        value = graph.call_function(operator.getitem, (both, 1))
        del first
    graph.output((value,))
    return fx.GraphModule(root, graph)


def piece_stubs(gm: fx.GraphModule) -> dict[str, Callable[..., Any]]:
    """A callable for each piece, which returns at once what the graph takes apart."""
    return {name: _constant(result) for name, result in _results(gm).items()}


def subject_of(name: str, gm: fx.GraphModule) -> Subject:
    """One of the graphs of this module, with inputs that are all different.

    Args:
        name: What the report calls it.
        gm: The graph.

    Returns:
        All that it takes to run it.
    """
    examples = [
        node.meta["example_value"] for node in gm.graph.find_nodes(op="placeholder")
    ]
    args = [
        torch.full_like(value, place, requires_grad=False)
        for place, value in enumerate(examples, 1)
    ]
    return Subject(name, gm, _results(gm), args)


def _results(gm: fx.GraphModule) -> dict[str, Any]:
    results = tuple(torch.full((1,), float(place)) for place in range(_RESULTS))
    pieces = [name for name, child in gm.named_children() if isinstance(child, Piece)]
    return dict.fromkeys(pieces, results)


def _constant(result: Any) -> Callable[..., Any]:
    return lambda *args: result


def _computing(result: Any, seed: float) -> Callable[..., Any]:
    def piece(*args: Any) -> Any:
        mixed = torch.tensor(seed, dtype=torch.float64)
        for place, arg in enumerate(args, 1):
            mixed = torch.sin(mixed + place * torch.as_tensor(arg).double().sum())
        return pytree.tree_map_only(
            torch.Tensor, lambda value: value + mixed.to(value.dtype), result
        )

    return piece


def _decoder(attention: Callable[[], nn.Module]) -> fx.GraphModule:
    root, graph = nn.Module(), fx.Graph()
    tokens = _input(graph, "l_input_ids_", torch.empty(1, dtype=torch.int64))
    positions = _input(graph, "l_positions_", torch.empty(1, dtype=torch.int64))
    cache = _input(
        graph, "l_self_modules_rotary_emb_buffers_cos_sin_cache_", torch.empty(1)
    )
    given: list[fx.Node] = [tokens]
    for layer in range(_LAYERS):
        weights = [_weight(graph, layer, name) for name in _WEIGHTS]
        before, behind = f"submod_{2 * layer}", f"submod_{2 * layer + 1}"
        root.add_module(before, Piece())
        root.add_module(behind, attention())
        results = graph.call_module(before, (*given, *weights, positions, cache))
        q, k, v, out, residual = [
            graph.call_function(operator.getitem, (results, index))
            for index in range(_RESULTS)
        ]
        place = _input(graph, f"synthetic_local_tmp_{2 * layer}_", torch.empty(1))
        graph.call_module(behind, (k, tokens, v, place, q, out))
        given = [out, residual]
    root.add_module("submod_last", Piece())
    last = graph.call_module("submod_last", (*given,))
    result = graph.call_function(operator.getitem, (last, 0))
    graph.output((result,))
    return fx.GraphModule(root, graph)


def _attention() -> fx.GraphModule:
    graph = fx.Graph()
    names = ("key", "tokens", "value", "synthetic_local_tmp_0_", "query", "output")
    key, _, value, place, query, output = (
        _input(graph, name, torch.empty(1)) for name in names
    )
    operators = torch.ops.vllm
    updated = graph.call_function(operators.bench_kv_cache_update, (key, value, place))
    graph.call_function(
        operators.bench_attention_with_output,
        (query, key, value, output, place),
        {"kv_cache_dummy_dep": updated},
    )
    graph.output(())
    return fx.GraphModule(nn.Module(), graph)


def _operators(count: int) -> fx.GraphModule:
    graph = fx.Graph()
    value = _input(graph, "x", torch.empty(1))
    targets = (
        torch.ops.aten.add.Tensor,
        torch.ops.aten.mul.Tensor,
        torch.ops.aten.relu.default,
        torch.ops.aten.sigmoid.default,
        torch.ops.aten.neg.default,
    )
    for index in range(count):
        target = targets[index % len(targets)]
        takes_two = target._overloadname == "Tensor"
        value = graph.call_function(target, (value, value) if takes_two else (value,))
    graph.output(value)
    return fx.GraphModule(nn.Module(), graph)


def _input(graph: fx.Graph, name: str, value: Any) -> fx.Node:
    node = graph.placeholder(name)
    node.meta["example_value"] = value
    return node


def _weight(graph: fx.Graph, layer: int, name: str) -> fx.Node:
    wanted = f"l_self_modules_layers_modules_{layer}_modules_{name}_"
    # All names are equally long, whatever the layer and the weight.
    name = wanted.ljust(_NAME_LENGTH, "_")[:_NAME_LENGTH]
    return _input(graph, name, nn.Parameter(torch.empty(1)))
