"""What astgen is measured against, and what vLLM's file is taken from."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import fx

__all__ = [
    "BenchError",
    "Compiler",
    "graph_module",
    "interpreter",
    "load_upstream",
    "said",
]

Compiler = Any
"""A module with the two functions of `vllm.compilation.codegen`."""

_FUNCTIONS = ("generate_execution_code", "compile_execution_fn")
_SHOWN = 200


class BenchError(Exception):
    """It cannot be measured; the message says why, and what helps."""


def load_upstream(path: Path | None) -> tuple[Compiler, Path] | None:
    """Load another generator from its file.

    Args:
        path: A file with vLLM's two functions; None for that of the vLLM that is
            installed. All of vLLM is not imported.

    Returns:
        The module and where it is from; None if there is no vLLM.

    Raises:
        BenchError: The file cannot be loaded, or is something else.
    """
    path = _installed() if path is None else path
    if path is None:
        return None
    if not path.is_file():
        raise BenchError(f"{path} is not a file; pass the path of vLLM's codegen.py")
    spec = importlib.util.spec_from_file_location("upstream_codegen", path)
    if spec is None or spec.loader is None:
        raise BenchError(f"{path} is not a Python file; pass that of vLLM's codegen.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a foreign file raises
        raise BenchError(f"{path} cannot be loaded: {said(error)}") from error
    missing = [name for name in _FUNCTIONS if not callable(getattr(module, name, None))]
    if missing:
        raise BenchError(
            f"{path} has no {' and no '.join(missing)}; pass the path of vLLM's codegen.py"
        )
    return module, path


def graph_module(
    gm: fx.GraphModule, stubs: Mapping[str, Callable[..., Any]]
) -> fx.GraphModule:
    """FX's own way to run a graph.

    Args:
        gm: The graph; it is not changed.
        stubs: A callable for each piece.

    Returns:
        A module that calls the stubs themselves, not modules around them.
    """
    own = fx.GraphModule(gm, copy.deepcopy(gm.graph))
    # Attributes of the instance come before children; vLLM puts its pieces there.
    vars(own).update(stubs)
    return own


def interpreter(
    gm: fx.GraphModule, stubs: Mapping[str, Callable[..., Any]]
) -> Callable[..., Any]:
    """FX's interpreter of a graph.

    Args:
        gm: The graph; it is not changed.
        stubs: A callable for each piece.

    Returns:
        A function of the graph's inputs.
    """
    return fx.Interpreter(graph_module(gm, stubs)).run


def said(error: Exception) -> str:
    """An exception in one line, cut off where it gets long."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:_SHOWN]


def _installed() -> Path | None:
    spec = importlib.util.find_spec("vllm")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "compilation" / "codegen.py"
        if path.is_file():
            return path
    return None
