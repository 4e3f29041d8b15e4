"""The parameters of a graph, and calls of inlined graphs by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from torch import fx

from astgen.emit.pytree import pytree_of
from astgen.errors import UnsupportedGraphError

__all__ = ["Parameter", "bound", "parameters", "writable"]

Kind = Literal["plain", "keyword", "args", "kwargs"]


class Parameter(NamedTuple):
    """One parameter of the function that a graph becomes.

    Attributes:
        target: Its name as callers know it, without stars.
        kind: Plain, keyword-only (behind `*args`), `*args` or `**kwargs`.
        node: The placeholder; None where a pytree is taken apart first.
        default: A tuple of the default value, empty if there is none.
    """

    target: str
    kind: Kind
    node: fx.Node | None
    default: tuple[Any, ...]


def parameters(graph: fx.Graph) -> list[Parameter]:
    """The parameters of a graph in the order of its signature."""
    info = pytree_of(graph)
    if info is not None:
        return [Parameter(name, "plain", None, ()) for name in info.orig_args]
    found: list[Parameter] = []
    starred = False
    for node in graph.nodes:
        if node.op == "placeholder":
            found.append(_parameter(node, starred))
            starred = starred or found[-1].kind == "args"
    return found


def writable(found: Sequence[Parameter]) -> list[Parameter]:
    """Parameters as Python can write them.

    A default before a parameter without one is never used in a call by position,
    and Python refuses it: it is dropped.
    """
    kept: list[Parameter] = []
    required = False
    for parameter in reversed(found):
        if parameter.kind == "plain":
            required = required or not parameter.default
            if required and parameter.default:
                parameter = parameter._replace(default=())
        kept.append(parameter)
    return kept[::-1]


def bound(
    callee: Sequence[Parameter],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    node: fx.Node,
    *,
    fill: bool = False,
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call as the parameters take them.

    Args:
        callee: The parameters of the called graph, without `**kwargs` among them.
        args: Positional arguments of the call.
        kwargs: Keyword arguments of the call.
        node: The call, for errors.
        fill: Whether to give trailing defaults, too.

    Returns:
        The arguments by position, and those of keyword-only parameters.

    Raises:
        UnsupportedGraphError: The call does not fit the parameters.
    """
    plain = [parameter for parameter in callee if parameter.kind == "plain"]
    if len(args) == len(plain) == len(callee) and not kwargs:
        return [*args], {}
    starred = any(parameter.kind == "args" for parameter in callee)
    if len(args) > len(plain) and not starred:
        raise _misfit(node, f"gives {len(args)} arguments, {len(plain)} are taken")
    positional, left = list(args), dict(kwargs)
    named = {
        parameter.target: left.pop(parameter.target)
        for parameter in callee
        if parameter.kind == "keyword" and parameter.target in left
    }
    for parameter in callee:
        if parameter.kind == "keyword" and not parameter.default:
            if parameter.target not in named:
                raise _misfit(node, f"lacks the argument {parameter.target!r}")
    for parameter in plain[len(args) :]:
        if parameter.target in left:
            positional.append(left.pop(parameter.target))
        elif parameter.default:
            if not (left or fill):
                break
            positional.append(parameter.default[0])
        else:
            raise _misfit(node, f"lacks the argument {parameter.target!r}")
    if left:
        raise _misfit(node, f"gives an unknown or second {next(iter(left))!r}")
    return positional, named


def _misfit(node: fx.Node, what: str) -> UnsupportedGraphError:
    return UnsupportedGraphError(
        f"the call of {node.target!r} {what}; match it with the child's placeholders",
        node,
    )


def _parameter(node: fx.Node, starred: bool) -> Parameter:
    target = str(node.target)
    if target[:1] != "*":
        kind: Kind = "keyword" if starred else "plain"
        return Parameter(target, kind, node, node.args)
    if target.startswith("**"):
        return Parameter(target[2:], "kwargs", node, ())
    return Parameter(target[1:], "args", node, ())
