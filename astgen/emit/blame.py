"""Where in a node's arguments something stands that cannot be expressed."""

from __future__ import annotations

from typing import Any

from torch import fx

__all__ = ["argument_path"]


def argument_path(node: fx.Node, value: Any) -> str:
    """The way from a node to one of its arguments, as Python would write it.

    Args:
        node: The node.
        value: The very object that is looked for, at any depth.

    Returns:
        A path such as `kwargs['dim'][0]`; empty if the object is not there.
    """
    todo: list[tuple[str, Any]] = [("kwargs", node.kwargs), ("args", node.args)]
    seen: set[int] = set()
    while todo:
        path, item = todo.pop()
        if item is value:
            return path
        if id(item) in seen:
            continue
        if isinstance(item, dict):
            seen.add(id(item))
            todo += [(f"{path} (a key)", key) for key in item]
            todo += [(f"{path}[{_shown(key)}]", item[key]) for key in item]
        elif isinstance(item, (list, tuple)):
            seen.add(id(item))
            found = [(f"{path}[{index}]", one) for index, one in enumerate(item)]
            todo += reversed(found)
        elif isinstance(item, slice):
            names = ("start", "stop", "step")
            todo += [(f"{path}.{name}", getattr(item, name)) for name in names]
    return ""


def _shown(key: object) -> str:
    if type(key) in (str, int, bytes, bool, type(None)):
        return repr(key)
    # The repr of a user's type may be anything, or raise.
    return f"<{type(key).__qualname__}>"
