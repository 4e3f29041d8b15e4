"""How the target of a call is spelled: a path that means it, or a slot.

A path is written only if resolving it gives the identical object and every step
is on the checker's list. Everything else goes into a slot: a printed name that
leads to another object is the oldest fault of generators.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache, partial
from types import MethodWrapperType
from typing import Any

import libcst as cst
import torch

from astgen.check import Dialect
from astgen.check.judge import OPS, judge_path
from astgen.check.paths import builtin_namespaces, methods, torch_paths
from astgen.emit.constants import Constants
from astgen.emit.literals import literal
from astgen.emit.nodes import call_of, dotted
from astgen.emit.resolve import ByName
from astgen.operators import is_operator, operator_name

__all__ = ["Targets"]


@dataclass
class Targets:
    """Spells targets for one program.

    Attributes:
        constants: Where targets without a path go.
        slot: Builds the expression of a slot.
        namespaces: Operator namespaces beside PyTorch's own that were spelled.
    """

    constants: Constants
    slot: Callable[[int], cst.BaseExpression]
    namespaces: set[str] = field(default_factory=set)
    _paths: dict[int, str | None] = field(default_factory=dict)
    _spelled: dict[int, cst.BaseExpression] = field(default_factory=dict)

    def spell(self, target: Any) -> cst.BaseExpression:
        """The expression that evaluates to `target`, the same one each time."""
        # The key stays valid: the graph holds its targets while this lives.
        found = self._spelled.get(id(target))
        if found is None:
            path = self._path(target)
            if path is None:
                found = self.slot(self._slot(target))
            else:
                found = dotted(path)
            self._spelled[id(target)] = found
        return found

    def key(self, target: Any) -> Hashable:
        """A key that is equal for targets which are spelled in the same way.

        It knows objects by their `id`: callers keep them alive.
        """
        path = self._path(target)
        return self._made(target)[0] if path is None else path

    def read(self, value: cst.BaseExpression, name: str) -> cst.Call:
        """The call that reads the attribute `name` of a value."""
        if name and "." not in name:
            slot = self.constants.made(
                ("attribute", name), partial(operator.attrgetter, name)
            )
            return call_of(self.slot(slot), [value])
        # attrgetter would read a dot as a step.
        getter = self.slot(self.constants.slot(getattr))
        return call_of(getter, [value, literal(name)])

    def rebuild(self, kind: type) -> cst.BaseExpression:
        """A callee that makes a `kind` (a tuple class) of the items it is given."""
        if hasattr(kind, "_fields"):
            make = partial(partial, tuple.__new__, kind)
            return self.slot(self.constants.made(("namedtuple", id(kind)), make))
        return self.slot(self.constants.slot(kind))

    def is_method(self, name: str) -> bool:
        """Whether `value.name(…)` may be written."""
        return name in methods()

    def _path(self, target: Any) -> str | None:
        key = id(target)
        if key not in self._paths:
            if is_operator(target):
                self._paths[key] = self._operator_path(target)
            else:
                self._paths[key] = _listed_path(target)
        return self._paths[key]

    def _operator_path(self, target: Any) -> str | None:
        name = operator_name(target)
        path = OPS + name
        if not all(map(_is_attribute, name.split("."))) or (
            _resolved(path) is not target
        ):
            return None
        namespace = name.partition(".")[0]
        # The graph is the caller's own, so its namespaces are allowed in its text.
        if judge_path(path, Dialect(namespaces=frozenset({namespace}))) is not None:
            return None
        if namespace not in builtin_namespaces():
            self.namespaces.add(namespace)
        return path

    def _slot(self, target: Any) -> int:
        key, make = self._made(target)
        if make is None:
            return self.constants.slot(target)
        return self.constants.made(key, make)

    def _made(self, target: Any) -> tuple[Hashable, Callable[[], Any] | None]:
        """The key of what stands in a slot for a target, and how that is made; the
        target itself does if it is not made."""
        if is_operator(target):
            path = f"ops.{operator_name(target)}"
            # The name of an overload may be that of something else a packet has.
            if _below(torch, path) is target:
                return ("operator", path), partial(ByName, torch, path)
        if isinstance(target, MethodWrapperType) and target.__name__ == "__get__":
            owner = getattr(target.__self__, "__objclass__", None)
            path = f"{getattr(target.__self__, '__name__', '')}.__get__"
            if isinstance(owner, type) and _below(torch.Tensor, path) == target:
                return ("descriptor", path), partial(ByName, torch.Tensor, path)
        return self.constants.key(target), None


def _is_attribute(name: str) -> bool:
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


@cache
def _index() -> dict[int, tuple[Any, str]]:
    """Every listed path of this torch by the object it leads to, best name first."""
    found: dict[int, tuple[Any, str]] = {}
    for path in sorted(torch_paths(), key=_preference):
        target = _resolved(path)
        if target is not None:
            found.setdefault(id(target), (target, path))
    return found


def _preference(path: str) -> tuple[int, int, str]:
    """Public before private, short before long."""
    return "._" in path, path.count("."), path


def _listed_path(target: Any) -> str | None:
    known = _index().get(id(target))
    # Somebody may have replaced the attribute since the index was built.
    if known is None or _resolved(known[1]) is not target:
        return None
    return known[1]


def _resolved(path: str) -> Any:
    root, _, rest = path.partition(".")
    return _below({"torch": torch, "operator": operator}[root], rest)


def _below(root: Any, path: str) -> Any:
    try:
        return operator.attrgetter(path)(root)
    except (AttributeError, RuntimeError):
        return None
