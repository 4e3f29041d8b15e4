"""What a manifest says of a constant: what makes it, a text for people, a key.

The text never comes from a type of the user's, whose `repr` may say anything.
"""

from __future__ import annotations

import enum
import hashlib
import json
from typing import Any

import torch

from astgen.store.codec.faults import type_name
from astgen.store.manifest import Slot

__all__ = ["describe"]

_PRINTED = (type(None), bool, int, float, complex, str, bytes, type(...), range)
_VALUES = (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)
_NAMED = ("name", "operator", "namedtuple_of", "generator")
_LENGTH = 60
_JSON = json.JSONEncoder(separators=(",", ":"), sort_keys=True)


def describe(
    place: int, value: Any, form: Any, number: int | None, objects: int
) -> Slot:
    """Describe one constant.

    Args:
        place: Which one it is.
        value: The constant.
        form: How it is stored.
        number: The number of the object, if it has an identity.
        objects: How many objects were met in it for the first time.

    Returns:
        What the manifest says. Keys are equal for constants that could share a slot.
    """
    text = _JSON.encode(form)
    if number is not None:
        key = f"object {number}"
    elif objects or '{"same":' in text:
        key = f"slot {place}"
    else:
        long = len(text) > _LENGTH
        key = hashlib.sha256(text.encode()).hexdigest() if long else text
    return Slot(_kind(value, form), _shown(value, form), key)


def _kind(value: Any, form: Any) -> str:
    if isinstance(value, _VALUES):
        return str(value)
    tag, payload = _tagged(form)
    if tag == "name":
        return str(payload).replace(":", ".")
    if tag == "operator":
        return f"torch.ops.{payload}"
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _shown(value: Any, form: Any) -> str:
    tag, payload = _tagged(form)
    if type(value) in _PRINTED:
        text = ascii(value) if _is_short(value) else f"a large {type_name(value)}"
    elif isinstance(value, _VALUES):
        text = str(value)
    elif type(value) is torch.device:
        text = f"torch.device({str(value)!r})"
    elif isinstance(value, torch.Tensor):
        shape = "x".join(map(str, value.shape)) or "0-dim"
        text = f"a tensor {value.dtype} {shape} on {value.device}"
    elif isinstance(value, enum.Enum) and tag == "enum":
        text = f"{type(value).__qualname__}.{payload[1]}"
    elif tag in _NAMED and type(payload) is str:
        text = payload.replace(":", ".")
    elif tag in ("placement", "attrgetter", "by_name", "method"):
        text = f"{type(value).__name__}: {' '.join(map(str, payload))}"
    elif isinstance(value, tuple):
        text = f"a {type_name(value)} of {tuple.__len__(value)}"
    elif isinstance(value, (list, dict, set, frozenset)):
        text = f"a {type_name(value)} of {len(value)}"
    else:
        text = f"a {type_name(value)}"
    text = ascii(text)[1:-1] if not text.isascii() else text
    return text if len(text) <= _LENGTH else text[: _LENGTH - 3] + "..."


def _is_short(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() < 200
    return not isinstance(value, (str, bytes)) or len(value) < _LENGTH


def _tagged(form: Any) -> tuple[str, Any]:
    if type(form) is not dict:
        return "", form
    ((tag, payload),) = form.items()
    return tag, payload
