"""Numbers, text and bytes that do not stand for themselves; singletons.

Fractions are written in base 16, which is exact and the same everywhere; those that
are not a number, with all their bits.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from typing import Any

from astgen.store.codec.core import Decoder, Encoder, Kind, fits
from astgen.store.codec.faults import Malformed, Unstorable

__all__ = ["PLAIN", "decode_float", "encode_float"]

_NAN = re.compile(r"nan:([0-9a-f]{16})\Z")
_HEX = re.compile(r"-?0x[0-9a-f]+\Z")
_SINGLETONS: dict[str, Any] = {"Ellipsis": ..., "NotImplemented": NotImplemented}


def encode_float(value: float) -> str:
    """Spell a float exactly."""
    if math.isnan(value):
        return "nan:" + struct.pack(">d", value).hex()
    return value.hex()


def decode_float(text: Any) -> float:
    """Read what `encode_float` spelled.

    Raises:
        Malformed: It is nothing that it would have spelled.
    """
    if type(text) is not str or len(text) > 32:
        raise Malformed("a fraction is no text, or a long one")
    found = _NAN.match(text)
    if found:
        value = struct.unpack(">d", bytes.fromhex(found[1]))[0]
    else:
        try:
            value = float.fromhex(text)
        except (ValueError, OverflowError):
            raise Malformed("a fraction is not in base 16") from None
    if encode_float(value) != text:
        raise Malformed("a fraction is not in its one spelling")
    return float(value)


def _encode_int(_: Encoder, value: int) -> str:
    return hex(value)


def _decode_int(_: Decoder, text: Any) -> int:
    if type(text) is not str or not _HEX.match(text):
        raise Malformed("a large number is not in base 16")
    value = int(text, 16)
    if fits(value) or hex(value) != text:
        raise Malformed("a number is not in its one spelling")
    return value


def _encode_complex(_: Encoder, value: complex) -> list[str]:
    return [encode_float(value.real), encode_float(value.imag)]


def _decode_complex(_: Decoder, parts: Any) -> complex:
    if type(parts) is not list or len(parts) != 2:
        raise Malformed("a complex number has two parts")
    return complex(decode_float(parts[0]), decode_float(parts[1]))


def _encode_str(encoder: Encoder, value: str) -> Any:
    return encoder.raw(value.encode("utf-8", "surrogatepass"))


def _decode_str(decoder: Decoder, form: Any) -> str:
    data = decoder.raw(form)
    try:
        value = data.decode("utf-8", "surrogatepass")
        if value.encode("utf-8", "surrogatepass") != data:
            raise Malformed("text is not in its one spelling")
    except UnicodeDecodeError:
        raise Malformed("text with surrogates is no UTF-8") from None
    if not any("\ud800" <= char <= "\udfff" for char in value):
        raise Malformed("text without surrogates does not stand for itself")
    return value


def _encode_bytearray(encoder: Encoder, value: bytearray) -> Any:
    if value:
        place = ctypes.addressof(ctypes.c_char.from_buffer(value))
        if not encoder.memory.claim(value, id(value), place, len(value)):
            reason = "it shares memory with another constant"
            raise Unstorable(value, reason, "use a copy of it, or clone() the other")
    return encoder.raw(bytes(value))


def _encode_singleton(_: Encoder, value: Any) -> str:
    return "Ellipsis" if value is ... else "NotImplemented"


def _decode_singleton(_: Decoder, name: Any) -> Any:
    if type(name) is not str or name not in _SINGLETONS:
        raise Malformed("there is no such singleton")
    return _SINGLETONS[name]


PLAIN: dict[type, Kind] = {
    int: Kind("int", _encode_int, _decode_int),
    float: Kind(
        "float",
        lambda _, value: encode_float(value),
        lambda _, text: decode_float(text),
    ),
    complex: Kind("complex", _encode_complex, _decode_complex),
    str: Kind("str", _encode_str, _decode_str),
    bytes: Kind("bytes", Encoder.raw, Decoder.raw),
    bytearray: Kind(
        "bytearray",
        _encode_bytearray,
        lambda decoder, form: bytearray(decoder.raw(form)),
        identity=True,
    ),
    type(...): Kind("singleton", _encode_singleton, _decode_singleton),
    type(NotImplemented): Kind("singleton", _encode_singleton, _decode_singleton),
}
"""How each of these types is stored."""
