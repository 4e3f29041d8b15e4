"""One version of vLLM's code generator, in a process of its own, with the plugin.

Run by `vllm_versions.py`, which puts the version on the path. Prints what it saw as
one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from types import ModuleType
from typing import Any

import torch
from torch import fx, nn

import astgen.vllm
from astgen.errors import UnsupportedGraphError


class Double(nn.Module):
    """A piece."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def stitching(*, constants: bool) -> fx.GraphModule:
    """A graph of a piece, an inlined child, and a constant if asked for."""
    inner = fx.Graph()
    y = inner.placeholder("y")
    inner.output(inner.call_function(torch.ops.aten.relu.default, (y,)))
    graph = fx.Graph()
    x = graph.placeholder("x")
    piece = graph.call_module("submod_0", (x,))
    child = graph.call_module("submod_1", (piece,))
    made = graph.call_function(torch.ops.aten.add.Tensor, (child, x))
    if constants:
        made = graph.call_function(torch.ops.aten.to.dtype, (made, torch.float64))
    graph.output((made,))
    children = {"submod_0": Double(), "submod_1": fx.GraphModule({}, inner)}
    return fx.GraphModule(nn.ModuleDict(children), graph)


class Lines(logging.Handler):
    """What is logged, as vLLM's handler would get it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")


def ran(module: ModuleType, *, constants: bool) -> str:
    """Generates and runs a graph with the functions that a module of vLLM has."""
    gm = stitching(constants=constants)
    x = torch.arange(-3.0, 3.0)
    try:
        code, names, *consts = module.generate_execution_code(gm)
    except UnsupportedGraphError as error:
        where = "" if error.node is None else error.node.name
        said = [word for word in ("slot 0", "torch.dtype") if word in str(error)]
        return f"refused: {', '.join([*said, f'node {where}'])}"
    except TypeError:
        return "-"
    callables = dict(gm.named_children())
    function = module.compile_execution_fn(code, callables, names, *consts)
    wanted, got = gm(x)[0], function(x)[0]
    equal = torch.equal(got, wanted) and got.dtype == wanted.dtype
    return "equal" if equal else "different"


def main() -> None:
    told = json.loads(sys.argv[1])
    lines = Lines()
    logging.getLogger("vllm").addHandler(lines)
    logging.getLogger("vllm").setLevel(logging.INFO)
    modules = list(told["importers"])
    # The first one is there before the plugin, the others come later.
    before = {name: dict(vars(importlib.import_module(name))) for name in modules[:1]}
    astgen.vllm.register()
    astgen.vllm.register()
    log = list(lines.lines)
    places: list[tuple[Any, str]] = [
        (importlib.import_module(module), name)
        for module, names in told["importers"].items()
        for name in names
    ]
    replaced = sum(
        str(getattr(module, name).__module__).startswith("astgen.")
        for module, name in places
    )
    works = bool(log) and log[0].startswith("INFO")
    seen = {
        "plugin": "works" if works else "stays out",
        "lines": str(len(log)),
        "log": "\n".join(log),
        "replaced": f"{replaced} of {len(places)}",
    }
    try:
        generator = importlib.import_module(told["home"])
    except ModuleNotFoundError:
        seen.update(plain="-", constants="-")
    else:
        seen["plain"] = ran(generator, constants=False)
        seen["constants"] = ran(generator, constants=True)
    for name, names in before.items():
        if not works:
            now = vars(sys.modules[name])
            changed = [key for key in names if now[key] is not names[key]]
            seen["plugin"] += f", but changed {changed}" if changed else ""
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
