"""Which node each line of a text was made of, for who asks.

The emitter adds lines node by node, so it is enough to see how many there are before
and after each. Nothing is recorded where no trace is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst
from torch import fx

__all__ = ["Trace", "TracedFunction"]


@dataclass
class TracedFunction:
    """The nodes of one function.

    Attributes:
        module: The graph module that it was made of.
        path: Where the module lies below the root, empty for the root.
        parameters: The placeholder of each parameter; none for nested inputs.
        nodes: The node of each statement; None for a `del`, and for what no node
            stands for.
        partial: The statements that bind a part of what their node is given, and not
            what it computes.
    """

    module: fx.GraphModule
    path: str
    parameters: dict[str, fx.Node] = field(default_factory=dict)
    nodes: list[fx.Node | None] = field(default_factory=list)
    partial: set[int] = field(default_factory=set)

    def following(
        self, nodes: Iterable[fx.Node], lines: Sequence[cst.SimpleStatementLine]
    ) -> Iterator[fx.Node]:
        """The same nodes; while they are gone through, lines are watched."""
        self._upto(lines, None)
        for node in nodes:
            yield node
            self._upto(lines, node)

    def finish(
        self,
        lines: Sequence[cst.SimpleStatementLine],
        names: Mapping[fx.Node, cst.Name],
        written: Sequence[str],
    ) -> None:
        """Add what is only known at the end.

        Args:
            lines: All lines of the function.
            names: What each node is called.
            written: The names of the parameters.
        """
        outputs = self.module.graph.find_nodes(op="output")
        self._upto(lines, next(iter(outputs), None))
        inputs = {
            name.value: node for node, name in names.items() if node.op == "placeholder"
        }
        self.parameters = {name: inputs[name] for name in written if name in inputs}
        for place, line in enumerate(lines):
            name, node = _bound(line), self.nodes[place]
            if node is None:
                self.nodes[place] = inputs.get(name)
            elif name and (node not in names or names[node].value != name):
                self.partial.add(place)

    def _upto(
        self, lines: Sequence[cst.SimpleStatementLine], node: fx.Node | None
    ) -> None:
        for line in lines[len(self.nodes) :]:
            is_del = isinstance(line.body[0], cst.Del)
            self.nodes.append(None if is_del else node)


@dataclass
class Trace:
    """The functions of a text.

    Attributes:
        functions: By name, in the order in which they were made.
    """

    functions: dict[str, TracedFunction] = field(default_factory=dict)

    def function(self, name: str, module: fx.GraphModule, path: str) -> TracedFunction:
        """Begin with a function."""
        traced = TracedFunction(module, path.removesuffix("."))
        self.functions[name] = traced
        return traced


def _bound(line: cst.SimpleStatementLine) -> str:
    """The name that a line binds; empty if it binds none."""
    statement = line.body[0]
    if isinstance(statement, cst.Assign):
        target = statement.targets[0].target
        if isinstance(target, cst.Name):
            return target.value
    return ""
