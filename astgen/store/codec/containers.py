"""Containers of Python and of `torch.fx`.

The order of a dict is kept, since it has a meaning; that of a set has none, so its
items are sorted by their forms. What is hashed while a document is decoded is of types
whose hash and comparison run no code of anybody else.
"""

from __future__ import annotations

import enum
import json
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable, type_name
from astgen.store.codec.pairs import parts_of

__all__ = ["CONTAINERS", "decode_pairs", "encode_pairs", "hashable"]

_JSON = json.JSONEncoder(sort_keys=True)
_HASHABLE = frozenset(
    {
        bool,
        bytes,
        complex,
        float,
        int,
        str,
        torch.device,
        torch.dtype,
        torch.layout,
        torch.memory_format,
        torch.qscheme,
        type(None),
        type(...),
        type(NotImplemented),
    }
)
_PLAIN = (int, str, float, bytes)
_PLAIN_HASHES = tuple(kind.__hash__ for kind in _PLAIN)
_PLAIN_EQUALITIES = tuple(kind.__eq__ for kind in _PLAIN)
_ITEM_CODE: tuple[Any, ...] = tuple(
    (kind.__hash__, kind.__eq__) for kind in (tuple, frozenset)
)
_MEMBER_CODE: tuple[Any, ...] = tuple(
    (hashed, equal)
    for hashed in (enum.Enum.__hash__, *_PLAIN_HASHES)
    for equal in (enum.Enum.__eq__, *_PLAIN_EQUALITIES)
)


def hashable(value: Any) -> bool:
    """Whether a value may be an item of a set, or a key.

    That is: data that Python or PyTorch hash and compare, by no address.
    """
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind in _HASHABLE:
            continue
        if isinstance(item, (tuple, frozenset)):
            if (kind.__hash__, kind.__eq__) not in _ITEM_CODE:
                return False
            base: Any = tuple if isinstance(item, tuple) else frozenset
            todo += base.__iter__(item)
        elif not isinstance(item, enum.Enum):
            return False
        elif (kind.__hash__, kind.__eq__) not in _MEMBER_CODE:
            return False
    return True


def encode_pairs(encoder: Encoder, pairs: dict[Any, Any]) -> list[Any]:
    """The items of a dict, in order."""
    forms = []
    for key, value in pairs.items():
        step = f"[{ascii(key)[:40]}]" if type(key) in (str, int) else ".values()[…]"
        forms.append([_key(encoder, key), encoder.part(value, step)])
    return forms


def decode_pairs(decoder: Decoder, forms: Any) -> dict[Any, Any]:
    """The way back.

    Raises:
        Malformed: They are no pairs, or a key is there twice, or is none.
    """
    if type(forms) is not list:
        raise Malformed("the items of a dict are no list")
    made: dict[Any, Any] = {}
    for pair in forms:
        key, value = parts_of(pair, 2)
        key = _hashed(decoder.value(key))
        made[key] = decoder.value(value)
    if len(made) != len(forms):
        raise Malformed("a key is there twice")
    return made


def _key(encoder: Encoder, key: Any) -> Any:
    if not hashable(key):
        raise Unstorable(
            key,
            "as a key or an item of a set it is found by its address, or by code of "
            "its own",
            "use text, numbers, enum members, or tuples of them",
        )
    return encoder.part(key, ".keys()[…]")


def _hashed(value: Any) -> Any:
    if not hashable(value):
        raise Malformed(f"a {type_name(value)} is a key or an item of a set")
    return value


def _encode_set(encoder: Encoder, value: Iterable[Any]) -> list[Any]:
    return sorted((_key(encoder, item) for item in value), key=_order)


def _order(form: Any) -> str:
    return _JSON.encode(form)


def _decode_set(decoder: Decoder, forms: Any) -> frozenset[Any]:
    made = frozenset(map(_hashed, decoder.values(forms)))
    if len(made) != len(forms):
        raise Malformed("an item of a set is there twice")
    orders = [_order(form) for form in forms]
    if orders != sorted(orders):
        raise Malformed("the items of a set are not sorted")
    return made


def _sequence(
    tag: str, make: Callable[[list[Any]], Any], identity: bool = False
) -> Kind:
    return Kind(
        tag,
        Encoder.items,
        lambda decoder, forms: make(decoder.values(forms)),
        identity,
    )


def _encode_slice(encoder: Encoder, value: slice) -> list[Any]:
    return [
        encoder.part(getattr(value, name), f".{name}")
        for name in ("start", "stop", "step")
    ]


def _decode_slice(decoder: Decoder, forms: Any) -> slice:
    start, stop, step = decoder.values(parts_of(forms, 3))
    return slice(start, stop, step)


def _decode_range(decoder: Decoder, forms: Any) -> range:
    parts = decoder.values(parts_of(forms, 3))
    if any(type(part) is not int for part in parts) or parts[2] == 0:
        raise Malformed("a range is not made of numbers")
    return range(*parts)


def _encode_range(encoder: Encoder, value: range) -> list[Any]:
    return encoder.items((int(value.start), int(value.stop), int(value.step)))


def _decode_size(decoder: Decoder, forms: Any) -> torch.Size:
    items = decoder.values(forms)
    if any(type(item) is not int for item in items):
        raise Malformed("a torch.Size is not made of numbers")
    return torch.Size(items)


def _encode_default(encoder: Encoder, value: defaultdict[Any, Any]) -> list[Any]:
    factory = encoder.part(value.default_factory, ".default_factory")
    return [factory, encode_pairs(encoder, value)]


def _decode_default(decoder: Decoder, parts: Any) -> defaultdict[Any, Any]:
    form, forms = parts_of(parts, 2)
    factory = decoder.value(form)
    return defaultdict(factory, decode_pairs(decoder, forms))


def _encode_deque(encoder: Encoder, value: deque[Any]) -> list[Any]:
    return [value.maxlen, encoder.items(value)]


def _decode_deque(decoder: Decoder, parts: Any) -> deque[Any]:
    limit, forms = parts_of(parts, 2)
    items = decoder.values(forms)
    if limit is not None and (type(limit) is not int or limit < len(items)):
        raise Malformed("a deque is longer than its length")
    return deque(items, limit)


def _mapping(tag: str, make: Callable[[dict[Any, Any]], Any]) -> Kind:
    return Kind(
        tag,
        encode_pairs,
        lambda decoder, forms: make(decode_pairs(decoder, forms)),
        identity=True,
    )


CONTAINERS: dict[type, Kind] = {
    tuple: _sequence("tuple", tuple),
    list: _sequence("list", list, identity=True),
    immutable_list: _sequence("fx_list", immutable_list),
    dict: _mapping("dict", lambda pairs: pairs),
    immutable_dict: Kind(
        "fx_dict",
        encode_pairs,
        lambda decoder, forms: immutable_dict(decode_pairs(decoder, forms)),
    ),
    OrderedDict: _mapping("ordered_dict", OrderedDict),
    defaultdict: Kind("defaultdict", _encode_default, _decode_default, True),
    deque: Kind("deque", _encode_deque, _decode_deque, True),
    set: Kind(
        "set",
        _encode_set,
        lambda decoder, forms: set(_decode_set(decoder, forms)),
        identity=True,
    ),
    frozenset: Kind("frozenset", _encode_set, _decode_set),
    slice: Kind("slice", _encode_slice, _decode_slice),
    range: Kind("range", _encode_range, _decode_range),
    torch.Size: Kind("size", Encoder.items, _decode_size),
}
"""How each of these types is stored."""
