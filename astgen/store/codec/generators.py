"""Random generators of the CPU: their state, or that they are the process's own one.

Programs and their callers share a generator. A stored one goes on from the state that
it had, on its own; the default one stays the default one.
"""

from __future__ import annotations

from typing import Any

import torch

from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable

__all__ = ["GENERATOR"]


def _encode(encoder: Encoder, value: torch.Generator) -> Any:
    if value is torch.default_generator:
        return None
    if value.device != torch.device("cpu"):
        reason = f"its state belongs to {value.device}"
        raise Unstorable(value, reason, "pass it as an input of the graph")
    return encoder.raw(bytes(value.get_state().tolist()))


def _decode(decoder: Decoder, form: Any) -> torch.Generator:
    if form is None:
        if decoder.knows(torch.default_generator):
            raise Malformed("the default generator stands there twice")
        return torch.default_generator
    data = decoder.raw(form)
    made = torch.Generator()
    if len(data) != made.get_state().numel():
        raise Malformed("the state of a generator has another size")
    made.set_state(torch.frombuffer(bytearray(data), dtype=torch.uint8))
    if bytes(made.get_state().tolist()) != data:
        raise Malformed("a generator has another state")
    return made


GENERATOR = Kind("generator", _encode, _decode, identity=True)
"""How generators are stored."""
