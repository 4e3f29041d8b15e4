"""What the backend makes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import fx

from astgen.backend.pieces import BuiltPiece
from astgen.backend.splitting import SplitGraph
from astgen.program import Program

__all__ = ["CompiledGraph"]


@dataclass(frozen=True)
class CompiledGraph:
    """A graph on its way from Dynamo to a function, with all that came up.

    Attributes:
        split: The stitching graph as it was cut, and its pieces.
        stitching: The same graph with the compiled pieces in place. It runs
            under FX and does what `function` does.
        program: The source made of it.
        function: The program, compiled and bound to the pieces.
        milliseconds: How long each stage took, in the order of the stages.
        pieces: The compiled pieces by name, with what they were made of.
    """

    split: SplitGraph
    stitching: fx.GraphModule
    program: Program
    function: Callable[..., Any]
    milliseconds: Mapping[str, float]
    pieces: Mapping[str, BuiltPiece] = field(default_factory=dict)
