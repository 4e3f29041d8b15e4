"""Slots are shared by identity, and by value for values, never by `==`."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
import torch

from astgen.emit.constants import Constants


class Equal:
    """Equal to everything; a hash would be asked for in vain."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not to be compared")


def test_one_object_has_one_slot() -> None:
    constants = Constants()
    one, other = Equal(), Equal()
    assert [constants.slot(value) for value in (one, other, one)] == [0, 1, 0]
    assert constants.values[0] is one and constants.values[1] is other


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.device("cuda", 1),
        lambda: float("inf"),
        lambda: float("nan"),
        lambda: complex(1, math.inf),
    ],
    ids=["device", "inf", "nan", "complex"],
)
def test_equal_values_share_a_slot(make: Any) -> None:
    constants = Constants()
    assert [constants.slot(make()) for _ in range(3)] == [0, 0, 0]


def test_placements_share_a_slot_by_their_fields() -> None:
    from torch.distributed.tensor import Partial, Replicate, Shard

    constants = Constants()
    made = [Shard(0), Shard(0), Shard(1), Replicate(), Replicate(), Partial("sum")]
    made += [Partial("avg"), Partial("sum")]
    assert [constants.slot(value) for value in made] == [0, 0, 1, 2, 2, 3, 4, 3]


def test_a_subclass_of_a_placement_is_compared_by_identity() -> None:
    from torch.distributed.tensor import Shard

    class Special(Shard):
        pass

    constants = Constants()
    made = [Special(0), Special(0), Shard(0)]
    assert [constants.slot(value) for value in made] == [0, 1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (complex(0, 0.0), complex(0, -0.0)),
        (float("nan"), struct.unpack(">d", bytes.fromhex("fff8000000000001"))[0]),
        (torch.device("cuda"), torch.device("cuda", 0)),
        (torch.float16, torch.bfloat16),
        (torch.tensor(1), torch.tensor(1)),
        (bytearray(b"a"), bytearray(b"a")),
    ],
    ids=["zero", "nan bits", "device index", "dtype", "tensor", "mutable"],
)
def test_what_can_be_told_apart_is_kept_apart(one: Any, other: Any) -> None:
    constants = Constants()
    assert [constants.slot(value) for value in (one, other)] == [0, 1]


def test_slots_that_a_caller_has_are_gone_on_with() -> None:
    cpu, values = torch.device("cpu"), [torch.float16]
    index = {id(torch.float16): 0}
    constants = Constants(values, index)
    assert constants.slot(torch.float16) == 0
    assert constants.slot(cpu) == 1
    assert values == [torch.float16, cpu]
    assert index[id(cpu)] == 1


def test_what_the_emitter_makes_has_one_slot_a_key() -> None:
    constants = Constants()
    slots = [constants.made(key, object) for key in ("a", "b", "a")]
    assert slots == [0, 1, 0]
    assert constants.values[0] is not constants.values[1]
