"""Constants of a graph that vLLM will not be able to save, with the node to blame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from torch import fx

from astgen.vllm.picklable import why_not_picklable
from astgen.vllm.settings import LOG

__all__ = ["node_of", "type_name", "warn_of_unpicklable"]


def warn_of_unpicklable(gm: fx.GraphModule, consts: Sequence[Any]) -> None:
    """Say in one line which constants will keep vLLM from saving its artifact.

    vLLM pickles them when it saves, and says then only what pickle says.

    Args:
        gm: The graph.
        consts: Its constants in slot order.
    """
    told = []
    for slot, value in enumerate(consts):
        reason = why_not_picklable(value)
        if reason:
            node = node_of(gm, value)
            where = f" of node {node.name!r}" if node is not None else ""
            told.append(f"constant {slot}, a {type_name(value)}{where} ({reason})")
    if told:
        LOG.warning(
            "astgen: an AOT artifact of this graph cannot be saved, each start will "
            "compile again, since pickle cannot write %s",
            "; ".join(told),
        )


def node_of(gm: fx.GraphModule, value: Any) -> fx.Node | None:
    """The first node that has a value among its arguments, or calls it.

    Args:
        gm: The graph; those of its children are searched, too.
        value: A constant.

    Returns:
        The node, or None.
    """
    for node in _nodes(gm):
        if any(one is value for one in _values((node.target, node.args, node.kwargs))):
            return node
    return None


def _values(argument: Any) -> Iterator[Any]:
    """An argument, and all that is in it."""
    yield argument
    inner: Iterable[Any] = ()
    if isinstance(argument, (list, tuple)):
        inner = argument
    elif isinstance(argument, dict):
        inner = argument.values()
    elif isinstance(argument, slice):
        inner = (argument.start, argument.stop, argument.step)
    for one in inner:
        yield from _values(one)


def _nodes(gm: fx.GraphModule) -> Iterator[fx.Node]:
    for module in gm.modules():
        if isinstance(module, fx.GraphModule):
            yield from module.graph.nodes


def type_name(value: Any) -> str:
    """The type of a value, as one would import it."""
    kind = type(value)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
