"""Values of PyTorch that have a name: dtypes, devices, layouts and their like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed

__all__ = ["DTYPES", "TORCH_VALUES", "decode_device", "note_device"]


def _table(kind: type) -> dict[str, Any]:
    """The values of a type by what they are called in `torch`, aliases left out."""
    found = (value for value in vars(torch).values() if type(value) is kind)
    return {str(value).removeprefix("torch."): value for value in found}


DTYPES: dict[str, torch.dtype] = _table(torch.dtype)
"""Every dtype by its name."""


def note_device(encoder: Encoder, device: torch.device) -> None:
    """Note what a device binds a program to."""
    if device.index is not None and device.type not in ("cpu", "meta"):
        encoder.notes.append(("device", f"it names {device}; another may be mapped"))


def decode_device(decoder: Decoder, text: Any) -> torch.device:
    """The device that stands for one of the document.

    Raises:
        Malformed: It is none, or not in its one spelling.
    """
    if type(text) is not str or len(text) > 40:
        raise Malformed("a device is no text")
    _device(text)
    return _device(decoder.policy.device(text))


def _device(text: str) -> torch.device:
    try:
        device = torch.device(text)
    except (RuntimeError, ValueError):
        raise Malformed(f"there is no device {ascii(text)}") from None
    # PyTorch takes an index of any size and keeps its last bits.
    if str(device) != text:
        raise Malformed(f"{ascii(text)} is no device")
    return device


def _encode_device(encoder: Encoder, device: torch.device) -> str:
    note_device(encoder, device)
    return str(device)


def _named(tag: str, table: dict[str, Any]) -> Kind:
    def decode(_: Decoder, name: Any) -> Any:
        if type(name) is not str or name not in table:
            raise Malformed(f"there is no {tag} of this name")
        return table[name]

    return Kind(tag, _name, decode)


def _name(_: Encoder, value: Any) -> str:
    return str(value).removeprefix("torch.")


def _limits(tag: str, make: Callable[[torch.dtype], Any]) -> Kind:
    def decode(_: Decoder, name: Any) -> Any:
        if type(name) is not str or name not in DTYPES:
            raise Malformed("there is no dtype of this name")
        try:
            return make(DTYPES[name])
        except TypeError:
            raise Malformed(f"the dtype {name} has no {tag}") from None

    return Kind(tag, lambda _, value: str(value.dtype).removeprefix("torch."), decode)


TORCH_VALUES: dict[type, Kind] = {
    torch.dtype: _named("dtype", DTYPES),
    torch.layout: _named("layout", _table(torch.layout)),
    torch.memory_format: _named("memory_format", _table(torch.memory_format)),
    torch.qscheme: _named("qscheme", _table(torch.qscheme)),
    torch.device: Kind("device", _encode_device, decode_device),
    torch.finfo: _limits("finfo", torch.finfo),
    torch.iinfo: _limits("iinfo", torch.iinfo),
}
"""How each of these types is stored."""
