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

__all__ = ["ByName", "call"]


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


def _call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


call: Callable[..., Any] = getattr(operator, "call", _call)
"""`operator.call`, which Python 3.10 does not have yet."""
