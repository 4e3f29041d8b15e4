"""The `torch.compile` backend: split a Dynamo graph, compile its pieces, stitch them.

    torch.compile(model, backend="astgen", options={"pieces": "inductor"})

`backend` is the page to read first; the other modules are its stages, in the
order `options`, `operators`, `sizes`, `splitting`, `pieces`. `caching` and `cache` keep
what was compiled, `ranks` compares it between the ranks of a job. The names below are
loaded on first use: whoever only lists a cache does not pay for importing torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astgen.lazy import lazy

if TYPE_CHECKING:
    from astgen.backend.backend import astgen_backend, compile_graph
    from astgen.backend.caching import SerializableFunction
    from astgen.backend.compiled import CompiledGraph
    from astgen.backend.options import BackendOptions, parse_options
    from astgen.backend.pieces import compile_piece
    from astgen.backend.ranks import LiteralDifference, RankReport, check_ranks
    from astgen.backend.splitting import Piece, SplitGraph, split

__all__ = [
    "BackendOptions",
    "CompiledGraph",
    "LiteralDifference",
    "Piece",
    "RankReport",
    "SerializableFunction",
    "SplitGraph",
    "astgen_backend",
    "check_ranks",
    "compile_graph",
    "compile_piece",
    "parse_options",
    "split",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BackendOptions": "astgen.backend.options",
        "CompiledGraph": "astgen.backend.compiled",
        "LiteralDifference": "astgen.backend.ranks",
        "Piece": "astgen.backend.splitting",
        "RankReport": "astgen.backend.ranks",
        "SerializableFunction": "astgen.backend.caching",
        "SplitGraph": "astgen.backend.splitting",
        "astgen_backend": "astgen.backend.backend",
        "check_ranks": "astgen.backend.ranks",
        "compile_graph": "astgen.backend.backend",
        "compile_piece": "astgen.backend.pieces",
        "parse_options": "astgen.backend.options",
        "split": "astgen.backend.splitting",
    },
)
