"""What a graph knows about the values of its nodes."""

from __future__ import annotations

from typing import Any

__all__ = ["value_of"]


def value_of(node: Any) -> Any:
    """The example value of a node: a fake tensor, a number, a tuple of them.

    Args:
        node: A node, or any other argument of one.

    Returns:
        The value that Dynamo (`example_value`) or another tracer (`val`) left
        in the metadata; None if there is none, or if `node` is no node.
    """
    meta = getattr(node, "meta", {})
    return meta.get("example_value", meta.get("val"))
