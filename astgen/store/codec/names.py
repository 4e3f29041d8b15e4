"""Functions and classes by name: what a name is, and which ones may be loaded.

A name is `module:qualified.name`. Loading one never calls anything. The steps are
looked up in the dictionaries of the module and of the classes on the way, so neither a
module's `__getattr__` nor a metaclass nor a descriptor runs; no step is a dunder; what
is found has to call itself by that very name, so that nothing is reached through a
module that merely imported it (`mymodel:os.system`).

What may be loaded *as what it is* could be called by a hostile text. That takes the
exact name, on the list of harmless ones or in the caller's policy; that a module is
imported is not enough, for `os` always is. As the class *of data* (an enum member, a
namedtuple, a dataclass) any class of an imported module will do that is really one and
that is inert, which `astgen.store.codec.classes` says. Only modules that the policy
names are imported.
"""

from __future__ import annotations

import abc
import enum
import functools
import importlib
import operator
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol

import torch

from astgen.check.paths import torch_paths
from astgen.store.codec.faults import Malformed, Unstorable, not_allowed
from astgen.store.codec.listed import CALLABLES
from astgen.store.codec.policy import DecodePolicy

__all__ = ["found", "is_listed", "is_nameable", "loaded", "spelled"]

_RETURNS = "torch.return_types:"
_ROOTS: dict[str, ModuleType] = {"torch": torch, "operator": operator}
_PATH_HOMES = frozenset({"None", "_operator", "torch"})
"""Where the functions of the listed paths say that they are from."""
_MISSING = object()
_METACLASSES = (type, enum.EnumMeta, abc.ABCMeta, type(Protocol))


def is_nameable(value: object) -> bool:
    """Whether a value is of a type that has a name of its own."""
    return isinstance(value, (type, FunctionType, BuiltinFunctionType, MethodType))


def is_listed(name: str) -> bool:
    """Whether a name is one of the harmless ones."""
    return (
        name in CALLABLES
        or (name.startswith(("torch:", "operator:")) and name in _path_names())
        or (name.startswith(_RETURNS) and _is_result(_lookup_or_none(name)))
    )


def spelled(value: Any) -> str:
    """The name of a function or class.

    Raises:
        Unstorable: It has none, or its name leads elsewhere.
    """
    known = _listed_name(value)
    if known is not None:
        return known
    name = _own_name(value)
    if not _is_well_formed(name):
        raise Unstorable(
            value,
            f"{ascii(name)[:80]} is nothing that can be imported",
            "use a function or class of a module's top level",
        )
    if not _is_same(_lookup_or_none(name), value):
        raise Unstorable(
            value,
            f"{name} is not where this is found",
            "keep it in its module under its own name",
        )
    return name


def loaded(name: Any, policy: DecodePolicy) -> Any:
    """The function or class of a name, to be used as what it is.

    Raises:
        Malformed: It may not be loaded, or is not there.
    """
    if type(name) is str and is_listed(name):
        if name.startswith(("torch:", "operator:")):
            value = _resolved(name)
        else:
            value = _found(name, policy, name.startswith("numpy:"))
    else:
        _well_formed(name)
        if not policy.allows(name):
            raise not_allowed(
                f"{name} is not on the list of harmless names",
                f"DecodePolicy(modules={{{name!r}}})",
            )
        value = _found(name, policy, True)
    if not is_nameable(value):
        raise Malformed(f"{name} is no function or class")
    _check_name(name, value)
    return value


def found(name: Any, policy: DecodePolicy) -> type[Any]:
    """The class of a name, to be used as the class of data.

    Raises:
        Malformed: It is not there, or is no class.
    """
    _well_formed(name)
    value: type[Any] = _found(name, policy, policy.allows(name))
    if not issubclass(type(value), type):
        raise Malformed(f"{name} is no class")
    is_plain = any(type(value) is kind for kind in _METACLASSES)
    if not is_plain and not policy.allows(name):
        raise not_allowed(
            f"{name} has a metaclass, whose code runs when it is looked at",
            f"DecodePolicy(modules={{{name!r}}})",
        )
    _check_name(name, value)
    return value


