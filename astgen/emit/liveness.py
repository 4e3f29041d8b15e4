"""Where each value of a graph dies.

FX's Interpreter with `garbage_collect_values=True` drops a value after its last
user; so does the generated text, with `del`. Parameters that hold no memory of their
own are left alone: the model owns its weights whatever a function deletes, and
numbers cost nothing. What a line binds is always deleted, numbers too, so that a
reader of the text, who sees no types, knows that nothing was forgotten.
"""

from __future__ import annotations

import torch
from torch import fx

__all__ = ["last_uses"]

_NUMBERS = (bool, int, float, torch.SymBool, torch.SymFloat, torch.SymInt)


def last_uses(
    graph: fx.Graph, *, are_inputs_bound: bool
) -> dict[fx.Node, list[fx.Node]]:
    """Find what may be freed after each node.

    Args:
        graph: Any graph; it is not changed.
        are_inputs_bound: Whether lines of the text bind the inputs, because they are
            taken out of nested ones, so that they look like all other locals.

    Returns:
        For each node that is the last to read something, what it is the last to
        read, in the order of definition. Placeholders that nobody reads are
        listed under themselves. Values that live until the output, and values
        whose release frees nothing, are in no list.
    """
    position = {node: index for index, node in enumerate(graph.nodes)}
    dying: dict[fx.Node, list[fx.Node]] = {}
    for node in graph.nodes:
        if node.op in ("output", "get_attr"):
            continue
        if node.op == "placeholder" and not are_inputs_bound and _owns_nothing(node):
            continue
        # Users that were erased, or are in another graph, do not run.
        users = [user for user in node.users if user in position]
        last = max(users, key=position.__getitem__, default=node)
        if last.op != "output" and (last is not node or node.op == "placeholder"):
            dying.setdefault(last, []).append(node)
    return dying


def _owns_nothing(node: fx.Node) -> bool:
    value = node.meta.get("example_value", node.meta.get("val"))
    return isinstance(value, (*_NUMBERS, torch.nn.Parameter, torch.nn.Buffer))
