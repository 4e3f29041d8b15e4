"""What programs call and no text can spell: functions, and small callables of theirs."""

from __future__ import annotations

import functools
import operator
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import torch

from astgen.check.paths import methods
from astgen.emit.resolve import CALL
from astgen.operators import is_operator
from astgen.store.codec.classes import data_class, is_namedtuple
from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable, not_allowed
from astgen.store.codec.listed import METHODS
from astgen.store.codec.names import is_listed, is_nameable, loaded, spelled
from astgen.store.codec.operators import OPERATOR, READERS
from astgen.store.codec.pairs import decode_keywords, encode_keywords, parts_of
from astgen.store.codec.records import named_class

__all__ = ["CALLABLES", "callable_kind"]

_CALL = "operator:call"
_LABELS = ("__doc__", "__module__", "__name__", "__qualname__")
"""What `functools.update_wrapper` leaves on a partial, and nothing acts on."""

_OWNERS: dict[str, type] = {
    "torch.Tensor": torch._C.TensorBase,
    "bytes": bytes,
    "complex": complex,
    "dict": dict,
    "float": float,
    "frozenset": frozenset,
    "int": int,
    "list": list,
    "range": range,
    "set": set,
    "slice": slice,
    "str": str,
    "tuple": tuple,
}
_WRITTEN = "torch._tensor"
"""The owner of those methods of tensors that are written in Python."""


def callable_kind(value: Any) -> Kind | None:
    """How something to be called is stored; None if it is not known."""
    if value is CALL:
        return _CALLER
    if is_nameable(value):
        return _METHOD if _own_method(value) else _NAME
    if is_operator(value):
        return OPERATOR
    kind = type(value)
    if kind is functools.partial:
        return _MAKER if value.func is tuple.__new__ else _PARTIAL
    return _EXACT.get(kind)


def _encode_name(encoder: Encoder, value: Any) -> str:
    name = spelled(value)
    if not is_listed(name):
        encoder.needs.add(name)
    return name


def _decode_name(decoder: Decoder, name: Any) -> Any:
    return loaded(name, decoder.policy)


def _encode_caller(encoder: Encoder, _: Any) -> None:
    encoder.needs.add(_CALL)


def _decode_caller(decoder: Decoder, payload: Any) -> Any:
    if payload is not None:
        raise Malformed("a caller has no parts")
    if not decoder.policy.allows(_CALL):
        raise not_allowed(
            "it calls whatever the program hands it",
            f"DecodePolicy(modules={{{_CALL!r}}})",
        )
    return CALL


def _encode_items(encoder: Encoder, value: Any) -> list[Any]:
    return encoder.items(value.__reduce__()[1])


def _decode_items(decoder: Decoder, forms: Any) -> Any:
    items = decoder.values(forms)
    if not items:
        raise Malformed("an itemgetter gets nothing")
    return operator.itemgetter(*items)


def _encode_partial(encoder: Encoder, value: Any) -> list[Any]:
    named = vars(value)
    for name, text in named.items():
        if name not in _LABELS or type(text) is not str:
            reason = f"it has an attribute of its own: {name}"
            raise Unstorable(value, reason, "make a plain partial")
    return [
        encoder.part(value.func, ".func"),
        encoder.items(value.args),
        encode_keywords(encoder, value.keywords),
        encode_keywords(encoder, named),
    ]


def _decode_partial(decoder: Decoder, parts: Any) -> Any:
    form, args, keywords, labels = parts_of(parts, 4)
    function = decoder.value(form)
    if not callable(function):
        raise Malformed("a partial is of no function")
    values = decoder.values(args)
    made = functools.partial(function, *values, **decode_keywords(decoder, keywords))
    named = decode_keywords(decoder, labels)
    if any(name not in _LABELS or type(named[name]) is not str for name in named):
        raise Malformed("a partial has other attributes than a name")
    vars(made).update(named)
    if made.func is not function:
        # Partials without attributes, not even none, are merged with those of them.
        raise Malformed("a partial is not in its one form")
    return made


def _encode_maker(encoder: Encoder, value: Any) -> str:
    fits = len(value.args) == 1 and not value.keywords and not vars(value)
    if not fits or not isinstance(value.args[0], type):
        raise Unstorable(value, "it makes no namedtuple", "use the class")
    if not is_namedtuple(value.args[0]):
        raise Unstorable(value, "its class is no namedtuple", "use the class")
    return named_class(encoder, value.args[0])


def _decode_maker(decoder: Decoder, name: Any) -> Any:
    kind = data_class(decoder, name, is_namedtuple, "namedtuple")
    return functools.partial(tuple.__new__, kind)


def _encode_descriptor(_: Encoder, value: Any) -> list[str]:
    if type(value) is FunctionType:
        return [_WRITTEN, _own_method(value)]
    for owner, kind in _OWNERS.items():
        if value.__objclass__ is kind and _is_method(owner, value.__name__):
            return [owner, value.__name__]
    raise Unstorable(
        value,
        f"{value.__qualname__} is not on the list of methods",
        "call it in a function of your own, and allow that",
    )


def _decode_descriptor(_: Decoder, parts: Any) -> Any:
    owner, name = parts_of(parts, 2)
    if type(owner) is not str or type(name) is not str:
        raise Malformed("a method is no type and a name")
    if owner == _WRITTEN:
        value = vars(torch.Tensor).get(name)
        if name == "" or _own_method(value) != name:
            raise not_allowed(f"torch.Tensor.{ascii(name)[1:80]} is no listed method")
        return value
    if owner not in _OWNERS:
        raise Malformed("there is no such type")
    value = vars(_OWNERS[owner]).get(name) if _is_method(owner, name) else None
    if type(value) not in (MethodDescriptorType, WrapperDescriptorType):
        raise not_allowed(f"{owner}.{ascii(name)[1:80]} is no listed method")
    return value


def _own_method(value: object) -> str:
    """Under which name `torch.Tensor` has a function as a listed method, or nothing.

    Some of its methods are written in Python, operators (`__rsub__`) among them.
    """
    if type(value) is not FunctionType or value.__module__ != "torch._tensor":
        return ""
    found = (name for name, own in vars(torch.Tensor).items() if own is value)
    return min((name for name in found if name in methods()), default="")


def _is_method(owner: str, name: str) -> bool:
    return name in methods() or f"{owner}.{name}" in METHODS


_NAME = Kind("name", _encode_name, _decode_name)
_CALLER = Kind("call", _encode_caller, _decode_caller)
_PARTIAL = Kind("partial", _encode_partial, _decode_partial)
_MAKER = Kind("namedtuple_of", _encode_maker, _decode_maker)
_METHOD = Kind("method", _encode_descriptor, _decode_descriptor)
_EXACT: dict[type, Kind] = {
    MethodDescriptorType: _METHOD,
    WrapperDescriptorType: _METHOD,
    operator.itemgetter: Kind("itemgetter", _encode_items, _decode_items),
    **READERS,
}
CALLABLES = (_NAME, _CALLER, OPERATOR, _PARTIAL, _MAKER, *_EXACT.values())
"""All of them."""
