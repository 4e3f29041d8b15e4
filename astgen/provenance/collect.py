"""What a graph knows of the text that was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torch import fx

from astgen.garbage import paused
from astgen.provenance.memory import Memory
from astgen.provenance.model import (
    FunctionOrigins,
    Origin,
    PieceOrigins,
    Provenance,
    Value,
)
from astgen.provenance.places import common_module, module_of, source_of
from astgen.provenance.values import Values

if TYPE_CHECKING:
    # It imports libcst, which is here already if there is a trace.
    from astgen.emit.trace import Trace, TracedFunction

__all__ = ["collect"]

_NOTHING: Mapping[str, fx.GraphModule] = MappingProxyType({})


@paused()
def collect(
    trace: Trace, graphs: Mapping[str, fx.GraphModule] = _NOTHING
) -> Provenance:
    """Collect what is known of the statements of a text.

    Args:
        trace: The nodes that its statements were made of.
        graphs: The graphs of pieces that are no GraphModules, by their names.
    """
    collector = _Collector(graphs)
    collector.note_passed(trace)
    # The entry first: its placeholders say best what the model owns.
    order = sorted(trace.functions.items(), key=lambda item: item[1].path != "")
    functions = {name: collector.function(traced) for name, traced in order}
    memory = collector.memory
    return Provenance(
        dict(sorted(memory.symbols.found.items())),
        tuple(memory.storages),
        functions,
        collector.pieces,
    )


class _Collector:
    def __init__(self, graphs: Mapping[str, fx.GraphModule]) -> None:
        self.graphs = graphs
        self.memory = Memory()
        self.pieces: dict[str, PieceOrigins] = {}
        self.results: dict[fx.GraphModule, Any] = {}

    def note_passed(self, trace: Trace) -> None:
        """Look at all graphs, those of pieces too, before anything is numbered."""
        seen: set[fx.GraphModule] = set()
        todo = [
            Values(one.module, one.path, self.graphs, self.results)
            for one in trace.functions.values()
        ]
        while todo:
            values = todo.pop()
            if values.gm not in seen:
                seen.add(values.gm)
                self.memory.note_passed(values)
                graphs = map(values.graph_of, values.gm.graph.nodes)
                todo += [Values(one, results=self.results) for one in graphs if one]

    def function(self, traced: TracedFunction) -> FunctionOrigins:
        values = Values(traced.module, traced.path, self.graphs, self.results)
        parameters = {}
        for name, node in traced.parameters.items():
            value = self.value(values, node)
            if value is not None:
                parameters[name] = value
        for node in traced.module.graph.nodes:
            # In the order of the graph, so that items find what they are taken of.
            example = values.of(node)
            if node.op == "get_attr" and example is not None:
                self.memory.value(example, str(node.target))
        known: dict[fx.Node, Origin] = {}
        statements = []
        for place, one in enumerate(traced.nodes):
            if one is not None and one not in known:
                known[one] = self.origin(values, one)
            said = None if one is None else known[one]
            if said is not None and place in traced.partial:
                said = replace(said, value=None)
            statements.append(said)
        return FunctionOrigins(traced.path, parameters, tuple(statements))

    def origin(self, values: Values, node: fx.Node) -> Origin:
        if node.op == "output":
            return Origin(node.name)
        value = self.value(values, node)
        graph = values.graph_of(node)
        if graph is None:
            return Origin(node.name, value, module_of(node), source_of(node))
        inside = [one for one in graph.graph.nodes if one.op.startswith("call_")]
        lines = {*map(source_of, inside)}
        self.piece(values, node, graph)
        return Origin(
            node.name,
            value,
            module_of(node) or common_module(map(module_of, inside)),
            # Of several lines, none is that of the call.
            lines.pop() if len(lines) == 1 else None,
        )

    def value(self, values: Values, node: fx.Node) -> Value | None:
        example = values.of(node)
        if example is None:
            return None
        if node.op != "placeholder":
            return self.memory.value(example)
        owner = self.memory.owned(node, example)
        return self.memory.value(example, owner, is_input=True)

    def piece(self, values: Values, node: fx.Node, graph: fx.GraphModule) -> None:
        target = str(node.target)
        path = f"{values.path}.{target}" if values.path else target
        if path not in self.pieces:
            inside = Values(graph, results=self.results)
            self.pieces[path] = self.memory.piece(inside)
