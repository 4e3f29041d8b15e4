"""Texts to review: in the style of vLLM's generator, and what dumping makes of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import torch

__all__ = ["DECODER", "GATE", "arguments", "executed", "pieces", "vllm_text"]

DATA = Path(__file__).resolve().parent.parent / "review" / "data"

DECODER = DATA / "decoder.txt"
"""What `astgen compile` wrote for the built-in model."""

GATE = """\
import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    project = __vllm_submods__[0](x)
    del x
    to = project.to(__vllm_consts__[0])
    del project
    return operator.mul(to, __vllm_consts__[1])
"""

_WEIGHTS = (
    "self_attn_modules_qkv_proj_cpu_linear_closure_0_cell_contents_handler_tensor",
    "self_attn_modules_o_proj_parameters_weight_",
    "mlp_modules_down_proj_parameters_weight_",
)


def vllm_text(
    layers: int, *, swapped: Collection[int] = (), late: Collection[int] = ()
) -> str:
    """A stitching function as vLLM's generator lays it out.

    Args:
        layers: How many layers it has.
        swapped: Layers that take the last weight of the layer before them.
        late: Layers that add the input of the first layer, not their own.
    """
    weights = [[_weight(layer, name) for name in _WEIGHTS] for layer in range(layers)]
    lines = ["import torch", "import operator", ""]
    for layer in range(layers):
        lines += _attention(layer)
    names = ", ".join(name for row in weights for name in row)
    lines.append(f"def execution_fn(s72, x, {names}, *, __vllm_submods__):")
    before, first = "x", ""
    for layer in range(layers):
        qkv, o_proj, down = weights[layer]
        down = weights[layer - 1][2] if layer in swapped else down
        slot, values = 2 * layer, [f"getitem_{4 * layer + i}" for i in range(4)]
        first = first or values[3]
        added = first if layer in late else values[3]
        lines += [
            f"    submod_{slot} = __vllm_submods__[{slot}]({before}, s72, {qkv}, {o_proj})",
            f"    del {before}, {o_proj}, {qkv}",
            *(f"    {name} = submod_{slot}[{i}]" for i, name in enumerate(values)),
            f"    del submod_{slot}",
            f"    submod_{slot + 1} = __vllm_inlined_submods__{slot + 1}"
            f"({', '.join(values[:3])})",
            f"    del {', '.join(values[:3])}",
            f"    add_{layer} = torch.ops.aten.add.Tensor(submod_{slot + 1}, {added})",
            f"    del submod_{slot + 1}",
            f"    mul_{layer} = torch.ops.aten.mul.Tensor(add_{layer}, {down})",
            f"    del add_{layer}",
        ]
        before = f"mul_{layer}"
    return "\n".join([*lines, f"    return ({before},)"])


def _weight(layer: int, name: str) -> str:
    return f"l_self_modules_layers_modules_{layer}_modules_{name}"


def _attention(layer: int) -> list[str]:
    q, k, v = (f"{name}_{layer}" for name in "qkv")
    return [
        f"def __vllm_inlined_submods__{2 * layer + 1}({q}, {k}, {v}):",
        f"    scores_{layer} = torch.ops.aten.mul.Tensor({q}, {k})",
        f"    return torch.ops.aten.add.Tensor(scores_{layer}, {v})",
        "",
    ]


def pieces(layers: int) -> list[Callable[..., Any] | None]:
    """The pieces of `vllm_text`, none for inlined ones; each does something else."""

    def piece(number: int) -> Callable[..., Any]:
        def run(x: torch.Tensor, size: int, qkv: Any, o_proj: Any) -> Any:
            return tuple(x * qkv + o_proj * (number + i) for i in range(size))

        return run

    return [piece(slot) if slot % 2 == 0 else None for slot in range(2 * layers)]


def arguments(layers: int) -> list[Any]:
    """What `vllm_text` is called with, by position."""
    generator = torch.Generator().manual_seed(layers)
    tensors = torch.randn(3 * layers + 1, 3, generator=generator)
    return [4, *tensors]


def executed(code: str, layers: int) -> torch.Tensor:
    """What Python makes of a text of `vllm_text`, without astgen."""
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    entry = namespace["execution_fn"]
    (result,) = entry(*arguments(layers), __vllm_submods__=pieces(layers))
    return result
