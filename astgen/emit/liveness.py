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

__all__ = ["last_uses", "owns_nothing"]

_HOLD_NOTHING = (
    bool,
    int,
    float,
    torch.SymBool,
    torch.SymFloat,
    torch.SymInt,
    torch.nn.Parameter,
    torch.nn.Buffer,
)


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
    # Users that were erased, or are in another graph, do not run: nodes are asked for
    # what they read, not values for their users.
    last: dict[fx.Node, fx.Node] = {}
    for node in graph.nodes:
        if node.op != "placeholder":
            for read in node.all_input_nodes:
                last[read] = node
    dying: dict[fx.Node, list[fx.Node]] = {}
    for node in graph.nodes:
        reader = last.get(node)
        if node.op == "placeholder":
            if not are_inputs_bound and owns_nothing(node):
                continue
            reader = reader or node
        elif reader is None or node.op in ("output", "get_attr"):
            continue
        if reader.op != "output":
            dying.setdefault(reader, []).append(node)
    return dying


def owns_nothing(node: fx.Node) -> bool:
    """Whether deleting the input that a placeholder stands for frees nothing."""
    meta = node.meta
    value = meta["example_value"] if "example_value" in meta else meta.get("val")
    kind = type(value)
    # To ask whether a tensor is a parameter is slow; most need not be asked.
    if kind is torch.nn.Parameter:
        return True
    if kind is torch.Tensor and not vars(value):
        return False
    return isinstance(value, _HOLD_NOTHING)