def _found(name: str, policy: DecodePolicy, may_import: bool) -> Any:
    module = name.partition(":")[0]
    if module not in sys.modules:
        if not may_import:
            raise Malformed(
                f"the module {module} is not imported",
                "AG306",
                "import it before, or allow it to be imported: "
                f"DecodePolicy(modules={{{module!r}}})",
            )
        try:
            importlib.import_module(module)
        except Exception as error:
            reason = f"the module {module} cannot be imported: {type(error).__name__}"
            raise Malformed(reason, "AG604") from error
    value = _lookup_or_none(name)
    if value is None:
        raise Malformed(f"there is no {name} here", "AG604")
    return value


def _check_name(name: str, value: Any) -> None:
    try:
        own = spelled(value)
    except Unstorable as fault:
        raise Malformed(f"{name}: {fault.reason}") from None
    if own != name:
        raise Malformed(f"{name} calls itself {own}")


def _well_formed(name: Any) -> None:
    if type(name) is not str or not _is_well_formed(name):
        raise Malformed(f"{ascii(name)[:80]} is no name of a function or class")


def _is_well_formed(name: str) -> bool:
    module, colon, path = name.partition(":")
    steps = path.split(".")
    return (
        bool(colon)
        and all(part.isidentifier() for part in module.split("."))
        and all(step.isidentifier() and not step.startswith("__") for step in steps)
    )


def _own_name(value: Any) -> str:
    if isinstance(value, MethodType):
        owner = value.__self__
        if not isinstance(owner, type):
            return f"a method of a {type(owner).__name__}"
        return f"{owner.__module__}:{owner.__qualname__}.{value.__func__.__name__}"
    return f"{value.__module__}:{value.__qualname__}"


def _lookup_or_none(name: str) -> Any:
    """What a name leads to, by dictionaries alone."""
    module_name, _, path = name.partition(":")
    value: Any = sys.modules.get(module_name)
    # What looks at the type alone runs no code of the value or its metaclass.
    if not issubclass(type(value), ModuleType):
        return None
    first, *rest = path.split(".")
    value = ModuleType.__getattribute__(value, "__dict__").get(first)
    for step in rest:
        if not issubclass(type(value), type):
            return None
        value = _member(value, step)
    return value


def _member(owner: type, step: str) -> Any:
    for parent in type.__getattribute__(owner, "__mro__"):
        value = type.__getattribute__(parent, "__dict__").get(step, _MISSING)
        if isinstance(value, staticmethod):
            return value.__func__
        if isinstance(value, classmethod):
            return MethodType(value.__func__, owner)
        if value is not _MISSING:
            return value
    return None


def _is_result(value: Any) -> bool:
    return (
        isinstance(value, type)
        and value.__bases__ == (tuple,)
        and value.__module__ == "torch.return_types"
    )


def _is_same(one: Any, other: Any) -> bool:
    # Reading a classmethod makes a new object each time.
    if isinstance(one, MethodType) and isinstance(other, MethodType):
        return one.__func__ is other.__func__ and one.__self__ is other.__self__
    return one is other


@functools.cache
def _path_names() -> frozenset[str]:
    return frozenset(path.replace(".", ":", 1) for path in torch_paths())


def _resolved(name: str) -> Any:
    """What a listed path leads to; None if this PyTorch has no such path."""
    root, _, path = name.partition(":")
    try:
        return operator.attrgetter(path)(_ROOTS[root])
    except (AttributeError, RuntimeError):
        return None


def _listed_name(value: Any) -> str | None:
    known = _short_index("numpy" in sys.modules).get(id(value))
    if known is None and str(value.__module__).partition(".")[0] in _PATH_HOMES:
        known = _path_index().get(id(value))
    return known[1] if known is not None and known[0] is value else None


@functools.cache
def _short_index(_: bool) -> dict[int, tuple[Any, str]]:
    """The short list by object; made anew when numpy has been imported."""
    made: dict[int, tuple[Any, str]] = {}
    for name in sorted(CALLABLES):
        value = _lookup_or_none(name)
        if value is not None:
            made.setdefault(id(value), (value, name))
    return made


@functools.cache
def _path_index() -> dict[int, tuple[Any, str]]:
    """Every listed path of this torch by its object, best name first."""
    made: dict[int, tuple[Any, str]] = {}
    for name in sorted(_path_names(), key=_preference):
        value = _resolved(name)
        if value is not None:
            made.setdefault(id(value), (value, name))
    return made


def _preference(name: str) -> tuple[int, int, str]:
    """Public before private, short before long."""
    return "._" in name or ":_" in name, name.count("."), name
