"""One rank of the DTensor tests: `python -m support.dtensor_ranks REPORT`.

The launcher sets RANK, WORLD_SIZE and RENDEZVOUS (a file that the ranks find each
other by). Each case is captured by Dynamo and run in several ways; what came out
goes into the report, a JSON file, for the tests to judge.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from support.compare import assert_same
from torch import fx
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import (
    DTensor,
    Partial,
    Placement,
    Replicate,
    Shard,
    distribute_tensor,
)
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.utils._pytree import tree_leaves, tree_map

import astgen
from astgen.backend import astgen_backend

__all__ = ["Case", "cases", "main"]

_TIMEOUT = timedelta(seconds=40)


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
    line = init_device_mesh("cpu", (2,))
    grid = init_device_mesh("cpu", (1, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(dist.get_rank())
    x = torch.randn(4, 6)
    torch.manual_seed(7)
    weight = torch.randn(6, 8)

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

    def two_dimensions(x: torch.Tensor) -> Any:
        columns = DTensor.from_local(x, grid, (Replicate(), Shard(-1)))
        mean = DTensor.from_local(x, grid["tp"], (Partial("avg"),))
        largest = DTensor.from_local(x, grid["tp"], (Partial("max"),))
        return (
            columns.redistribute(grid, (Replicate(), Replicate())).to_local(),
            mean.redistribute(grid["tp"], [Shard(0)]).to_local(),
            largest.redistribute(grid["tp"], [Replicate()]).to_local(),
        )

    def given(sharded: DTensor) -> Any:
        return sharded.redistribute(line, [Replicate()]).to_local(), sharded + 1

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

    def collectives(x: torch.Tensor) -> Any:
        copy = x.clone()
        dist.all_reduce(copy)
        return copy, funcol.all_reduce(x, "max", line)

    leaf = x.clone().requires_grad_()
    sharded = distribute_tensor(weight, line, [Shard(0)])
    replicated = distribute_tensor(weight, line, [Replicate()])
    yield Case("placements", placements, (x, weight))
    yield Case("keywords", keywords, (x,))
    yield Case("two dimensions", two_dimensions, (x,))
    yield Case("an input", given, (sharded,))
    yield Case("training", matmul, (leaf, weight), leaf=leaf)
    yield Case("collectives", collectives, (x,))
    yield Case("a parallel module", _Parallel(line), (torch.ones(4, 6),))
    yield Case("lowered to aten", gathered, (x, replicated), aot=True)


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


def main(report: Path) -> None:
    """Run all cases and write the report."""
    dist.init_process_group(
        "gloo",
        init_method=f"file://{os.environ['RENDEZVOUS']}",
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
        timeout=_TIMEOUT,
    )
    found: dict[str, Any] = {case.name: _run(case) for case in cases()}
    found["a mesh in a slot"] = _mesh_in_a_slot()
    report.write_text(json.dumps(found), encoding="utf-8")
    dist.barrier()
    dist.destroy_process_group()


def _run(case: Case) -> dict[str, Any]:
    """Capture a case and say of its graph, program and results what is of interest."""
    facts: dict[str, Any] = {}

    def backend(gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
        if "text" in facts:
            raise RuntimeError(f"{case.name}: a second graph")
        facts.update(_facts(gm))
        return facts.pop("function")

    eager = _results(case, case.function)
    compiler: Any = backend
    if case.aot:
        # It takes long to import, and one case needs it.
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd

        compiler = aot_autograd(
            fw_compiler=lambda gm, inputs: make_boxed_func(backend(gm, inputs))
        )
    ways: dict[str, Callable[..., Any]] = {
        "generated": torch.compile(case.function, backend=compiler, fullgraph=True)
    }
    if not case.aot:
        ways["backend"] = torch.compile(case.function, backend=astgen_backend)
        ways["split"] = torch.compile(
            case.function,
            backend=astgen_backend,
            options={"splitting_ops": ["matmul", "linear"]},
        )
    facts["differences"] = {}
    for name, function in ways.items():
        torch._dynamo.reset()
        facts["differences"][name] = _difference(_results(case, function), eager)
    return facts


def _facts(gm: fx.GraphModule) -> dict[str, Any]:
    """The program of a graph; its `function` compares all ways to run the graph."""
    program = astgen.generate(gm)
    generated = program.compile()
    reloaded = astgen.Program(
        program.code,
        program.submod_names,
        pickle.loads(pickle.dumps(program.consts)),
        dialect=program.dialect,
    ).compile()
    stock: dict[str, Any] = {"__vllm_consts__": program.consts}
    exec(program.code, stock)  # as vLLM runs what it finds in its cache
    runs: dict[str, str | None] = {}
    facts: dict[str, Any] = {
        "text": program.code,
        "findings": [str(finding) for finding in program.check()],
        "slots": [
            f"{type(slot).__name__}: {_spelled(slot)}" for slot in program.consts
        ],
        "calls": [f"{node.op} {_spelled(node.target)}" for node in gm.graph.nodes],
        "placements": _placements(gm),
        "runs": runs,
    }

    def function(*args: Any) -> Any:
        expected = fx.Interpreter(gm).run(*args)
        as_stock = stock["execution_fn"](*args, __vllm_submods__=[])
        runs["stock"] = _difference(as_stock, expected)
        runs["reloaded"] = _difference(reloaded(*args), expected)
        results = generated(*args)
        runs["generated"] = _difference(results, expected)
        return results

    facts["function"] = function
    return facts


def _placements(gm: fx.GraphModule) -> dict[str, int]:
    """How many placements the graph holds: objects, and distinct values."""
    held = [
        leaf
        for node in gm.graph.nodes
        for leaf in tree_leaves([list(node.args), dict(node.kwargs)])
        if isinstance(leaf, Placement)
    ]
    return {
        "objects": len({id(placement) for placement in held}),
        "values": len({repr(placement) for placement in held}),
    }


def _mesh_in_a_slot() -> dict[str, Any]:
    """A graph by hand whose mesh is a constant; Dynamo makes an input of each mesh."""
    mesh = init_device_mesh("cpu", (2,))
    graph = fx.Graph()
    local = graph.placeholder("local")
    rows = graph.call_function(DTensor.from_local, (local, mesh, [Shard(0)]))
    whole = graph.call_method("redistribute", (rows, mesh, [Replicate()]))
    graph.output(graph.call_method("to_local", (whole,)))
    gm = fx.GraphModule(torch.nn.Module(), graph)
    program = astgen.generate(gm)
    value = torch.full((2, 3), float(dist.get_rank()))
    expected = fx.Interpreter(gm).run(value)
    return {
        "text": program.code,
        "meshes": sum(isinstance(slot, DeviceMesh) for slot in program.consts),
        "difference": _difference(program.compile()(value), expected),
    }


def _results(case: Case, function: Callable[..., Any]) -> Any:
    results = function(*case.inputs)
    if case.leaf is None:
        return results
    case.leaf.grad = None
    sum(result.square().sum() for result in results).backward()
    return (*results, case.leaf.grad)


def _difference(actual: Any, expected: Any) -> str | None:
    try:
        assert_same(tree_map(_plain, actual), tree_map(_plain, expected))
    except AssertionError as error:
        return str(error)
    return None


def _plain(value: Any) -> Any:
    """What makes up a distributed tensor, or the tensor that is being waited for."""
    if isinstance(value, DTensor):
        spec = value.device_mesh.mesh.tolist(), str(value.placements), value.shape
        return [_plain(value.to_local()), *spec]
    if isinstance(value, funcol.AsyncCollectiveTensor):
        return value.wait()
    return value


def _spelled(value: Any) -> str:
    """A text without addresses."""
    return str(getattr(value, "__qualname__", value))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
