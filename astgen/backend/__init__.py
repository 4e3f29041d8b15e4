"""The `torch.compile` backend: split a Dynamo graph, compile its pieces, stitch them.

    torch.compile(model, backend="astgen", options={"pieces": "inductor"})

`backend` is the page to read first; the other modules are its stages, in the
order `options`, `operators`, `sizes`, `split`, `pieces`.
"""

from __future__ import annotations

from astgen.backend.backend import CompiledGraph, astgen_backend, compile_graph
from astgen.backend.options import BackendOptions, parse_options
from astgen.backend.pieces import compile_piece
from astgen.backend.split import Piece, SplitGraph, split

__all__ = [
    "BackendOptions",
    "CompiledGraph",
    "Piece",
    "SplitGraph",
    "astgen_backend",
    "compile_graph",
    "compile_piece",
    "parse_options",
    "split",
]
