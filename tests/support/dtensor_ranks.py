"""One rank of the DTensor tests: `python -m support.dtensor_ranks REPORT`.

The launcher sets RANK, WORLD_SIZE and RENDEZVOUS (a file that the ranks find each
other by). Each case is captured by Dynamo and run in several ways; what came out
goes into the report, a JSON file, for the tests to judge.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from support.compare import assert_same
from support.dtensor_cases import Case, cases
from support.running import ways
from torch import fx
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard
from torch.utils._pytree import tree_leaves, tree_map

import astgen
from astgen.backend import astgen_backend

__all__ = ["main"]

_TIMEOUT = timedelta(seconds=40)


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
        function: Callable[..., Any] = facts.pop("function")
        return function

    eager = _results(case, case.function)
    compiler: Any = backend
    if case.aot:
        # It takes long to import, and one case needs it.
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd

        compiler = aot_autograd(
            fw_compiler=lambda gm, inputs: make_boxed_func(backend(gm, inputs))
        )
    compiled = {
        "generated": torch.compile(case.function, backend=compiler, fullgraph=True)
    }
    if not case.aot:
        options: Any = {"splitting_ops": ["matmul", "linear"]}
        compiled["backend"] = torch.compile(case.function, backend=astgen_backend)
        compiled["split"] = torch.compile(
            case.function,
            backend=astgen_backend,
            options=options,
        )
    facts["differences"] = {}
    for name, function in compiled.items():
        torch._dynamo.reset()
        facts["differences"][name] = _difference(_results(case, function), eager)
    return facts


def _facts(gm: fx.GraphModule) -> dict[str, Any]:
    """The program of a graph; its `function` compares all ways to run the graph."""
    program = astgen.generate(gm)
    functions = {name: make() for name, make in ways(gm, program).items()}
    runs: dict[str, str | None] = {}

    def function(*args: Any) -> Any:
        runs.update(_runs(gm, functions, *args))
        return functions["astgen"](*args)

    return {
        "function": function,
        "text": program.code,
        "findings": [str(finding) for finding in program.check()],
        "slots": [
            f"{type(slot).__name__}: {_spelled(slot)}" for slot in program.consts
        ],
        "calls": [f"{node.op} {_spelled(node.target)}" for node in gm.graph.nodes],
        "placements": _placements(gm),
        "runs": runs,
    }


def _runs(
    gm: fx.GraphModule, functions: Mapping[str, Callable[..., Any]], *args: Any
) -> dict[str, str | None]:
    """Where the functions of a graph differ from what it means."""
    expected = fx.Interpreter(gm).run(*args)
    return {
        name: _difference(function(*args), expected)
        for name, function in functions.items()
    }


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
    mesh: Any = init_device_mesh("cpu", (2,))
    graph = fx.Graph()
    local = graph.placeholder("local")
    rows = graph.call_function(DTensor.from_local, (local, mesh, [Shard(0)]))
    whole = graph.call_method("redistribute", (rows, mesh, [Replicate()]))
    graph.output(graph.call_method("to_local", (whole,)))
    gm = fx.GraphModule(torch.nn.Module(), graph)
    program = astgen.generate(gm)
    functions = {name: make() for name, make in ways(gm, program).items()}
    local_value = torch.full((2, 3), float(dist.get_rank()))
    return {
        "text": program.code,
        "slots": [type(slot).__name__ for slot in program.consts],
        "runs": _runs(gm, functions, local_value),
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
