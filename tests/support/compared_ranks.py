"""One rank of the test of `check_ranks`: `python -m support.compared_ranks REPORT`.

The launcher sets RANK, WORLD_SIZE and RENDEZVOUS. Each case makes a program that may
depend on the rank; what the comparison found goes into the report.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from support.cache_runs import graph_of
from torch import fx

import astgen
from astgen.backend import (
    BackendOptions,
    CompiledGraph,
    check_ranks,
    compile_graph,
)
from astgen.errors import RankError

__all__ = ["main"]

_TIMEOUT = timedelta(seconds=60)
_REDUCE = torch.ops._c10d_functional.all_reduce.default
_GATHER = torch.ops._c10d_functional.all_gather_into_tensor.default


def _program(build: Callable[[fx.Graph, fx.Node], Any]) -> astgen.Program:
    return astgen.generate(graph_of(build))


def _captured(function: Callable[..., Any], *args: Any) -> CompiledGraph:
    found: list[CompiledGraph] = []

    def backend(gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
        found.append(compile_graph(gm, BackendOptions(("softmax",))))
        return _not_run

    torch._dynamo.reset()
    with contextlib.suppress(_NotRun):
        torch.compile(function, backend=backend, fullgraph=True)(*args)
    return found[-1]


class _NotRun(Exception):
    """Raised where ranks that differ would wait for each other."""


def _not_run(*_: Any) -> Any:
    raise _NotRun


def _reduced(x: torch.Tensor, offset: int) -> torch.Tensor:
    y = torch.softmax(x + offset, -1)
    return funcol.all_reduce(y * 2, "sum", dist.group.WORLD)


def cases(rank: int) -> dict[str, Callable[[], Any]]:
    """What each case compares."""
    reduce = ["sum", "max"][rank]
    order = [_REDUCE, _GATHER][:: 1 - 2 * rank]

    def both(graph: fx.Graph, x: fx.Node) -> fx.Node:
        for target in order:
            args: Any = ("sum", "0") if target is _REDUCE else (2, "0")
            x = graph.call_function(target, (x, *args))
        return x

    return {
        "equal": lambda: _program(lambda g, x: g.call_function(torch.add, (x, 1))),
        "literal": lambda: _program(
            lambda g, x: g.call_function(torch.add, (x, rank * 100))
        ),
        "constant": lambda: _program(
            lambda g, x: g.call_method("to", (x, [torch.float16, torch.float64][rank]))
        ),
        "other operation": lambda: _program(
            lambda g, x: g.call_function([torch.add, torch.mul][rank], (x, 1))
        ),
        "one statement more": lambda: _program(
            lambda g, x: g.call_method("exp", (x,)) if rank else x
        ),
        "reduction": lambda: _program(
            lambda g, x: g.call_function(_REDUCE, (x, reduce, "0"))
        ),
        "group": lambda: _program(
            lambda g, x: g.call_function(_REDUCE, (x, "sum", str(rank)))
        ),
        "order": lambda: _program(both),
        "captured": lambda: _captured(lambda x: _reduced(x, rank), torch.ones(2, 3)),
        "shape": lambda: _captured(lambda x: _reduced(x, 1), torch.ones(2 + rank, 3)),
    }


def main(report: Path) -> None:
    """Compare all cases and write the report."""
    rank = int(os.environ["RANK"])
    dist.init_process_group(
        "gloo",
        init_method=f"file://{os.environ['RENDEZVOUS']}",
        rank=rank,
        world_size=int(os.environ["WORLD_SIZE"]),
        timeout=_TIMEOUT,
    )
    found: dict[str, Any] = {}
    for name, make in cases(rank).items():
        program = make()
        found[name] = [_found(program, how) for how in ("report", "raise")]
    for name, case in compiled(rank).items():
        found[name] = [_compiled(case, how) for how in (True, dist.group.WORLD)]
    report.write_text(json.dumps(found), encoding="utf-8")
    dist.barrier()
    dist.destroy_process_group()


def compiled(rank: int) -> dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    """What each case compiles with the ranks compared."""
    return {
        "option": lambda x: torch.softmax(x + rank, -1) * 2,
        "option, diverging": lambda x: torch.softmax(x, -1).exp() if rank else x.exp(),
    }


def _compiled(function: Callable[..., Any], how: Any) -> dict[str, Any]:
    torch._dynamo.reset()
    options = {"splitting_ops": ["softmax"], "check_ranks": how}
    x = torch.ones(2, 3)
    try:
        found = torch.compile(function, backend="astgen", options=options)(x)
    except Exception as error:
        inner: Any = getattr(error, "inner_exception", error)
        return {"error": f"{type(inner).__name__}: {inner}"}
    return {"equal": torch.equal(found, function(x))}


def _found(program: Any, literals: Any) -> dict[str, Any]:
    try:
        said = check_ranks(program, literals=literals)
    except RankError as error:
        return {"error": str(error), "texts": error.texts}
    return {
        "ranks": said.ranks,
        "collectives": said.collectives,
        "literals": [one.texts for one in said.literals],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
