"""A process that compiles a model: `python -m support.cached_model SPECIFICATION`.

The specification, a JSON object, says what to do: `do` is "compile", "save" or "load",
`options` are those of the backend, `path` is the bundle that is saved or loaded,
`sizes` are the batches that are run, the first one is compiled for. What came out is
the last line that is printed, a JSON object.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch._dynamo.utils import counters

__all__ = ["Model", "main"]


class Model(torch.nn.Module):
    """Splits at a softmax; its graph has a dtype, a device and an infinity in slots."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)
        self.register_buffer("scale", torch.full((8,), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x).relu() * self.scale
        mask = torch.full((8,), float("inf"), device=torch.device("cpu"))
        z = F.softmax(y, -1).to(torch.float64) / mask.to(torch.float64)
        return self.second(z.to(torch.float32) + y) * 2


def main(said: dict[str, Any]) -> dict[str, Any]:
    """Do what the specification says, and say what came out."""
    model = Model().eval()
    inputs = [torch.randn(size, 8) for size in said["sizes"]]
    if said.get("dynamic"):
        torch._dynamo.mark_dynamic(inputs[0], 0)
    found: dict[str, Any] = {}
    with torch.no_grad(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        function = {"compile": _compiled, "save": _saved, "load": _loaded}[said["do"]](
            model, inputs[0], said
        )
        results = [function(x) for x in inputs]
        found["seconds"] = time.perf_counter() - start
        found["differences"] = [
            (result - model(x)).abs().max().item() for result, x in zip(results, inputs)
        ]
    found["warnings"] = [
        str(one.message) for one in caught if "cache" in str(one.message)
    ]
    found["counters"] = {name: dict(counter) for name, counter in counters.items()}
    found["modules"] = [name for name in ("torch._inductor",) if name in sys.modules]
    return found


def _compiled(
    model: Model, x: torch.Tensor, said: dict[str, Any]
) -> Callable[..., torch.Tensor]:
    return torch.compile(
        model, backend="astgen", fullgraph=True, options=said["options"]
    )


def _saved(
    model: Model, x: torch.Tensor, said: dict[str, Any]
) -> Callable[..., torch.Tensor]:
    compiled: Any = torch.compile(
        model.forward, backend="astgen", fullgraph=True, options=said["options"]
    )
    made = compiled.aot_compile(((x,), {}))
    made.save_compiled_function(said["path"])
    return lambda *args: made(model, *args)


def _loaded(
    model: Model, x: torch.Tensor, said: dict[str, Any]
) -> Callable[..., torch.Tensor]:
    with open(said["path"], "rb") as stream:
        made: Any = torch.compiler.load_compiled_function(stream)
    return lambda *args: made(model, *args)


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
