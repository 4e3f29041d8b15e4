"""Tensors: the bytes of whole storages, and how each tensor looks at one.

Whole storages, because `as_strided` in a program may look at any of them. A tensor means
its bits: dtype, shape, strides, offset, lazy conjugation and negation, whether it
requires gradients, whether it is a parameter or a buffer. Gradients, hooks and
attributes that somebody set on it are no part of that.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import torch

from astgen.store.codec.core import Decoder, Encoder, Kind, fits
from astgen.store.codec.faults import Malformed, Unstorable
from astgen.store.codec.torch_values import DTYPES, decode_device, note_device

__all__ = ["TENSOR", "decode_storages"]

_DEVICES = frozenset({"cpu", "cuda", "meta", "mps", "xpu"})
_CLASSES = frozenset({torch.Tensor, torch.nn.Parameter})
_KEYS = frozenset({"storage", "dtype", "shape", "stride", "offset"})
_QUANTIZED = frozenset(
    dtype for name, dtype in DTYPES.items() if name.startswith(("qint", "quint"))
)
_FLAGS = ("conj", "neg", "requires_grad")
_KINDS = ("parameter", "buffer", "passing_buffer")
_new_storage: Callable[..., Any] = torch.UntypedStorage
_COPY = "use its clone(), or the tensor in both places"
_WAY_OUT = "pass it as an input or a parameter of the graph"


def decode_storages(decoder: Decoder, forms: Any) -> None:
    """Make the storages of a document; `decoder.storages` has them afterwards.

    Raises:
        Malformed: One is not what its form says.
    """
    if type(forms) is not list:
        raise Malformed("the storages are no list")
    decoder.storages = [_storage(decoder, form) for form in forms]


def _encode(encoder: Encoder, tensor: torch.Tensor) -> dict[str, Any]:
    _check(tensor)
    note_device(encoder, tensor.device)
    with torch.no_grad():
        form: dict[str, Any] = {
            "storage": _storage_number(encoder, tensor),
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
        }
    flags = (tensor.is_conj(), tensor.is_neg(), tensor.requires_grad)
    form.update({name: True for name, is_set in zip(_FLAGS, flags) if is_set})
    if type(tensor) is torch.nn.Parameter:
        form["kind"] = "parameter"
    elif getattr(tensor, "_is_buffer", False):
        persistent = getattr(tensor, "persistent", True)
        form["kind"] = "buffer" if persistent else "passing_buffer"
    return form


def _check(tensor: torch.Tensor) -> None:
    reason, way_out = "", _WAY_OUT
    if type(tensor) not in _CLASSES:
        reason = "a subclass of Tensor means more than its bytes"
        way_out = "store its local or plain parts, or " + _WAY_OUT
    elif tensor.layout is not torch.strided or tensor.is_nested:
        reason, way_out = f"its layout is {tensor.layout}", "use its to_dense()"
    elif tensor.is_quantized:
        reason, way_out = "it is quantized", "use its int_repr() with scale and zero"
    elif tensor.device.type not in _DEVICES:
        reason = f"nobody has looked at tensors on {tensor.device.type}"
    elif torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        reason = "it belongs to a function transform that is under way"
    elif not tensor.is_leaf:
        reason, way_out = "it was computed, with gradients", "use its detach()"
    elif any(getattr(tensor, "names", ())):
        reason, way_out = "its dimensions have names", "use its rename(None)"
    if reason:
        raise Unstorable(tensor, reason, way_out)


def _storage_number(encoder: Encoder, tensor: torch.Tensor) -> int:
    try:
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        if tensor.device.type != "meta" and size and not storage.data_ptr():
            raise RuntimeError("no data")
    except (RuntimeError, NotImplementedError):
        reason = "it has no bytes, it is a stand-in for a tensor"
        raise Unstorable(tensor, reason, _WAY_OUT) from None
    key = storage._cdata
    if key not in encoder.storage_ids:
        form: dict[str, Any] = {"device": str(tensor.device), "size": size}
        if tensor.device.type != "meta":
            place, space = storage.data_ptr(), str(tensor.device)
            if not encoder.memory.claim(storage, key, place, size, space):
                reason = "it shares memory with another constant"
                raise Unstorable(tensor, reason, _COPY)
            form["blob"] = "" if encoder.dry else encoder.blob(_bytes(storage))
            form["order"] = sys.byteorder
        encoder.storage_ids[key] = len(encoder.storages)
        encoder.storages.append(form)
    return encoder.storage_ids[key]


def _bytes(storage: torch.UntypedStorage) -> bytes:
    here: Any = storage
    if storage.device.type != "cpu":
        here = here.cpu()
    return ctypes.string_at(here.data_ptr(), here.nbytes()) if here.nbytes() else b""


def _storage(decoder: Decoder, form: Any) -> Any:
    if type(form) is not dict:
        raise Malformed("a storage is no object")
    device = decode_device(decoder, form.get("device"))
    size = form.get("size")
    if type(size) is not int or not 0 <= size or not fits(size):
        raise Malformed("the size of a storage is no number of bytes")
    if device.type not in _DEVICES:
        raise Malformed(f"there are no storages on {device.type}")
    if form["device"] == "meta":
        if set(form) != {"device", "size"} or device.type != "meta":
            raise Malformed("a storage without bytes has other keys")
        return _new_storage(size, device="meta")
    if set(form) != {"device", "size", "blob", "order"}:
        raise Malformed("a storage has other keys")
    if form["order"] != sys.byteorder:
        raise Malformed("its bytes are not in the order of this machine", "AG604")
    data = decoder.blob(form["blob"])
    if len(data) != size:
        raise Malformed("a storage has another size than its bytes")
    made = torch.empty(size, dtype=torch.uint8)
    if size:
        ctypes.memmove(made.data_ptr(), data, size)
    try:
        return made.to(device).untyped_storage()
    except (RuntimeError, AssertionError) as error:
        raise Malformed(
            f"the device {device} is not here ({type(error).__name__})",
            "AG604",
            f"map it to another: DecodePolicy(device_map={{{str(device)!r}: 'cpu'}})",
        ) from error


def _decode(decoder: Decoder, form: Any) -> torch.Tensor:
    if type(form) is not dict or not _KEYS <= form.keys():
        raise Malformed("a tensor lacks keys")
    if form.keys() - _KEYS - {*_FLAGS, "kind"}:
        raise Malformed("a tensor has other keys")
    if any(form.get(flag, True) is not True for flag in _FLAGS):
        raise Malformed("a mark of a tensor is not true")
    kind = form.get("kind", _KINDS[0])
    if type(kind) is not str or kind not in _KINDS:
        raise Malformed("there are no tensors of this kind")
    if type(form["dtype"]) is not str or form["dtype"] not in DTYPES:
        raise Malformed("there is no dtype of this name")
    dtype = DTYPES[form["dtype"]]
    if dtype in _QUANTIZED:
        raise Malformed("a tensor is quantized")
    storage = _used(decoder, form["storage"])
    view: Any = _view(form, dtype.itemsize, storage.nbytes())
    with torch.no_grad():
        made = torch.empty(0, dtype=dtype, device=storage.device)
        made.set_(storage, *view)
        if tuple(made.stride()) != view[2]:
            # PyTorch has its own idea of the strides of a tensor without items.
            made = made.as_strided(view[1], view[2], view[0])
        made = made.conj() if "conj" in form else made
        made = torch._neg_view(made) if "neg" in form else made
        if made.is_conj() != ("conj" in form):
            raise Malformed("a tensor without imaginary parts is conjugated")
    return _marked(made.detach(), form)


def _marked(made: torch.Tensor, form: dict[str, Any]) -> torch.Tensor:
    grad = "requires_grad" in form
    if grad and not (made.is_floating_point() or made.is_complex()):
        raise Malformed(f"no tensor of {made.dtype} has gradients")
    kind = form.get("kind")
    if kind == "parameter":
        return torch.nn.Parameter(made, requires_grad=grad)
    made.requires_grad_(grad)
    if kind is not None:
        return torch.nn.Buffer(made, persistent=kind == "buffer").requires_grad_(grad)
    return made


def _used(decoder: Decoder, number: Any) -> torch.UntypedStorage:
    """The storage of a number; they are used for the first time one by one."""
    if type(number) is not int or not 0 <= number < len(decoder.storages):
        raise Malformed("there is no such storage")
    if number > decoder.used_storages:
        raise Malformed("the storages are not in the order of their use")
    decoder.used_storages = max(decoder.used_storages, number + 1)
    storage: torch.UntypedStorage = decoder.storages[number]
    return storage


def _view(
    form: dict[str, Any], width: int, size: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Offset, shape and strides, all within the storage."""
    shape, stride, offset = form["shape"], form["stride"], form["offset"]
    if type(shape) is not list or type(stride) is not list:
        raise Malformed("a shape or strides are no list")
    if len(shape) != len(stride) or len(shape) > 64:
        raise Malformed("a shape and strides do not match")
    for number in (*shape, *stride, offset):
        if type(number) is not int or number < 0 or not fits(number):
            raise Malformed("a shape, stride or offset is no number of items")
    count, last = width, offset
    for length, step in zip(shape, stride):
        count *= max(length, 1)
        last += (length - 1) * step
    if not fits(count):
        raise Malformed("a tensor has more items than there are numbers")
    end = offset if 0 in shape else last + 1
    if end * width > size:
        raise Malformed("a tensor reaches beyond its storage")
    return offset, tuple(shape), tuple(stride)


TENSOR = Kind("tensor", _encode, _decode, identity=True)
"""How tensors are stored."""
