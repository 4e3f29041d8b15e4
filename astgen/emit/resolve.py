"""Callables for slots where the object itself cannot be pickled.

In the process that made them they act as what they stand for; pickled, they
become a lookup that the standard library does, so whoever loads the constants
gets the very object and does not need astgen.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torch import fx
from torch.fx._lazy_graph_module import _LazyGraphModule

__all__ = ["CALL", "ByName", "WholeModule", "is_called_otherwise"]


_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre")


class ByName:
    """The callable that `path` names below `root`.

    Args:
        root: A class, or a module; both pickle by name.
        path: Dotted attribute path below it.
    """

    def __init__(self, root: type | ModuleType, path: str) -> None:
        self._root = root
        self._path = path
        self._found = operator.attrgetter(path)(root)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self._root.__name__}.{self._path} by name>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        root = self._root
        if isinstance(root, ModuleType):
            return operator.attrgetter(self._path), (_Module(root.__name__),)
        return operator.attrgetter(self._path), (root,)


class _Module:
    """Pickles as the import of a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return importlib.import_module, (self._name,)


class WholeModule:
    """A module that is more than its graph: with hooks, or a `forward` of its own.

    `GraphModule` leaves these behind when it is pickled; here they come along.
    """

    def __init__(self, module: fx.GraphModule) -> None:
        # The first call of a module that is not printed yet runs its hooks twice.
        _LazyGraphModule.force_recompile(module)
        self._module = module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        if is_called_otherwise(type(self._module)):
            raise TypeError(
                f"a {type(self._module).__mro__[1].__name__} pickles as a plain "
                "GraphModule, without the __call__ of its own; make it a piece by "
                "wrapping it in a module"
            )
        make, args = self._module.__reduce__()[:2]
        state = {
            name: value
            for name, value in self._module.__dict__.items()
            if name == "forward" or name.startswith(_HOOKS)
        }
        return make, args, state


def is_called_otherwise(kind: type) -> bool:
    """Whether a subclass of GraphModule has a `__call__` of its own.

    The first class is made by `torch.fx` for the one module.
    """
    for parent in kind.__mro__[1:]:
        if parent is fx.GraphModule:
            return False
        if "__call__" in vars(parent):
            return True
    return False


def _call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


CALL: Callable[..., Any] = getattr(operator, "call", _call)
"""`operator.call`, which Python 3.10 does not have yet."""
