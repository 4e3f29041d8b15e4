"""The floor: what somebody would write by hand who only cares about speed.

A function in which every callable, operator and constant is a cell already. It calls
what the graph calls, in the same order, and frees what the graph does not need any
more; graphs in it are functions beside it, equal ones the same function.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import fx, nn

__all__ = ["floor"]

_LITERALS = (bool, bytes, int, str, type(None))


def floor(
    gm: fx.GraphModule, stubs: Mapping[str, Callable[..., Any]]
) -> Callable[..., Any]:
    """Write and compile the floor of a graph.

    Args:
        gm: The graph.
        stubs: A callable for each piece.

    Returns:
        A function of the graph's inputs.

    Raises:
        ValueError: The graph takes inputs in ways that the floor does not know.
    """
    text = _Text(stubs)
    entry = text.function(gm)
    lines = [f"def outer({', '.join(text.cells.values())}):"]
    lines += [f"    {line}" for line in text.lines]
    lines.append(f"    return {entry}")
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<floor>", "exec"), namespace)
    made: Callable[..., Any] = namespace["outer"](*text.objects)
    return made


class _Text:
    """Functions, and the objects that they need as cells."""

    def __init__(self, stubs: Mapping[str, Callable[..., Any]]) -> None:
        self.lines: list[str] = []
        self.cells: dict[int, str] = {}
        self.objects: list[Any] = []
        self._stubs = stubs
        self._functions: dict[tuple[str, ...], str] = {}

    def function(self, gm: fx.GraphModule) -> str:
        """Write a graph as a function, if it is not there already.

        Returns:
            The function's name.
        """
        nodes = list(gm.graph.nodes)
        names = {node: f"v{index}" for index, node in enumerate(nodes)}
        inputs = [node for node in nodes if node.op == "placeholder"]
        if any(node.args or str(node.target).startswith("*") for node in inputs):
            raise ValueError("inputs with defaults or stars")
        body = [f"({', '.join(names[node] for node in inputs)}):"]
        dying = _last_uses(nodes)
        for node in nodes:
            body += [f"    {line}" for line in self._statement(gm, node, names)]
            if dead := [names[one] for one in dying.get(node, ())]:
                body.append(f"    del {', '.join(dead)}")
        if tuple(body) not in self._functions:
            name = self._functions[tuple(body)] = f"f{len(self._functions)}"
            self.lines += [f"def {name}{body[0]}", *body[1:]]
        return self._functions[tuple(body)]

    def _statement(
        self, gm: fx.GraphModule, node: fx.Node, names: Mapping[fx.Node, str]
    ) -> list[str]:
        if node.op == "placeholder":
            return []
        if node.op == "output":
            return [f"return {self._spell(node.args[0], names)}"]
        value = self._value(gm, node, names)
        return [f"{names[node]} = {value}" if node.users else value]

    def _value(
        self, gm: fx.GraphModule, node: fx.Node, names: Mapping[fx.Node, str]
    ) -> str:
        args = [self._spell(arg, names) for arg in node.args]
        if node.op == "get_attr":
            return self._cell(operator.attrgetter(str(node.target))(gm))
        if node.target is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        args += [f"{key}={self._spell(arg, names)}" for key, arg in node.kwargs.items()]
        if node.op == "call_method":
            callee = f"{args.pop(0)}.{node.target}"
        elif node.op == "call_module":
            callee = self._module(gm, str(node.target))
        else:
            callee = self._cell(node.target)
        return f"{callee}({', '.join(args)})"

    def _module(self, gm: fx.GraphModule, target: str) -> str:
        if target in self._stubs:
            return self._cell(self._stubs[target])
        child: nn.Module = gm.get_submodule(target)
        return (
            self.function(child)
            if isinstance(child, fx.GraphModule)
            else self._cell(child)
        )

    def _spell(self, arg: Any, names: Mapping[fx.Node, str]) -> str:
        if isinstance(arg, fx.Node):
            return names[arg]
        if isinstance(arg, slice):
            parts = (arg.start, arg.stop, arg.step)
            return f"{self._cell(slice)}({self._items(parts, names)})"
        if isinstance(arg, list):
            return f"[{self._items(arg, names)}]"
        if type(arg) is tuple:
            return f"({self._items(arg, names)}{',' * (len(arg) == 1)})"
        if isinstance(arg, dict):
            items = [
                f"{key!r}: {self._spell(value, names)}" for key, value in arg.items()
            ]
            return f"{{{', '.join(items)}}}"
        is_literal = type(arg) in _LITERALS or type(arg) is float and math.isfinite(arg)
        return repr(arg) if is_literal else self._cell(arg)

    def _items(self, args: Iterable[Any], names: Mapping[fx.Node, str]) -> str:
        return ", ".join(self._spell(arg, names) for arg in args)

    def _cell(self, value: Any) -> str:
        if id(value) not in self.cells:
            self.cells[id(value)] = f"c{len(self.objects)}"
            # Kept, so that no other object gets its id.
            self.objects.append(value)
        return self.cells[id(value)]


def _last_uses(nodes: Iterable[fx.Node]) -> dict[fx.Node, list[fx.Node]]:
    """What is not needed after each node; weights stay, the model owns them."""
    last: dict[fx.Node, fx.Node] = {}
    for node in nodes:
        for needed in node.all_input_nodes:
            last[needed] = node
    dying: dict[fx.Node, list[fx.Node]] = {}
    for needed, node in last.items():
        is_weight = isinstance(needed.meta.get("example_value"), nn.Parameter)
        if node.op != "output" and needed.op != "get_attr" and not is_weight:
            dying.setdefault(node, []).append(needed)
    return dying
