"""Pieces into their slots; what is missing is refused here, not at the first call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from astgen.check.judge import OPS
from astgen.errors import BindError

__all__ = ["bind", "pieces_for", "resolve"]

_OPERATORS = (HigherOrderOperator, OpOverload, OpOverloadPacket)
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
    missing = [names[slot] for slot in sorted(called) if found[slot] is None]
    if missing:
        raise BindError(
            f"no callable for {', '.join(map(repr, missing))}, which the program "
            "calls; pass one for each in submod_callables",
            missing,
        )
    wrong = [names[slot] for slot in sorted(called) if not callable(found[slot])]
    if wrong:
        raise BindError(
            f"{', '.join(map(repr, wrong))} cannot be called; pass functions or "
            "modules in submod_callables",
            wrong,
        )
    return found


def resolve(paths: Collection[str]) -> None:
    """Make sure that this process has what a program names.

    Args:
        paths: Dotted paths that begin with `torch` or `operator`.

    Raises:
        BindError: A path leads nowhere here, or one below `torch.ops` to
            something that is no operator.
    """
    missing = sorted(path for path in paths if not _leads_somewhere(path))
    if missing:
        raise BindError(
            f"this process has no {', '.join(missing)}; import the library that "
            "registers it first, or use the torch version that the program is from",
            missing,
        )


def _leads_somewhere(path: str) -> bool:
    root, _, rest = path.partition(".")
    try:
        found = operator.attrgetter(rest)(_ROOTS[root])
    except (AttributeError, RuntimeError):
        return False
    # The text of a foreign namespace cannot be told from its attributes; this can.
    return not path.startswith(OPS) or isinstance(found, _OPERATORS)
