"""The registry: how a value is stored, what a tag means, and what users add."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MethodType, ModuleType
from typing import Any

import torch
from torch import fx

from astgen.emit.resolve import WholeModule
from astgen.store.codec.arrays import ARRAYS, array_kind
from astgen.store.codec.callables import CALLABLES, callable_kind
from astgen.store.codec.containers import CONTAINERS
from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.distributed import DISTRIBUTED, distributed_kind
from astgen.store.codec.faults import Malformed, Unstorable, type_name
from astgen.store.codec.generators import GENERATOR
from astgen.store.codec.plain import PLAIN
from astgen.store.codec.records import RECORDS, record_kind
from astgen.store.codec.tensors import TENSOR
from astgen.store.codec.torch_values import TORCH_VALUES
from astgen.store.codec.trees import TREES

__all__ = ["kind_of", "kind_of_tag", "register_constant"]

_EXACT: dict[type, Kind] = {
    **PLAIN,
    **CONTAINERS,
    **TORCH_VALUES,
    **TREES,
    torch.Generator: GENERATOR,
}
_USERS: dict[type, Kind] = {}
_TAGS: dict[str, Kind] = {
    kind.tag: kind
    for kind in (*_EXACT.values(), TENSOR, *RECORDS, *CALLABLES, *DISTRIBUTED, *ARRAYS)
}
_TAG = re.compile(r"[a-z][a-z0-9_.-]{0,63}\Z")
_BOUND = ("portable", "device", "rank", "architecture")
_PLAIN_FORMS = (bool, type(None))
_REASONS: tuple[tuple[Any, str, str], ...] = (
    (
        (torch.SymInt, torch.SymFloat, torch.SymBool),
        "it is a size that is not known before the program runs",
        "pass it into the graph as an input",
    ),
    ((fx.Node, fx.Proxy), "it belongs to a trace", "finish tracing first"),
    (
        (torch.nn.Module, WholeModule),
        "it is a module with hooks, or with a forward of its own, which is code",
        "make it a piece, by wrapping it in a module",
    ),
    (ModuleType, "it is a whole module of Python", "use what is needed of it"),
    (MethodType, "it belongs to an object", "use a function of a module's top level"),
)


def kind_of(value: Any) -> Kind:
    """How a value is stored.

    Raises:
        Unstorable: It is not.
    """
    kind = type(value)
    found = _EXACT.get(kind) or _USERS.get(kind)
    if found is not None:
        return found
    if isinstance(value, torch.Tensor):
        return TENSOR
    for find in (callable_kind, distributed_kind, array_kind, record_kind):
        found = find(value)
        if found is not None:
            return found
    for kinds, reason, way_out in _REASONS:
        if isinstance(value, kinds):
            raise Unstorable(value, reason, way_out)
    raise Unstorable(
        value,
        "nothing says how a value of this type is stored",
        "say so with register_constant, or pass it as an input of the graph",
    )


def kind_of_tag(tag: str) -> Kind | None:
    """What a tag means; None if it is not known."""
    return _TAGS.get(tag)


def register_constant(
    type: type,
    tag: str,
    encode: Callable[[Any], Any],
    decode: Callable[[Any], Any],
    *,
    bound_to: str = "portable",
) -> None:
    """Say how constants of a type are stored.

    The type is taken exactly: its subclasses are not meant. Register it in every
    process that saves or loads. `decode` is given what a file says, so it has to check
    that and must not do what the file asks for.

    Args:
        type: The type.
        tag: A name for it in files, such as `"mymodel.layout"`: lower case letters,
            digits, `_`, `-`, and at least one dot.
        encode: Makes of a value something that is stored already.
        decode: Makes the value of that again.
        bound_to: What such values are bound to: `portable` for nothing, `device`,
            `rank` or `architecture`.

    Raises:
        ValueError: The type or the tag has a meaning already, or the tag or
            `bound_to` is not of the form above.
    """
    if not _TAG.match(tag) or "." not in tag:
        raise ValueError(f"{tag!r} is no tag: lower case letters with a dot in them")
    if bound_to not in _BOUND:
        raise ValueError(f"{bound_to!r} is none of {', '.join(_BOUND)}")
    if tag in _TAGS:
        raise ValueError(f"the tag {tag!r} is taken; choose another")
    if type in _EXACT or type in _USERS or type in (*_PLAIN_FORMS, torch.Tensor):
        raise ValueError(f"how a {type.__qualname__} is stored is settled already")
    _USERS[type] = _TAGS[tag] = _users_kind(type, tag, encode, decode, bound_to)


def _users_kind(
    type_: type,
    tag: str,
    encode: Callable[[Any], Any],
    decode: Callable[[Any], Any],
    bound_to: str,
) -> Kind:
    def encode_it(encoder: Encoder, value: Any) -> Any:
        if bound_to != "portable":
            encoder.notes.append((bound_to, f"so it was registered as {tag}"))
        try:
            plain = encode(value)
        except Exception as error:
            reason = f"encoding it raised {type_name(error)}"
            way_out = f"see what was registered as {tag}"
            raise Unstorable(value, reason, way_out) from error
        return encoder.part(plain, f" as {tag}")

    def decode_it(decoder: Decoder, form: Any) -> Any:
        plain = decoder.value(form)
        try:
            value = decode(plain)
        except Exception as error:
            reason = f"decoding a {tag} raised {type_name(error)}"
            raise Malformed(reason) from error
        if type(value) is not type_:
            raise Malformed(f"a {tag} was decoded as a {type_name(value)}")
        return value

    return Kind(tag, encode_it, decode_it, identity=True)
