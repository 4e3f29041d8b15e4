"""Which classes constants may be instances of, and how these are made.

No code of a class runs while its instances are loaded: no `__init__`,
`__post_init__`, `__new__` or `__setattr__`, since that would be code of the class on
bytes of a file, and a loaded value is what the stored one had become after them.

Nor may a text reach code of the class afterwards by an operator, a listed method or a
call, with fields that the file chose. A class of a module that just happens to be
imported has to be *inert* for that: it defines nothing that texts can call. Comparison,
hash and representation are its own affair. Classes that the caller allows need not be
inert.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Generic, Protocol

from astgen.check.paths import methods
from astgen.store.codec.core import Decoder
from astgen.store.codec.faults import Malformed, not_allowed
from astgen.store.codec.listed import ATTRIBUTES
from astgen.store.codec.names import found

__all__ = [
    "class_attribute",
    "data_class",
    "is_dataclass",
    "is_namedtuple",
    "is_structseq",
    "new_object",
    "set_fields",
]

_BASES = frozenset(
    {
        *(bool, bytes, complex, dict, float, int, list, object, str, tuple),
        *(Generic, Protocol),
        *(
            kind
            for kind in vars(enum).values()
            if isinstance(kind, type) and issubclass(kind, enum.Enum)
        ),
    }
)
_DUNDERS = frozenset("""
    __abstractmethods__ __annotate__ __annotate_func__ __annotations__
    __annotations_cache__ __class_getitem__ __dataclass_fields__ __dataclass_params__
    __delattr__ __dir__ __doc__ __eq__ __firstlineno__ __format__
    __getnewargs__ __getnewargs_ex__ __getstate__ __hash__ __init__
    __init_subclass__ __match_args__ __module__ __ne__ __new__ __orig_bases__
    __parameters__ __post_init__ __qualname__ __reduce__ __reduce_ex__ __replace__
    __repr__ __setattr__ __setstate__ __slots__ __static_attributes__ __str__
    __type_params__
""".split())
_TUPLE_GETTERS = ("_collections", "collections")
_ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})


def data_class(
    decoder: Decoder, name: Any, check: Callable[[type], bool], what: str
) -> type:
    """The class of an instance that is decoded.

    Args:
        decoder: What decodes.
        name: The name of the class.
        check: Whether a class is of the right sort.
        what: What that sort is called.

    Returns:
        The class.

    Raises:
        Malformed: It is not there, of another sort, or not inert and not allowed.
    """
    kind = found(name, decoder.policy)
    if not check(kind):
        raise Malformed(f"{name} is no {what}")
    if not decoder.policy.allows(name):
        culprit = _not_inert(kind)
        if culprit:
            raise not_allowed(
                f"{name} has a {culprit} that programs can call",
                f"DecodePolicy(modules={{{name!r}}})",
            )
    return kind


def is_namedtuple(kind: type) -> bool:
    """Whether a class is a namedtuple, or derives from one without more state."""
    fields = class_attribute(kind, "_fields")
    return (
        issubclass(kind, tuple)
        and type(fields) is tuple
        and all(type(name) is str for name in fields)
        and any(parent.__bases__ == (tuple,) for parent in kind.__mro__[:-1])
    )


def is_structseq(kind: type) -> bool:
    """Whether a class is one that operators of PyTorch return several tensors in."""
    return kind.__bases__ == (tuple,) and kind.__module__ == "torch.return_types"


def new_object(kind: type) -> Any:
    """An instance of a class written in Python, without any code of it.

    Raises:
        Malformed: Its instances are not plain objects.
    """
    try:
        return object.__new__(kind)
    except TypeError:
        raise Malformed("its instances are no plain objects") from None


def set_fields(value: Any, fields: dict[str, Any]) -> None:
    """Set attributes of a new object, without any code of its class.

    Raises:
        Malformed: An attribute cannot be set without.
    """
    for name, item in fields.items():
        holder = class_attribute(type(value), name)
        if type(holder) is MemberDescriptorType:
            holder.__set__(value, item)
        elif hasattr(type(holder), "__set__") or not hasattr(value, "__dict__"):
            raise Malformed(f"the attribute {name} is set by code of the class")
        else:
            value.__dict__[name] = item


def is_dataclass(kind: type) -> bool:
    """Whether a class is a dataclass."""
    return type(class_attribute(kind, "__dataclass_fields__")) is dict


def class_attribute(kind: type, name: str) -> Any:
    """An attribute of a class, without any code of it or its metaclass; or None."""
    for parent in kind.__mro__:
        if name in vars(parent):
            return vars(parent)[name]
    return None


def _not_inert(kind: type) -> str:
    """What a class defines that texts can call; empty if it is inert."""
    members = getattr(kind, "_member_map_", {}) if issubclass(kind, enum.Enum) else {}
    ordered = is_dataclass(kind) and _has_order(kind)
    for parent in kind.__mro__:
        if parent in _BASES:
            continue
        for name, value in vars(parent).items():
            if name in members or _is_inherited(name, value):
                continue
            if name.startswith("__") and name.endswith("__"):
                harmless = name in _DUNDERS or (ordered and name in _ORDER)
            else:
                harmless = name not in methods() and name not in ATTRIBUTES
            if not harmless and not _is_data(value):
                return name
    return ""


def _has_order(kind: type) -> bool:
    # A class with comparisons of its own could not have asked for generated ones.
    return bool(class_attribute(kind, "__dataclass_params__").order)


def _is_inherited(name: str, value: object) -> bool:
    """Whether it is one that `enum` copies from its own classes."""
    return any(vars(base).get(name) is value for base in _BASES)


def _is_data(value: object) -> bool:
    kind = type(value)
    if kind in (GetSetDescriptorType, MemberDescriptorType):
        return True
    # How namedtuples define their fields.
    if kind.__name__ == "_tuplegetter" and kind.__module__ in _TUPLE_GETTERS:
        return True
    return not callable(value) and not hasattr(kind, "__get__")
