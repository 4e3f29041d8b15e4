"""What Dynamo writes into graphs is on the lists: functions, operators and methods."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from astgen.check.paths import methods, operators, torch_paths


def _regions(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x + 1
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ y
    with torch.inference_mode():
        return z.sum() + 1


def _derivatives(x: torch.Tensor) -> torch.Tensor:
    hessian = torch.func.hessian(lambda a: a.sin().sum())(x[0])
    pushed = torch.func.jvp(torch.sin, (x,), (x,))[1]
    return torch.vmap(lambda row: row * 2)(hessian) + pushed


def _in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, 0] = 1.0
    y += 1
    y **= 2
    y.clamp_(min=0)
    return 2 - y / 3 // 1 % 5


def _control_flow(x: torch.Tensor) -> torch.Tensor:
    y = torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
    return torch.utils.checkpoint.checkpoint(torch.tanh, y, use_reentrant=False)


def _attention(x: torch.Tensor) -> torch.Tensor:
    heads = x.view(1, 2, 4, 2).transpose(1, 2).contiguous()
    mixed = F.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    normed = F.rms_norm(mixed, (2,)) * torch.rsqrt(mixed.pow(2).mean(-1, True) + 1)
    return F.silu(normed) + F.gelu(mixed, approximate="tanh")


def _data_dependent(x: torch.Tensor) -> torch.Tensor:
    size = x.abs().sum().int().item()
    torch._check(size >= 0)
    return torch.zeros(size + x.size(0)) + torch.sym_max(size, 3)


@pytest.fixture
def _scalars_are_captured() -> Iterator[None]:
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        yield
    torch._dynamo.reset()


def _targets(function: Callable[..., object]) -> set[object]:
    """Call targets of the Dynamo graphs of `function`, as objects; methods as names."""
    found: set[object] = set()

    def backend(
        graph: torch.fx.GraphModule, inputs: list[object]
    ) -> Callable[..., object]:
        for module in graph.modules():
            if isinstance(module, torch.fx.GraphModule):
                calls = {"call_function", "call_method"}
                found.update(n.target for n in module.graph.nodes if n.op in calls)
        return graph.forward

    torch.compile(function, backend=backend, fullgraph=True)(torch.ones(4, 4))
    return found


def _is_listed(target: object, listed: dict[int, object]) -> bool:
    if isinstance(target, str):
        return target in methods()
    if isinstance(target, (OpOverload, OpOverloadPacket)):
        return f"{target}" in operators()
    if isinstance(target, HigherOrderOperator):
        return f"higher_order.{target.name()}" in operators()
    return id(target) in listed


@pytest.mark.usefixtures("_scalars_are_captured")
@pytest.mark.parametrize(
    "function",
    [_regions, _derivatives, _in_place, _control_flow, _attention, _data_dependent],
)
def test_what_dynamo_calls_is_listed(function: Callable[..., object]) -> None:
    roots = {"torch": torch, "operator": operator}
    split = [path.split(".", 1) for path in torch_paths()]
    found = [operator.attrgetter(rest)(roots[root]) for root, rest in split]
    listed = {id(value): value for value in found}
    targets = _targets(function)
    assert targets
    assert [t for t in targets if not _is_listed(t, listed)] == []
