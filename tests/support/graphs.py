"""Small graphs by hand, and what a graph means: the oracle of the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch.fx._lazy_graph_module import _LazyGraphModule

__all__ = [
    "bound",
    "carry",
    "chain",
    "finish",
    "graph",
    "interpret",
    "module",
    "tensor",
]


def graph(
    body: Callable[..., Any], *inputs: str, root: torch.nn.Module | None = None
) -> fx.GraphModule:
    """A graph module with the inputs that are named and the output of `body`.

    Args:
        body: Takes the graph and one node an input, returns the output.
        inputs: Targets of the placeholders.
        root: Owner of what the graph refers to.
    """
    made = fx.Graph()
    nodes = [made.placeholder(target) for target in inputs]
    return finish(made, body(made, *nodes), root)


def finish(
    made: fx.Graph, output: Any, root: torch.nn.Module | None = None
) -> fx.GraphModule:
    """Close a graph. FX does not print it, so it may be one that FX cannot print."""
    made.output(output)
    return _LazyGraphModule(torch.nn.Module() if root is None else root, made)


def carry(*values: Any) -> fx.GraphModule:
    """A graph that hands constants through a call and gives them back."""

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return x, g.call_function(dict, (), {"values": values})

    return graph(body, "x")


def chain(*targets: Callable[..., Any]) -> fx.GraphModule:
    """A graph of one input that goes through functions of one argument."""

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        for target in targets:
            x = g.call_function(target, (x,))
        return x

    return graph(body, "x")


def module(**children: Any) -> torch.nn.Module:
    """A module with children, buffers or anything else as attributes."""
    made = torch.nn.Module()
    for name, child in children.items():
        if isinstance(child, torch.Tensor) and not isinstance(
            child, torch.nn.Parameter
        ):
            made.register_buffer(name, child)
        else:
            setattr(made, name, child)
    return made


def tensor(*values: float) -> torch.Tensor:
    return torch.tensor([float(value) for value in values])


def interpret(gm: fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
    """Run a graph without generating code, its GraphModule children included."""
    given = bound(gm.graph, gm.graph.process_inputs(*args), kwargs)
    return _Recursive(gm, given).run(enable_io_processing=False)


class _Recursive(fx.Interpreter):
    """FX's Interpreter, with arguments bound the way Python binds them.

    FX's own hands a starred placeholder a list, and runs the code that FX generated
    for children.
    """

    def __init__(self, gm: fx.GraphModule, given: dict[str, Any]) -> None:
        super().__init__(gm, garbage_collect_values=True)
        self._given = given

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        return self._given.pop(target)

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        child = self.fetch_attr(target)
        hooked = child._forward_hooks or child._forward_pre_hooks
        if not isinstance(child, fx.GraphModule) or hooked:
            return child(*args, **kwargs)
        return interpret(child, *args, **kwargs)

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        return self.graph.process_outputs(args[0])


def bound(
    graph: fx.Graph, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The value of each placeholder by its target."""
    left, named = list(args), dict(kwargs)
    found: dict[str, Any] = {}
    for node in graph.find_nodes(op="placeholder"):
        target = str(node.target)
        if target.startswith("**"):
            found[target], named = named, {}
        elif target.startswith("*"):
            found[target], left = tuple(left), []
        elif left:
            found[target] = left.pop(0)
        elif target in named:
            found[target] = named.pop(target)
        elif node.args:
            found[target] = node.args[0]
        else:
            raise TypeError(f"no value for {target}")
    if left or named:
        raise TypeError(f"too many arguments: {len(left)} and {sorted(named)}")
    return found
