"""What is done with distributed tensors on each rank of the DTensor tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
)
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

__all__ = ["Case", "cases"]


@dataclass(frozen=True)
class Case:
    """A function, its inputs on this rank, and how it gets to astgen.

    Attributes:
        name: The name in the report.
        function: What is captured; returns a tuple.
        inputs: The inputs.
        leaf: The input whose gradient counts as a result, if any.
        aot: Whether AOTAutograd lowers the graph to aten first.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    leaf: torch.Tensor | None = None
    aot: bool = False


def cases() -> Iterator[Case]:
    """The cases, in an order that is the same on all ranks."""
    torch.manual_seed(dist.get_rank())
    x = torch.randn(4, 6)
    torch.manual_seed(7)
    weight = torch.randn(6, 8)
    line = init_device_mesh("cpu", (2,))
    yield from _redistributions(line, x, weight)
    yield from _products(line, x, weight)
    grid = init_device_mesh("cpu", (1, 2), mesh_dim_names=("dp", "tp"))
    yield from _other(line, grid, x)


def _redistributions(
    line: DeviceMesh, x: torch.Tensor, weight: torch.Tensor
) -> Iterator[Case]:
    def placements(x: torch.Tensor, weight: torch.Tensor) -> Any:
        rows = DTensor.from_local(x, line, [Shard(0)], run_check=False)
        whole = DTensor.from_local(weight, line, [Replicate()], run_check=False)
        columns = whole.redistribute(line, [Shard(1)])
        product = rows.redistribute(line, [Replicate()]) @ columns
        summed = DTensor.from_local(x, line, [Partial()], run_check=False)
        back = product.redistribute(line, [Shard(0)])
        return (
            product.to_local(),
            back.to_local(),
            back.redistribute(line, [Replicate()]).to_local(),
            summed.redistribute(line, [Shard(0)]).to_local(),
            summed.redistribute(line, [Replicate()]).to_local() * 2,
        )

    def keywords(x: torch.Tensor) -> Any:
        rows = DTensor.from_local(x, device_mesh=line, placements=[Shard(0)])
        whole = rows.redistribute(placements=[Replicate()])
        return whole.to_local(grad_placements=[Partial()]), rows.full_tensor()

    def given(sharded: DTensor) -> Any:
        return sharded.redistribute(line, [Replicate()]).to_local(), sharded + 1

    sharded = distribute_tensor(weight, line, [Shard(0)])
    yield Case("placements", placements, (x, weight))
    yield Case("keywords", keywords, (x,))
    yield Case("an input", given, (sharded,))


def _products(
    line: DeviceMesh, x: torch.Tensor, weight: torch.Tensor
) -> Iterator[Case]:
    def matmul(x: torch.Tensor, weight: torch.Tensor) -> Any:
        rows = DTensor.from_local(x, line, [Shard(0)], run_check=False)
        whole = DTensor.from_local(weight, line, [Replicate()], run_check=False)
        product = rows @ whole.redistribute(line, [Shard(1)])
        return (product.redistribute(line, [Replicate()]).to_local(),)

    def gathered(x: torch.Tensor, weight: torch.Tensor) -> Any:
        # A shard that a rank cuts out of a tensor is code of its own in aten, so
        # this function has none: the text is to be the same on all ranks.
        rows = DTensor.from_local(x, line, [Shard(0)], run_check=False)
        product = rows.redistribute(line, [Replicate()]) @ weight
        return (product.to_local(),)

    leaf = x.clone().requires_grad_()
    replicated = distribute_tensor(weight, line, [Replicate()])
    yield Case("training", matmul, (leaf, weight), leaf=leaf)
    yield Case("a parallel module", _Parallel(line), (torch.ones(4, 6),))
    yield Case("lowered to aten", gathered, (x, replicated), aot=True)


def _other(line: DeviceMesh, grid: DeviceMesh, x: torch.Tensor) -> Iterator[Case]:
    def two_dimensions(x: torch.Tensor) -> Any:
        columns = DTensor.from_local(x, grid, (Replicate(), Shard(-1)))
        mean = DTensor.from_local(x, grid["tp"], (Partial("avg"),))
        largest = DTensor.from_local(x, grid["tp"], (Partial("max"),))
        return (
            columns.redistribute(grid, (Replicate(), Replicate())).to_local(),
            mean.redistribute(grid["tp"], [Shard(0)]).to_local(),
            largest.redistribute(grid["tp"], [Replicate()]).to_local(),
        )

    def collectives(x: torch.Tensor) -> Any:
        copy = x.clone()
        dist.all_reduce(copy)
        return copy, funcol.all_reduce(x, "max", line)

    yield Case("two dimensions", two_dimensions, (x,))
    yield Case("collectives", collectives, (x,))


class _Parallel(torch.nn.Module):
    """Two layers, the first split by columns and the second by rows."""

    def __init__(self, mesh: DeviceMesh) -> None:
        super().__init__()
        first, last = torch.nn.Linear(6, 8), torch.nn.Linear(8, 4)
        self.layers = parallelize_module(
            torch.nn.Sequential(first, torch.nn.ReLU(), last),
            mesh,
            {"0": ColwiseParallel(), "2": RowwiseParallel()},
        )

    def forward(self, x: torch.Tensor) -> Any:
        return (self.layers(x),)
