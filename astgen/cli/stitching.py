"""How long the stitching takes on its own, generated and run by FX.

Both run the same graph with the same functions in place of the pieces. These only
return what the pieces returned once, so what is left is the stitching.
"""

from __future__ import annotations

import copy
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from astgen.cli.recorder import Recorded
from astgen.program import generate

__all__ = ["PieceResults", "StitchingTimes", "time_stitching"]

_SECONDS = 0.02
_REPEATS = 7


@dataclass(frozen=True)
class StitchingTimes:
    """Microseconds a call.

    Attributes:
        generated: Of the generated function.
        fx: Of `torch.fx.GraphModule`.
    """

    generated: float
    fx: float


class PieceResults(fx.Interpreter):
    """Runs a stitching graph and keeps what its pieces return."""

    def __init__(self, gm: fx.GraphModule) -> None:
        super().__init__(gm)
        self.by_piece: dict[str, Any] = {}

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Call a piece, and keep its result."""
        result = super().call_module(target, args, kwargs)
        self.by_piece[target] = result
        return result


class _Placeholder(torch.nn.Module):
    """Stands for a piece, so that the emitter calls it by its slot."""


@torch.no_grad()
def time_stitching(recorded: Recorded) -> StitchingTimes:
    """Time the stitching of a graph without its pieces.

    Args:
        recorded: The graph; it is run once, on what it was called with first.

    Returns:
        The times of both ways to run it.
    """
    gm, args = recorded.compiled.split.gm, recorded.args
    outputs = PieceResults(gm)
    outputs.run(*args)
    stubs = {name: _stub(result) for name, result in outputs.by_piece.items()}
    stubbed = fx.GraphModule(gm, copy.deepcopy(gm.graph))
    for name in stubs:
        setattr(stubbed, name, _Placeholder())
    function = generate(stubbed).compile(stubs)
    # Instance attributes come before children: FX calls the function itself too,
    # not a module around it.
    vars(stubbed).update(stubs)
    return StitchingTimes(
        generated=_microseconds(lambda: function(*args)),
        fx=_microseconds(lambda: stubbed(*args)),
    )


def _stub(result: Any) -> Callable[..., Any]:
    return lambda *args: result


def _microseconds(call: Callable[[], Any]) -> float:
    timer = timeit.Timer(call)
    timer.timeit(3)
    once = timer.timeit(3) / 3
    number = max(1, int(_SECONDS / max(once, 1e-7)))
    return min(timer.repeat(_REPEATS, number)) / number * 1e6
