"""Compiles a small model and saves its program; run as a script, in a new process.

    python captured_model.py FILE LAYER WEIGHT INPUT DIM ALPHA...

The names are those of a layer's parts and of the input, `DIM` is that of the softmax at
which the graph is split. There is a layer for each `ALPHA`, a number that a piece has.
"""

from __future__ import annotations

import sys

import torch
import torch.nn.functional as F
from torch import fx, nn

from astgen.backend import BackendOptions, compile_graph

__all__ = ["main"]


class Layer(nn.Module):
    """A projection, a softmax, a scale and a residual."""

    def __init__(self, first: str, second: str, dim: int, alpha: float) -> None:
        super().__init__()
        self.parts = first, second
        self.dim = dim
        self.alpha = alpha
        setattr(self, first, nn.Linear(8, 8))
        setattr(self, second, nn.Parameter(torch.ones(8)))

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        """Run the layer."""
        first, second = self.parts
        inner = getattr(self, first)(value)
        scores = F.softmax(inner, self.dim)
        return torch.add(scores * getattr(self, second), value, alpha=self.alpha)


def main(
    path: str, first: str, second: str, given: str, dim: str, *alphas: str
) -> None:
    """Compile the model, and save the program of its graph."""
    layers = [Layer(first, second, int(dim), float(alpha)) for alpha in alphas]
    model = nn.Sequential(*layers)
    names = {"model": model, "torch": torch}
    exec(f"def run({given}): return model({given}).to(torch.float64)", names)

    def backend(gm: fx.GraphModule, inputs: object) -> object:
        options = BackendOptions(splitting_ops=("softmax",), provenance=True)
        compiled = compile_graph(gm, options)
        compiled.program.save(path)
        return compiled.function

    torch.compile(names["run"], backend=backend)(torch.randn(2, 8))


if __name__ == "__main__":
    main(*sys.argv[1:])
