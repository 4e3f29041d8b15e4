"""The example values of nodes, with those of pieces taken from their graphs."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_arg

from astgen.metadata import value_of

__all__ = ["Values"]

_NOTHING: Mapping[str, fx.GraphModule] = MappingProxyType({})


class Values:
    """What the nodes of one graph compute, as far as it was noted.

    A call of a module has no example value where the graph was split without giving it
    one: then it is what the graph of the module returns. An item of it, likewise.

    Args:
        gm: The module of the graph.
        path: Where it lies below the root, empty for the root.
        graphs: The graphs of pieces that are no GraphModules, by their paths.
        results: What graphs return, as far as somebody asked; more is added.
    """

    def __init__(
        self,
        gm: fx.GraphModule,
        path: str = "",
        graphs: Mapping[str, fx.GraphModule] = _NOTHING,
        results: dict[fx.GraphModule, Any] | None = None,
    ) -> None:
        self.gm = gm
        self.path = path
        self.graphs = graphs
        self.results = {} if results is None else results
        self._known: dict[fx.Node, Any] = {}

    def of(self, node: fx.Node) -> Any:
        """The example value of a node; None if it is not known.

        Nodes are asked for in the order of the graph.
        """
        if node not in self._known:
            self._known[node] = self._find(node)
        return self._known[node]

    def graph_of(self, node: fx.Node) -> fx.GraphModule | None:
        """The graph that a call of a module runs, if it is there."""
        if node.op != "call_module":
            return None
        target = str(node.target)
        given = self.graphs.get(f"{self.path}.{target}" if self.path else target)
        if given is not None:
            return given
        return _registered(self.gm, target) or _in_place(self.gm, target)

    def _find(self, node: fx.Node) -> Any:
        value = value_of(node)
        if value is not None:
            return value
        graph = self.graph_of(node)
        if graph is not None:
            return self._result(graph)
        if node.op == "get_attr":
            return _attribute(self.gm, str(node.target))
        if node.target is operator.getitem and len(node.args) == 2:
            parent, key = node.args
            whole = self.of(parent) if isinstance(parent, fx.Node) else None
            if isinstance(whole, (tuple, list)) and isinstance(key, int):
                return whole[key] if -len(whole) <= key < len(whole) else None
        return None

    def _result(self, gm: fx.GraphModule) -> Any:
        """What a graph returns, as an example."""
        if gm not in self.results:
            # A graph that calls itself returns nothing that is known.
            self.results[gm] = None
            values = Values(gm, results=self.results)
            for node in gm.graph.nodes:
                if node.op == "output":
                    given = node.args[0] if node.args else None
                    self.results[gm] = map_arg(given, values.of)
                    break
                values.of(node)
        return self.results[gm]


def _registered(gm: fx.GraphModule, target: str) -> fx.GraphModule | None:
    """The graph module that a child is, as long as nobody removed it.

    vLLM puts a callable in its place, and leaves it among the modules.
    """
    found: torch.nn.Module | None = gm
    for name in target.split("."):
        found = None if found is None else found._modules.get(name)
    return found if isinstance(found, fx.GraphModule) else None


def _in_place(gm: fx.GraphModule, target: str) -> fx.GraphModule | None:
    """The graph that what is called was made of.

    vLLM's `PiecewiseBackend` has it as `graph`.
    """
    found: Any = gm
    for name in target.split("."):
        found = getattr(found, name, None)
    graph = getattr(found, "__dict__", {}).get("graph")
    return graph if isinstance(graph, fx.GraphModule) else None


def _attribute(gm: fx.GraphModule, target: str) -> Any:
    value: Any = gm
    for name in target.split("."):
        value = getattr(value, name, None)
    return value if isinstance(value, torch.Tensor) else None
