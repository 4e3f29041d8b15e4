"""Enum members, records and subclasses of Python's own types: a class and data.

Enum members are looked up. The others are made without any code of their class, which
`astgen.store.codec.classes` has more to say about.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

from astgen.store.codec.classes import (
    class_attribute,
    data_class,
    is_dataclass,
    is_namedtuple,
    is_structseq,
    new_object,
    set_fields,
)
from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable
from astgen.store.codec.names import is_listed, loaded, spelled
from astgen.store.codec.pairs import parts_of

__all__ = ["RECORDS", "named_class", "record_kind"]

_ALLOW = "keep plain data in it, or use register_constant"
_PLAIN: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__pos__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
}
"""Values without their subclass, and without its methods, which may say anything."""

_COMBINING = frozenset("""
    __eq__ __getattr__ __getattribute__ __new__ __setattr__ _create_pseudo_member_
    _iter_member_ _missing_ _numeric_repr_
""".split())
"""What `enum` calls of a class when it makes a combination of its members."""


def _function(value: Any) -> Any:
    return getattr(value, "__func__", value)


_STANDARD = frozenset(
    id(_function(value))
    for base in (*enum.IntFlag.__mro__, *enum.Flag.__mro__)
    for value in vars(base).values()
)


def record_kind(value: Any) -> Kind | None:
    """How an enum member, a record or an instance of a subclass is stored.

    Returns:
        None if it is none of these.
    """
    kind = type(value)
    if isinstance(value, enum.Enum):
        return _MEMBER if _is_member(kind, value) else _FLAGS
    if isinstance(value, tuple):
        if is_structseq(kind):
            return _STRUCTSEQ
        return _NAMEDTUPLE if is_namedtuple(kind) else _SUBCLASS
    if is_dataclass(kind):
        params = getattr(kind, "__dataclass_params__")
        return _RECORD if params.frozen and params.eq else _OBJECT
    return _SUBCLASS if isinstance(value, tuple(_PLAIN)) else None


def named_class(encoder: Encoder, kind: type) -> str:
    """The name of the class of an instance."""
    name = spelled(kind)
    if not is_listed(name):
        encoder.needs.add(name)
    return name


def _is_member(kind: type, value: enum.Enum) -> bool:
    return _members(kind).get(value._name_) is value


def _members(kind: type) -> dict[str, Any]:
    members = vars(kind).get("_member_map_")
    return members if isinstance(members, dict) else {}


def _is_enum(kind: type) -> bool:
    return issubclass(kind, enum.Enum)


def _encode_member(encoder: Encoder, value: enum.Enum) -> list[str]:
    return [named_class(encoder, type(value)), value._name_]


def _decode_member(decoder: Decoder, parts: Any) -> Any:
    name, member = parts_of(parts, 2)
    kind = data_class(decoder, name, _is_enum, "enum")
    value = _members(kind).get(member) if type(member) is str else None
    if value is None or value._name_ != member:
        raise Malformed(f"{name} has no member of this name")
    return value


def _encode_flags(encoder: Encoder, value: enum.Enum) -> list[Any]:
    bits = value._value_
    if not _is_flag(type(value)) or type(bits) is not int:
        reason = "it is no member of its class, and no plain combination of them"
        raise Unstorable(value, reason, _ALLOW)
    return [named_class(encoder, type(value)), encoder.form(bits)]


def _decode_flags(decoder: Decoder, parts: Any) -> Any:
    name, form = parts_of(parts, 2)
    kind = data_class(decoder, name, _is_flag, "flag enum of the standard kind")
    bits = decoder.value(form)
    if type(bits) is not int:
        raise Malformed("flags are no number")
    try:
        value = kind(bits)
    except ValueError:
        value = None
    if not isinstance(value, enum.Flag) or value._value_ != bits:
        raise Malformed(f"{name} has no such flags")
    return value


def _is_flag(kind: type) -> bool:
    """Whether members are combined by code of the standard library only."""
    return (
        issubclass(kind, enum.Flag)
        and type(kind) is type(enum.Flag)
        and any(class_attribute(kind, "_member_type_") is one for one in (object, int))
        and all(
            id(_function(vars(parent)[name])) in _STANDARD
            for parent in kind.__mro__
            for name in _COMBINING & vars(parent).keys()
        )
    )


def _encode_tuple(encoder: Encoder, value: tuple[Any, ...]) -> list[Any]:
    _refuse_extra(value, ())
    return [named_class(encoder, type(value)), encoder.items(tuple.__iter__(value))]


def _decode_namedtuple(decoder: Decoder, parts: Any) -> Any:
    name, forms = parts_of(parts, 2)
    kind: Any = data_class(decoder, name, is_namedtuple, "namedtuple")
    items = decoder.values(forms)
    if len(items) != len(kind._fields):
        raise Malformed(f"{name} has another number of fields")
    return tuple.__new__(kind, items)


def _decode_structseq(decoder: Decoder, parts: Any) -> Any:
    name, forms = parts_of(parts, 2)
    kind: Any = loaded(name, decoder.policy)
    items = decoder.values(forms)
    if not isinstance(kind, type) or not is_structseq(kind):
        raise Malformed(f"{name} is nothing that an operator returns")
    if len(items) != getattr(kind, "n_sequence_fields"):
        raise Malformed(f"{name} has another number of fields")
    return kind(items)


def _encode_dataclass(encoder: Encoder, value: Any) -> list[Any]:
    names = [field.name for field in dataclasses.fields(value)]
    _refuse_extra(value, names)
    fields = []
    for name in names:
        try:
            item = object.__getattribute__(value, name)
        except AttributeError:
            raise Unstorable(value, f"its field {name} is not set", _ALLOW) from None
        fields.append([name, encoder.part(item, f".{name}")])
    # Whether it can be made again shows here, not when it is too late.
    try:
        set_fields(new_object(type(value)), dict.fromkeys(names))
    except Malformed as fault:
        raise Unstorable(value, fault.reason, _ALLOW) from None
    return [named_class(encoder, type(value)), fields]


def _decode_dataclass(decoder: Decoder, parts: Any) -> Any:
    name, forms = parts_of(parts, 2)
    kind: Any = data_class(decoder, name, is_dataclass, "dataclass")
    names = [field.name for field in dataclasses.fields(kind)]
    if type(forms) is not list or len(forms) != len(names):
        raise Malformed(f"{name} has other fields")
    fields = {}
    for expected, form in zip(names, forms):
        given, item = parts_of(form, 2)
        if given != expected:
            raise Malformed(f"{name} has other fields")
        fields[expected] = decoder.value(item)
    value = new_object(kind)
    set_fields(value, fields)
    return value


def _encode_subclass(encoder: Encoder, value: Any) -> list[Any]:
    _refuse_extra(value, ())
    base = next(base for base in _PLAIN if isinstance(value, base))
    plain = encoder.form(_PLAIN[base](value))
    return [named_class(encoder, type(value)), plain]


def _decode_subclass(decoder: Decoder, parts: Any) -> Any:
    name, form = parts_of(parts, 2)
    kind = data_class(decoder, name, _is_subclass, "subclass of a type of Python's")
    plain = decoder.value(form)
    base: Any = next(base for base in _PLAIN if issubclass(kind, base))
    if type(plain) is not base:
        raise Malformed(f"{name} is no subclass of {type(plain).__name__}")
    try:
        return base.__new__(kind, plain)
    except TypeError:
        raise Malformed(f"{name} holds more than a value") from None


def _is_subclass(kind: type) -> bool:
    return issubclass(kind, tuple(_PLAIN)) and kind not in (*_PLAIN, bool)


def _refuse_extra(value: Any, names: Any) -> None:
    extra = [name for name in getattr(value, "__dict__", ()) if name not in names]
    if extra:
        raise Unstorable(value, f"it has attributes of its own: {extra[0]}", _ALLOW)


_MEMBER = Kind("enum", _encode_member, _decode_member)
_FLAGS = Kind("flags", _encode_flags, _decode_flags)
_NAMEDTUPLE = Kind("namedtuple", _encode_tuple, _decode_namedtuple)
_STRUCTSEQ = Kind("structseq", _encode_tuple, _decode_structseq)
_RECORD = Kind("record", _encode_dataclass, _decode_dataclass)
_OBJECT = Kind("object", _encode_dataclass, _decode_dataclass, identity=True)
_SUBCLASS = Kind("subclass", _encode_subclass, _decode_subclass)
RECORDS = (_MEMBER, _FLAGS, _NAMEDTUPLE, _STRUCTSEQ, _RECORD, _OBJECT, _SUBCLASS)
"""All of them."""
