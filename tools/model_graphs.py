"""A model, captured in one way: what `model_sweep.py` runs.

model -> Dynamo (and AOTAutograd) -> graphs -> model_judge
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import fx
from torch._dynamo.utils import counters

from model_judge import GraphReport, Judge, Upstream, said
from model_zoo import ARCHITECTURES, SIZES

__all__ = ["LEVELS", "Capture", "Level", "capture"]

Level = Literal["dynamo", "aten"]
LEVELS: tuple[Level, ...] = ("dynamo", "aten")

_RECOMPILATIONS = 64


@dataclass
class Capture:
    """A model, captured in one way.

    Attributes:
        architecture: Its name in `model_zoo`.
        level: Whether AOTAutograd lowered the graphs.
        dynamic: Whether sizes are symbols.
        graphs: What came of the graphs.
        breaks: How often Dynamo broke the graph.
        seconds: How long all of it took.
        error: Why there is no more; None if all went well.
    """

    architecture: str
    level: Level
    dynamic: bool
    graphs: list[GraphReport] = field(default_factory=list)
    breaks: int = 0
    seconds: float = 0.0
    error: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether there are graphs, and nothing is wrong with any."""
        return (
            self.error is None
            and bool(self.graphs)
            and all(all(graph.equal.values()) for graph in self.graphs)
        )


def capture(
    architecture: str, level: Level, dynamic: bool, upstream: Upstream = None
) -> Capture:
    """Capture a model and judge all of its graphs.

    Args:
        architecture: A name in `model_zoo`.
        level: Whether AOTAutograd lowers the graphs to aten first.
        dynamic: Whether sizes are symbols; the model is then called with two sizes.
        upstream: Another generator, to be judged as well.

    Returns:
        What came of it; exceptions of the model or of PyTorch are in there.

    Raises:
        ImportError: transformers is not installed.
    """
    chosen = ARCHITECTURES[architecture]
    result = Capture(architecture, level, dynamic)
    start = time.perf_counter()
    judges: list[Judge] = []

    def backend(gm: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        judges.append(Judge(gm, chosen.splitting_ops, upstream))
        return judges[-1]

    torch._dynamo.reset()
    counters.clear()
    # A model that is recompiled too often would silently run without graphs.
    limits = torch._dynamo.config.patch(
        recompile_limit=_RECOMPILATIONS, fail_on_recompile_limit_hit=True
    )
    with torch.no_grad(), limits:
        model = chosen.build()
        compiled = torch.compile(model, backend=_at(level, backend), dynamic=dynamic)
        try:
            for size in SIZES if dynamic else SIZES[:1]:
                compiled(**chosen.inputs(size))
        except Exception as error:  # whatever it is, it belongs into the report
            result.error = said(error)
    result.graphs = [judge.finished() for judge in judges]
    if not judges and result.error is None:
        result.error = "Dynamo captured no graph"
    result.breaks = sum(counters["graph_break"].values())
    result.seconds = time.perf_counter() - start
    return result


def _at(level: Level, backend: Callable[..., Any]) -> Callable[..., Any]:
    if level == "dynamo":
        return backend
    # Importing it takes long.
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    lowered: Callable[..., Any] = aot_autograd(
        fw_compiler=lambda gm, inputs: make_boxed_func(backend(gm, inputs))
    )
    return lowered
