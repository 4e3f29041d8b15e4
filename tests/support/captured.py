"""What Dynamo makes of a function: the graph with its metadata, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx

__all__ = ["capture"]


def capture(
    function: Callable[..., Any], *inputs: Any, dynamic: bool | None = None
) -> tuple[fx.GraphModule, tuple[Any, ...]]:
    """Compile a function, and keep the graph instead.

    Args:
        function: It has to be one graph.
        inputs: What it is called with.
        dynamic: Whether sizes are symbols.

    Returns:
        The graph, and the inputs of it.
    """
    found: list[tuple[fx.GraphModule, tuple[Any, ...]]] = []

    def backend(gm: fx.GraphModule, given: list[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            if not found:
                found.append((gm, args))
            return gm.forward(*args)

        return run

    torch._dynamo.reset()
    try:
        compiled = torch.compile(
            function, backend=backend, dynamic=dynamic, fullgraph=True
        )
        compiled(*inputs)
    finally:
        torch._dynamo.reset()
    return found[0]
