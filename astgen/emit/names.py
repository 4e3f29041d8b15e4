"""One owner for the identifiers of one generated function.

Invariants: a name that `Names` gave out is a legal identifier, stays what it is
under Unicode normalisation, is no keyword, shadows nothing of the dialect and is
given out once. The same requests in the same order give the same names.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from itertools import count

from torch import fx

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.errors import InvalidNameError

__all__ = ["CanonicalNames", "Names", "check_function_name", "wanted_name"]

_FORBIDDEN = frozenset({"__builtins__", "__debug__", "__name__", *keyword.kwlist})
_BUILTINS = frozenset(dir(builtins))
_NOT_A_LETTER = re.compile(r"[^0-9A-Za-z_]")


def check_function_name(name: str, dialect: Dialect, *, entry: bool) -> None:
    """Make sure that a function may be called `name`.

    Args:
        name: What the caller asks for.
        dialect: Its reserved names are refused.
        entry: Whether the function is an entry; others may be called like
            inlined functions.

    Raises:
        InvalidNameError: It is no identifier, or has a meaning of its own.
    """
    if not _is_identifier(name) or name in _FORBIDDEN:
        reason = "is no identifier that Python can define"
    elif name in dialect.reserved or entry and name.startswith(dialect.inlined):
        reason = "has a meaning of its own in generated code"
    else:
        return
    raise InvalidNameError(
        f"a generated function cannot be called {name!r}: the name {reason}; choose "
        f"another, such as {DEFAULT_DIALECT.entry!r}",
        name,
    )


class Names:
    """Hands out the parameters and locals of one function."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._taken: set[str] = set()
        self._counters: dict[str, count[int]] = {}

    def parameter(self, target: str, fallback: str) -> str:
        """Name a parameter: after its target if callers can pass it by keyword.

        Args:
            target: What `torch.fx` calls the placeholder in its signature.
            fallback: The node's name, for a target that is no free identifier.

        Returns:
            `target` itself, or a name that is reachable by position only.
        """
        if self._is_free(target) and _is_identifier(target):
            self._taken.add(target)
            return target
        return self.local(fallback)

    def local(self, wanted: str) -> str:
        """Name a local after `wanted`, which may be any text."""
        name = _NOT_A_LETTER.sub("_", wanted) or "value"
        if name[0].isdigit() or name.startswith(self._dialect.inlined):
            name = "_" + name
        # A number tells a local from the builtin, as it does in FX.
        if not self._is_free(name) or name in _BUILTINS:
            numbers = self._counters.setdefault(name, count(1))
            name = next(n for i in numbers if self._is_free(n := f"{name}_{i}"))
        self._taken.add(name)
        return name

    def _is_free(self, name: str) -> bool:
        return not (
            name in self._taken or name in _FORBIDDEN or self._dialect.is_reserved(name)
        )


def _is_identifier(name: str) -> bool:
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name


def wanted_name(node: fx.Node) -> str:
    """What a local is called after: the node, without a number that FX gave it.

    FX goes on counting where nodes were erased, so equal graphs have other numbers;
    `Names` counts again. A name that somebody chose stays as it is.
    """
    base, _, number = node.name.rpartition("_")
    if base and number.isdecimal() and base == _default_name(node):
        return base
    return node.name


def _default_name(node: fx.Node) -> str:
    """What FX calls the first node of a target (`torch/fx/graph.py`)."""
    return node.graph._target_to_str(node.target)


class CanonicalNames(Names):
    """Numbers in order of request: equal structures get equal names."""

    def parameter(self, target: str, fallback: str) -> str:
        return super().local("v")

    def local(self, wanted: str) -> str:
        return super().local("v")
