"""The backend that the command gives to Dynamo: it compiles, and keeps everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import fx

from astgen.backend import BackendOptions, CompiledGraph, compile_graph

__all__ = ["Recorded", "Recorder"]


@dataclass
class Recorded:
    """One graph of a model.

    Attributes:
        nodes: How many nodes Dynamo captured.
        compiled: What was made of them.
        milliseconds: How long each stage took.
        args: What the graph was called with first; it is called right after it
            was compiled.
    """

    nodes: int
    compiled: CompiledGraph
    milliseconds: dict[str, float]
    args: tuple[Any, ...] = field(default=(), repr=False)


class Recorder:
    """A backend for `torch.compile`.

    Attributes:
        graphs: The graphs so far; a model with graph breaks has several.
        error: What the backend raised, before Dynamo wraps it.
    """

    def __init__(
        self, options: BackendOptions, progress: Callable[[str], None]
    ) -> None:
        self.graphs: list[Recorded] = []
        self.error: Exception | None = None
        self._options = options
        self._progress = progress
        self._idle_since = time.perf_counter()

    def restart_clock(self) -> None:
        """Count the time from now on as Dynamo's."""
        self._idle_since = time.perf_counter()

    def __call__(self, gm: fx.GraphModule, _: object) -> Callable[..., Any]:
        capture = _since(self._idle_since)
        nodes = len(gm.graph.nodes)
        self._progress(f"compiling graph {len(self.graphs)} of {nodes} nodes")
        try:
            compiled = compile_graph(gm, self._options)
        except Exception as error:
            self.error = error
            raise
        stages = compiled.milliseconds
        times = {
            "capture": capture,
            "split": stages["split"],
            "pieces": stages["pieces"],
            "generate": stages["generate"],
            "check": _best_of(3, compiled.program.check),
            "check+build": stages["build"],
        }
        recorded = Recorded(nodes, compiled, times)
        self.graphs.append(recorded)
        self.restart_clock()
        return self._recording(recorded)

    def _recording(self, recorded: Recorded) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            recorded.args = recorded.args or args
            result = recorded.compiled.function(*args)
            self.restart_clock()
            return result

        return call


def _best_of(count: int, call: Callable[[], object]) -> float:
    # The checker has run once by now, as a part of the build.
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(_since(start))
    return min(times)


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1e3
