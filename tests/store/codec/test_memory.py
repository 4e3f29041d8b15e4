"""Memory that two constants share without sharing a storage is refused, not lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from astgen.errors import ConstantError
from astgen.store.codec import check_portable, decode, encode


def from_numpy() -> list[Any]:
    base = np.zeros(4, dtype=np.float32)
    return [torch.from_numpy(base), torch.from_numpy(base[1:])]


def from_numpy_backwards() -> list[Any]:
    return from_numpy()[::-1]


def from_dlpack() -> list[Any]:
    base = torch.zeros(4)
    return [base, torch.from_dlpack(base[1:])]


def frombuffer() -> list[Any]:
    data = bytearray(16)
    return [
        torch.frombuffer(data, dtype=torch.float32),
        torch.frombuffer(data, dtype=torch.float32, offset=4),
    ]


def array() -> list[Any]:
    base = np.zeros(4, dtype=np.float32)
    return [base, torch.from_numpy(base[1:])]


def array_after() -> list[Any]:
    return array()[::-1]


def part_of_an_array() -> list[Any]:
    base = np.zeros((4, 2), dtype=np.float32)
    return [base[:1], torch.from_numpy(base[2:])]


def text() -> list[Any]:
    data = bytearray(16)
    return [data, torch.frombuffer(data, dtype=torch.float32, offset=4)]


def text_after() -> list[Any]:
    return text()[::-1]


SHARED: list[Callable[[], list[Any]]] = [
    *(from_numpy, from_numpy_backwards, from_dlpack, frombuffer, array, array_after),
    *(part_of_an_array, text, text_after),
]


@pytest.mark.parametrize("make", SHARED)
def test_two_constants_in_the_same_memory_are_refused(
    make: Callable[[], list[Any]],
) -> None:
    values = make()
    with pytest.raises(ConstantError, match="shares memory with another") as caught:
        encode(values)
    assert caught.value.slot == 1
    assert "copy" in caught.value.way_out or "clone" in caught.value.way_out
    assert [one.status for one in check_portable(values)] == [
        "portable",
        "not storable",
    ]
    # Inside one constant it is the same.
    with pytest.raises(ConstantError, match="shares memory with another"):
        encode([values])


@pytest.mark.parametrize("make", SHARED)
def test_the_way_out_leads_out(make: Callable[[], list[Any]]) -> None:
    first, second = make()
    copied = second.clone() if isinstance(second, torch.Tensor) else second.copy()
    encoded = encode([first, copied, first])
    assert {one.status for one in check_portable([first, copied])} == {"portable"}
    loaded = decode(encoded.document, encoded.blobs)
    assert loaded[0] is loaded[2] and type(loaded[1]) is type(second)


def test_neighbours_and_views_of_one_storage_are_no_conflict() -> None:
    base = torch.arange(8.0)
    data = bytearray(32)
    halves = [
        torch.frombuffer(data, dtype=torch.float32, offset=16 * half, count=4)
        for half in (1, 0)
    ]
    values = [base[2:], base, base.detach()[:1], *halves]
    assert {one.status for one in check_portable(values)} == {"portable"}
    encoded = encode(values)
    tail, whole, *_ = decode(encoded.document, encoded.blobs)
    whole.fill_(7.0)
    assert tail.eq(7.0).all()
