"""Constants by content: equal for equal ones, whatever slots they are in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from astgen.errors import ArtifactError
from astgen.store.codec import dumps, encode
from astgen.store.contents import content_keys, read_content_keys


def keys(*values: Any) -> tuple[str, ...]:
    document = encode(values).document
    found = content_keys(document)
    assert read_content_keys(dumps(document)) == found
    return found


MAKERS: dict[str, Callable[[], Any]] = {
    "ones": lambda: torch.ones(3),
    "zeros": lambda: torch.zeros(3),
    "longer ones": lambda: torch.ones(4),
    "other ones": lambda: torch.ones(3, dtype=torch.float64),
    "a part": lambda: torch.ones(4)[:3],
    "list": lambda: [1, 2],
    "other list": lambda: [1, 3],
    "list of tensors": lambda: [torch.ones(2), torch.ones(2)],
    "one tensor twice": lambda: [torch.ones(2)] * 2,
    "dtype": lambda: torch.float16,
    "number": lambda: 1,
    "other number": lambda: 1.0,
    "truth": lambda: True,
    "text": lambda: "1",
    "nothing": lambda: None,
}


def test_equal_constants_have_equal_keys_and_others_do_not() -> None:
    found = {name: keys(make()) for name, make in MAKERS.items()}
    assert found == {name: keys(make()) for name, make in MAKERS.items()}
    assert len({*found.values()}) == len(MAKERS)


# What is twice in a constant is told by all that comes before it.
@pytest.mark.parametrize("name", sorted({*MAKERS} - {"one tensor twice"}))
def test_the_slot_does_not_count(name: str) -> None:
    make = MAKERS[name]
    alone = keys(make())
    assert keys(torch.full((5,), 7.0), [0], make())[2:] == alone
    assert keys(make(), torch.full((5,), 7.0))[:1] == alone


def test_tensors_that_share_memory_are_not_as_copies_of_them() -> None:
    whole = torch.arange(4.0)
    parts = keys(whole[:3], whole[1:])
    copies = keys(torch.arange(4.0)[:3], torch.arange(4.0)[1:])
    assert not {*parts} & {*copies}


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"slots": 1}', b"[" * 1000, b'{"slots": [], "slots": []}'],
)
def test_what_is_no_list_of_constants_is_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError):
        read_content_keys(data)


def test_numbers_that_lead_nowhere_are_taken_as_they_are() -> None:
    form = {"tensor": {"storage": 5, "shape": [2]}}
    assert len(content_keys({"slots": [form, [form], 5], "storages": []})) == 3
    assert len(content_keys({"slots": [form], "storages": "none"})) == 1
