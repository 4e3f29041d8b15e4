"""Where each value of a graph dies.

FX's Interpreter with `garbage_collect_values=True` drops a value after its last
user; so does the generated text, with `del`. Inputs that hold no memory of their
own are left alone: the model owns its weights whatever a function deletes, and
numbers cost nothing. What a line computes is always deleted, numbers too, so that
a reader of the text, who sees no types, knows that nothing was forgotten.
"""

from __future__ import annotations

import torch
from torch import fx

__all__ = ["last_uses"]

_NUMBERS = (bool, int, float, torch.SymBool, torch.SymFloat, torch.SymInt)


def last_uses(graph: fx.Graph) -> dict[fx.Node, list[fx.Node]]:
    """Find what may be freed after each node.

    Args:
        graph: Any graph; it is not changed.

    Returns:
        For each node that is the last to read something, what it is the last to
        read, in the order of definition. Placeholders that nobody reads are
        listed under themselves. Values that live until the output, and values
        whose release frees nothing, are in no list.
    """
    position = {node: index for index, node in enumerate(graph.nodes)}
    dying: dict[fx.Node, list[fx.Node]] = {}
    for node in graph.nodes:
        if node.op in ("output", "get_attr") or _owns_nothing(node):
            continue
        # Users that were erased, or are in another graph, do not run.
        users = [user for user in node.users if user in position]
        last = max(users, key=position.__getitem__, default=node)
        if last.op != "output" and (last is not node or node.op == "placeholder"):
            dying.setdefault(last, []).append(node)
    return dying


def _owns_nothing(node: fx.Node) -> bool:
    if node.op != "placeholder":
        return False
    value = node.meta.get("example_value", node.meta.get("val"))
    return isinstance(value, (*_NUMBERS, torch.nn.Parameter, torch.nn.Buffer))
