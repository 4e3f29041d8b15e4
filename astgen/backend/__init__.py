"""The `torch.compile` backend: split a Dynamo graph, compile its pieces, stitch them.

    torch.compile(model, backend="astgen", options={"pieces": "inductor"})

`backend` is the page to read first; the other modules are its stages, in the
order `options`, `operators`, `sizes`, `splitting`, `pieces`. `caching` and `cache` keep
what was compiled, `ranks` compares it between the ranks of a job. The names below are
loaded on first use: whoever only lists a cache does not pay for importing torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astgen.backend.backend import CompiledGraph, astgen_backend, compile_graph
    from astgen.backend.caching import SerializableFunction
    from astgen.backend.options import BackendOptions, parse_options
    from astgen.backend.pieces import compile_piece
    from astgen.backend.ranks import RankReport, check_ranks
    from astgen.backend.splitting import Piece, SplitGraph, split

__all__ = [
    "BackendOptions",
    "CompiledGraph",
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

_HOMES = {
    "BackendOptions": "options",
    "CompiledGraph": "backend",
    "Piece": "splitting",
    "RankReport": "ranks",
    "SerializableFunction": "caching",
    "SplitGraph": "splitting",
    "astgen_backend": "backend",
    "check_ranks": "ranks",
    "compile_graph": "backend",
    "compile_piece": "pieces",
    "parse_options": "options",
    "split": "splitting",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'astgen.backend' has no attribute {name!r}")
    value = getattr(import_module(f"astgen.backend.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
