"""Which modules below a graph can become functions of the text."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch._ops import HigherOrderOperator
from torch.fx.graph import CodeGen, _PyTreeCodeGen

from astgen.emit.resolve import is_called_otherwise
from astgen.errors import UnsupportedGraphError

__all__ = ["fetch", "is_inlinable", "is_operand"]

_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)

_TAKE_FUNCTIONS = frozenset(
    {
        "associative_scan",
        "cond",
        "flex_attention",
        "map_impl",
        "scan",
        "strict_mode",
        "while_loop",
        "wrap",
        "wrap_with_autocast",
        "wrap_with_set_grad_enabled",
    }
)
"""Higher-order operators that run any function; the others want a GraphModule."""


def fetch(root: torch.nn.Module, node: fx.Node) -> Any:
    """What a `get_attr` or `call_module` node refers to.

    Raises:
        UnsupportedGraphError: There is nothing at the target.
    """
    value: Any = root
    for name in str(node.target).split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            raise UnsupportedGraphError(
                f"{node.target!r} is no attribute of the module; add it, or erase "
                "the node",
                node,
            ) from None
        except Exception as error:
            raise UnsupportedGraphError(
                f"reading {node.target!r} of the module raises a "
                f"{type(error).__name__}; make it a plain attribute",
                node,
            ) from error
    return value


def is_inlinable(module: object) -> bool:
    """Whether running a module means running its graph, and a function can do it.

    Arguments are given by position, the pieces last: `**kwargs` cannot be passed
    on, nor `*args` to a function that needs the pieces.
    """
    if not isinstance(module, fx.GraphModule):
        return False
    attributes = module.__dict__
    if (
        "forward" in attributes
        or any(map(attributes.get, _HOOKS))
        or type(module.graph._codegen) not in (CodeGen, _PyTreeCodeGen)
        or is_called_otherwise(type(module))
    ):
        return False
    placeholders = module.graph.find_nodes(op="placeholder", sort=False)
    stars = [node for node in placeholders if str(node.target).startswith("*")]
    if any(str(node.target).startswith("**") for node in stars):
        return False
    return not (stars and _calls_pieces(module))


def _calls_pieces(module: fx.GraphModule) -> bool:
    for node in module.graph.nodes:
        if node.op == "call_module":
            child = fetch(module, node)
            if not isinstance(child, fx.GraphModule):
                return True
            if is_inlinable(child) and _calls_pieces(child):
                return True
    return False


def is_operand(node: fx.Node) -> bool:
    """Whether a GraphModule is only handed to operators that run any function."""
    return all(
        isinstance(user.target, HigherOrderOperator)
        and user.target.__name__ in _TAKE_FUNCTIONS
        for user in node.users
    )
