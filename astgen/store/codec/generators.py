"""Random generators of the CPU: their state, or that they are the process's own one.

Programs and their callers share a generator. A stored one goes on from the state that
it had, on its own; the default one stays the default one.
"""

from __future__ import annotations

import struct
from typing import Any

import torch

from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable

__all__ = ["GENERATOR"]

_WORDS = 624
_HEAD = struct.Struct("=QiiQ")
"""The seed, how many words are left, whether it was seeded, which word comes next."""

_TAIL = struct.Struct("=dddi4xfB3x")
"""Normal numbers that were made in pairs, each with whether it is still to come."""

_SIZE = _HEAD.size + 8 * _WORDS + _TAIL.size


def _encode(encoder: Encoder, value: torch.Generator) -> Any:
    if value is torch.default_generator:
        return None
    if value.device != torch.device("cpu"):
        reason = f"its state belongs to {value.device}"
        raise Unstorable(value, reason, "pass it as an input of the graph")
    data = bytes(value.get_state().tolist())
    if not _is_state(data):
        reason = "its state is none that it could have got into by itself"
        raise Unstorable(value, reason, "seed it with manual_seed()")
    return encoder.raw(data)


def _decode(decoder: Decoder, form: Any) -> torch.Generator:
    if form is None:
        if decoder.knows(torch.default_generator):
            raise Malformed("the default generator stands there twice")
        return torch.default_generator
    data = decoder.raw(form)
    made = torch.Generator()
    if len(data) != made.get_state().numel():
        raise Malformed("the state of a generator has another size")
    if not _is_state(data):
        raise Malformed("the state of a generator contradicts itself")
    made.set_state(torch.frombuffer(bytearray(data), dtype=torch.uint8))
    if bytes(made.get_state().tolist()) != data:
        raise Malformed("a generator has another state")
    return made


def _is_state(data: bytes) -> bool:
    """Whether a generator gets into a state by being seeded and drawn from."""
    if len(data) != _SIZE:
        return False
    _, left, seeded, following = _HEAD.unpack_from(data)
    *_, has_double, _, has_float = _TAIL.unpack_from(data, _SIZE - _TAIL.size)
    fresh = (left, following) == (1, 0)
    drawn = 1 <= left <= _WORDS and left + following == _WORDS + 1
    return seeded == 1 and (fresh or drawn) and {has_double, has_float} <= {0, 1}


GENERATOR = Kind("generator", _encode, _decode, identity=True)
"""How generators are stored."""
