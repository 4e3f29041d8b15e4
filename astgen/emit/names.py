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

from torch import fx

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.errors import InvalidNameError

__all__ = ["CanonicalNames", "Names", "check_function_name"]

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
        self._inlined = dialect.inlined
        self._taken: set[str] = {*_FORBIDDEN, *dialect.reserved}
        self._counters: dict[str, int] = {}
        self._defaults: dict[int, str] = {}

    def parameter(self, target: str, fallback: str) -> str:
        """Name a parameter: after its target if callers can pass it by keyword.

        Args:
            target: What `torch.fx` calls the placeholder in its signature.
            fallback: The node's name, for a target that is no free identifier.

        Returns:
            `target` itself, or a name that is reachable by position only.
        """
        if (
            target not in self._taken
            and _is_identifier(target)
            and not target.startswith(self._inlined)
        ):
            self._taken.add(target)
            return target
        return self.local(fallback)

    def local(self, wanted: str) -> str:
        """Name a local after `wanted`, which may be any text."""
        if wanted in self._counters:
            name = wanted
        else:
            name = self._legal(wanted)
            # A number tells a local from the builtin, as it does in FX.
            if self._is_free(name) and name not in _BUILTINS:
                self._taken.add(name)
                return name
        taken, inlined = self._taken, self._inlined
        number = self._counters.get(name, 0) + 1
        while (found := f"{name}_{number}") in taken or found.startswith(inlined):
            number += 1
        self._counters[name] = number
        self._taken.add(found)
        return found

    def _legal(self, wanted: str) -> str:
        name = wanted
        if not (name.isascii() and name.isidentifier()):
            name = _NOT_A_LETTER.sub("_", wanted) or "value"
        if name[0].isdigit() or name.startswith(self._inlined):
            name = "_" + name
        return name

    def of(self, node: fx.Node) -> str:
        """Name a local after a node, without a number that FX gave it.

        FX goes on counting where nodes were erased, so equal graphs have other
        numbers; they are counted again here. A name that somebody chose stays as
        it is.
        """
        wanted = node.name
        if wanted == node.target:
            # A piece, whose name somebody chose.
            return self.local(wanted)
        base, _, number = wanted.rpartition("_")
        if base and number.isdecimal() and base == self._default_name(node):
            return self.local(base)
        return self.local(wanted)

    def _is_free(self, name: str) -> bool:
        return name not in self._taken and not name.startswith(self._inlined)

    def _default_name(self, node: fx.Node) -> str:
        """What FX calls the first node of a target (`torch/fx/graph.py`)."""
        target = node.target
        # The key stays valid: the graph holds its targets while this lives.
        found = self._defaults.get(id(target))
        if found is None:
            found = node.graph._target_to_str(target)
            self._defaults[id(target)] = found
        return found


def _is_identifier(name: str) -> bool:
    if not name.isidentifier():
        return False
    return name.isascii() or unicodedata.normalize("NFKC", name) == name


class CanonicalNames(Names):
    """Numbers in order of request: equal structures get equal names."""

    def parameter(self, target: str, fallback: str) -> str:
        return super().local("v")

    def local(self, wanted: str) -> str:
        return super().local("v")
