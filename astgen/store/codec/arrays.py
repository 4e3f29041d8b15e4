"""Arrays and scalars of numpy, which need not be installed where none are stored.

Numbers of fixed sizes only. An array is its items, in the order C or Fortran has
them; that two arrays look at the same memory cannot be kept and is refused.
"""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

from astgen.store.codec.core import Decoder, Encoder, Kind, fits
from astgen.store.codec.faults import Malformed, Unstorable
from astgen.store.codec.pairs import parts_of

__all__ = ["ARRAYS", "array_kind"]

_DTYPE = re.compile(r"\|b1|\|[iu]1|[<>](?:[iu][248]|f[248]|c8|c16)\Z")
_COPY = "use its copy(), or a tensor"
_WAY_OUT = "use numbers of a fixed size, or a tensor"


def array_kind(value: Any) -> Kind | None:
    """How something of numpy is stored; None if it is none."""
    numpy = sys.modules.get("numpy")
    # A numpy that is half imported, or a stand-in, has no arrays either.
    if not isinstance(getattr(numpy, "ndarray", None), type) or numpy is None:
        return None
    if type(value) is numpy.ndarray:
        return _ARRAY
    if isinstance(value, numpy.generic):
        return _SCALAR
    return _NUMPY_DTYPE if isinstance(value, numpy.dtype) else None


def _spelled(value: Any, dtype: Any) -> str:
    text = str(dtype.str)
    known = _DTYPE.fullmatch(text) and dtype.metadata is None
    # Two types of C of one size are two types in numpy.
    if not known or sys.modules["numpy"].dtype(text).type is not dtype.type:
        raise Unstorable(value, f"its type is {ascii(text)[:40]}", _WAY_OUT)
    return text


def _dtype(text: Any) -> Any:
    if type(text) is not str or not _DTYPE.fullmatch(text):
        raise Malformed("there is no such type of numbers")
    try:
        numpy = importlib.import_module("numpy")
    except ImportError:
        raise Malformed("numpy is not installed here", "AG604") from None
    dtype = numpy.dtype(text)
    if dtype.str != text:
        raise Malformed("a type of numbers is not in its one spelling")
    return dtype


def _encode_scalar(_: Encoder, value: Any) -> list[str]:
    if type(value) is not value.dtype.type:
        raise Unstorable(value, "it is of a subclass", _WAY_OUT)
    return [_spelled(value, value.dtype), value.tobytes().hex()]


def _decode_scalar(_: Decoder, parts: Any) -> Any:
    name, digits = parts_of(parts, 2)
    dtype = _dtype(name)
    if name.startswith(">") or type(digits) is not str:
        raise Malformed("a scalar is in the order of the machine")
    data = bytes.fromhex(digits)
    if len(data) != dtype.itemsize or data.hex() != digits:
        raise Malformed("a scalar has another size")
    _check_booleans(name, data)
    return importlib.import_module("numpy").frombuffer(data, dtype)[0]


def _encode_array(encoder: Encoder, value: Any) -> list[Any]:
    name = _spelled(value, value.dtype)
    owner = value
    while type(owner.base) is type(value):
        owner = owner.base
    if owner.base is not None and type(owner.base) is not bytes:
        reason = "its memory belongs to something else"
        raise Unstorable(value, reason, _COPY)
    if not encoder.memory.claim(value, id(value), *_range(owner)):
        raise Unstorable(value, "it shares memory with another constant", _COPY)
    if not value.flags.forc:
        reason = "it is a view that leaves items out"
        raise Unstorable(value, reason, _COPY)
    order = "C" if value.flags.c_contiguous else "F"
    return [
        name,
        list(value.shape),
        order,
        bool(value.flags.writeable),
        encoder.raw(value.tobytes(order)),
    ]


def _range(owner: Any) -> tuple[int, int]:
    """Where the memory of an array begins, and how many bytes of it there are."""
    start: int = owner.__array_interface__["data"][0]
    if not owner.size:
        return start, 0
    steps = [(n - 1) * step for n, step in zip(owner.shape, owner.strides)]
    before = sum(step for step in steps if step < 0)
    after = sum(step for step in steps if step > 0)
    return start + before, after - before + owner.itemsize


def _decode_array(decoder: Decoder, parts: Any) -> Any:
    name, shape, order, writeable, form = parts_of(parts, 5)
    dtype, count = _dtype(name), 1
    if type(shape) is not list or len(shape) > 32:
        raise Malformed("the shape of an array is no list")
    for length in shape:
        if type(length) is not int or length < 0:
            raise Malformed("the shape of an array is not made of lengths")
        count *= length
    data = decoder.raw(form)
    _check_booleans(name, data)
    widest = dtype.itemsize
    for length in shape:
        widest *= max(length, 1)
    if count * dtype.itemsize != len(data) or not fits(widest):
        raise Malformed("an array has another size than its bytes")
    if order not in ("C", "F") or type(writeable) is not bool:
        raise Malformed("the order of an array is C or F")
    flat = importlib.import_module("numpy").frombuffer(bytearray(data), dtype)
    value = flat.reshape(shape, order=order).copy(order)
    if order == "F" and value.flags.c_contiguous:
        raise Malformed("an array in order C is said to be in order F")
    value.flags.writeable = writeable
    return value


def _check_booleans(name: str, data: bytes) -> None:
    if name == "|b1" and data.strip(b"\0\1"):
        raise Malformed("a boolean is neither true nor false")


def _encode_dtype(_: Encoder, value: Any) -> str:
    return _spelled(value, value)


def _decode_dtype(_: Decoder, name: Any) -> Any:
    return _dtype(name)


_ARRAY = Kind("array", _encode_array, _decode_array, identity=True)
_SCALAR = Kind("scalar", _encode_scalar, _decode_scalar)
_NUMPY_DTYPE = Kind("numpy_dtype", _encode_dtype, _decode_dtype)
ARRAYS = (_ARRAY, _SCALAR, _NUMPY_DTYPE)
"""All of them."""
