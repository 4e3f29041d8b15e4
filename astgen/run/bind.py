"""Pieces into their slots; what is missing is refused here, not at the first call."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from astgen.check.judge import OPS
from astgen.check.scope import Reference
from astgen.errors import BindError

__all__ = ["bind", "pieces_for", "resolve", "slots"]

_OPERATORS = (HigherOrderOperator, OpOverload, OpOverloadPacket)
_NOTHING = object()
_ROOTS: dict[str, ModuleType] = {"torch": torch, "operator": operator}


def bind(
    function: FunctionType,
    name: str,
    pieces: Sequence[Callable[..., Any] | None],
) -> Callable[..., Any]:
    """Give an entry function its pieces.

    They become the default of its keyword-only parameter: a plain function hands
    its arguments over, where a `functools.partial` would hold all of them until
    the call returns and nothing could be freed early. (CPython's own call path
    holds them before 3.11, and while a frame evaluation hook, PEP 523, is there:
    PyTorch leaves its own behind when a backend has raised in `torch.compile`.)
    The parameter is there because the text has it: pieces were looked up when the
    program was loaded, and another list that is passed in a call is not asked.

    Args:
        function: The entry function; changed in place.
        name: The parameter's name.
        pieces: A callable for each slot, None for those that are never called.

    Returns:
        The function.
    """
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), name: list(pieces)}
    return function


def pieces_for(
    called: Collection[int],
    names: Sequence[str],
    callables: Mapping[str, Callable[..., Any]],
) -> list[Callable[..., Any] | None]:
    """The callables in slot order.

    Args:
        called: The slots that the program calls.
        names: The pieces' names in slot order.
        callables: What was handed over; inlined pieces need none.

    Returns:
        A callable or None for each slot.

    Raises:
        BindError: A slot that is called has no callable.
    """
    try:
        found = [callables[name] if name in callables else None for name in names]
    except TypeError:
        raise BindError(
            f"a {type(callables).__name__} does not give callables by name; pass a "
            "dict of name to callable in submod_callables"
        ) from None
    unfit = sorted(slot for slot in called if not callable(found[slot]))
    missing = [names[slot] for slot in unfit if found[slot] is None]
    if missing:
        raise BindError(
            f"no callable for {', '.join(map(repr, missing))}, which the program "
            "calls; pass one for each in submod_callables",
            missing,
        )
    wrong = [names[slot] for slot in unfit]
    if wrong:
        raise BindError(
            f"{', '.join(map(repr, wrong))} cannot be called; pass functions or "
            "modules in submod_callables",
            wrong,
        )
    return found


def resolve(references: Iterable[Reference]) -> dict[str, Any]:
    """Look up the paths that a program names.

    A packet that has one overload, and is only ever called, is called as that
    overload: a packet asks at each call which of them is meant.

    Args:
        references: Where the program names paths and slots.

    Returns:
        What each path, by its whole text, leads to.

    Raises:
        BindError: A path leads nowhere in this process, or one below `torch.ops` to
            something that is no operator.
    """
    # Whether all that is done with a path is to call it.
    paths: dict[str, bool] = {}
    for node, path, called in references:
        if isinstance(node, ast.Attribute):
            paths[path] = called and paths.get(path, True)
    found = {path: _lookup(path) for path in paths}
    missing = sorted(path for path, value in found.items() if value is _NOTHING)
    if missing:
        raise BindError(
            f"this process has no {', '.join(missing)}; import the library that "
            "registers it first, or use the torch version that the program is from",
            missing,
        )
    return {
        path: _only_overload(value) if paths[path] else value
        for path, value in found.items()
    }


def slots(
    references: Iterable[Reference], lists: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Take the slots that a program names out of their lists.

    Args:
        references: Where the program names paths and slots.
        lists: The lists by name; the checker made sure that they are long enough.

    Returns:
        What is in each slot, by its whole text.
    """
    found: dict[str, Any] = {}
    for node, name, _ in references:
        if isinstance(node, ast.Subscript) and name not in found:
            # The checker made sure that this is the name of a list, and a number.
            owner: Any = node.value
            index: Any = node.slice
            found[name] = lists[owner.id][index.value]
    return found


def _lookup(path: str) -> Any:
    root, _, rest = path.partition(".")
    try:
        found = operator.attrgetter(rest)(_ROOTS[root])
    except (AttributeError, RuntimeError):
        return _NOTHING
    # The text of a foreign namespace cannot be told from its attributes; this can.
    if path.startswith(OPS) and not isinstance(found, _OPERATORS):
        return _NOTHING
    return found


def _only_overload(value: Any) -> Any:
    if type(value) is not OpOverloadPacket:
        return value
    names: list[str] = value.overloads()  # type: ignore[no-untyped-call]
    overload = getattr(value, names[0]) if len(names) == 1 else None
    # Operators on script objects choose by their arguments, in Python.
    return overload if type(overload) is OpOverload else value
