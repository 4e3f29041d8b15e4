"""Constants come back as they were: type, value, identity, bits, in any process."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.emit.resolve import ByName
from astgen.store.codec import decode, dumps, encode, loads
from support.compare import assert_same
from support.stored_constants import (
    POLICY,
    SAMPLES,
    assert_stored_alike,
    tensors,
    values,
)

_SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck))


def again(constants: list[Any]) -> list[Any]:
    """Constants after a round trip through bytes, whose canonicity is checked too."""
    encoded = encode(constants)
    data = dumps(encoded.document)
    made = decode(loads(data), encoded.blobs, POLICY)
    assert dumps(encode(made).document) == data
    return made


@pytest.mark.parametrize("name", SAMPLES)
def test_one_of_each_kind_comes_back(name: str) -> None:
    assert_stored_alike(again([SAMPLES[name]]), [SAMPLES[name]])


def test_all_of_them_in_one_document_come_back() -> None:
    assert_stored_alike(again(list(SAMPLES.values())), list(SAMPLES.values()))


@_SLOW
@given(st.lists(values(), max_size=4))
def test_any_constants_come_back(constants: list[Any]) -> None:
    assert_stored_alike(again(constants), constants)


@_SLOW
@given(tensors())
def test_any_tensor_comes_back(tensor: torch.Tensor) -> None:
    assert_stored_alike(again([tensor]), [tensor])


@_SLOW
@given(st.lists(values(), max_size=3))
def test_shared_objects_stay_shared_and_others_do_not(constants: list[Any]) -> None:
    given_ids = identities([*constants, *constants])
    assert identities(again([*constants, *constants])) == given_ids


def identities(constants: list[Any]) -> list[int]:
    """For each object with an identity, in order of the walk, which one it is."""
    numbers: dict[int, int] = {}
    found = []
    kept: list[Any] = []
    todo = list(constants)
    while todo:
        item = todo.pop(0)
        immutable = isinstance(item, (immutable_list, immutable_dict))
        kinds = (list, dict, set, bytearray, torch.Tensor)
        if isinstance(item, kinds) and not immutable:
            kept.append(item)
            found.append(numbers.setdefault(id(item), len(numbers)))
        if isinstance(item, (list, tuple)) and not isinstance(item, torch.Size):
            todo = [*item, *todo]
        elif isinstance(item, dict):
            todo = [*item.values(), *todo]
    return found


def test_views_share_a_storage_and_copies_do_not() -> None:
    base = torch.arange(6.0)
    whole, view, copy = again([base, base[2:4], base.clone()])
    view += 1
    assert whole.tolist() == [0, 1, 3, 4, 4, 5] and copy.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_storage_is_kept_once_and_by_its_digest() -> None:
    base = torch.arange(6.0)
    encoded = encode([base, base[1:], base.clone()])
    data = base.numpy().tobytes()
    assert encoded.blobs == {hashlib.sha256(data).hexdigest(): data}
    assert len(encoded.document["storages"]) == 2


def test_the_whole_storage_is_there_for_as_strided() -> None:
    (view,) = again([torch.arange(6.0)[2:4]])
    assert view.as_strided((6,), (1,), 0).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_loaded_tensor_does_not_write_into_the_blob() -> None:
    encoded = encode([torch.zeros(4)])
    for _ in range(2):
        (tensor,) = decode(encoded.document, encoded.blobs)
        assert tensor.tolist() == [0, 0, 0, 0]
        tensor += 1


def test_objects_are_shared_between_slots_and_inside_values() -> None:
    items: list[int] = []
    one, two, inner = again([items, (items,), {"x": [items]}])
    assert one is two[0] is inner["x"][0]


def test_equal_lists_stay_two() -> None:
    one, two = again([[1], [1]])
    assert one is not two


def test_what_came_back_can_be_called() -> None:
    x = torch.tensor([[1.0, -2.0]])
    names = ["getter", "methodcaller", "partial", "maker", "by name", "descriptor"]
    getter, method, _, maker, by_name, shape = again([SAMPLES[name] for name in names])
    assert shape(x) == x.shape
    assert_same(method(x), x.add(1, alpha=2.5))
    assert maker((1, 2)) == SAMPLES["maker"]((1, 2))
    assert type(by_name) is ByName and by_name(x.clone(), 3, 4).tolist() == [[3, 3]]


def test_what_came_back_pickles_where_the_original_did() -> None:
    for name in ("by name", "descriptor", "getter", "maker", "placements", "enum"):
        (made,) = again([SAMPLES[name]])
        assert pickle.dumps(made) == pickle.dumps(SAMPLES[name])


def test_equal_constants_give_equal_bytes() -> None:
    one = encode([{"b", "a", "c"}, {"x": 1}, torch.ones(3)])
    other = encode([{"c", "b", "a"}, {"x": 1}, torch.ones(3)])
    assert dumps(one.document) == dumps(other.document) and one.blobs == other.blobs
    assert dumps(encode([{"x": 1, "y": 2}]).document) != dumps(
        encode([{"y": 2, "x": 1}]).document
    )


_CHILD = """
import pathlib, pickle, sys
sys.path.insert(0, sys.argv[1])
from support.stored_constants import POLICY, SAMPLES, assert_stored_alike
from astgen.store.codec import decode, dumps, encode, loads
folder = pathlib.Path(sys.argv[2])
expected = {name: value for name, value in SAMPLES.items() if name != "default generator"}
blobs = {path.name: path.read_bytes() for path in folder.iterdir() if len(path.name) == 64}
data = (folder / "consts.json").read_bytes()
made = decode(loads(data), blobs, POLICY)
assert_stored_alike(made, list(expected.values()))
assert dumps(encode(list(expected.values())).document) == data
print("same")
"""


@pytest.mark.parametrize("seed", ["0", "7"])
def test_a_fresh_process_loads_the_same_and_writes_the_same(
    seed: str, tmp_path: Path
) -> None:
    kept = {k: value for k, value in SAMPLES.items() if k != "default generator"}
    encoded = encode(list(kept.values()))
    (tmp_path / "consts.json").write_bytes(dumps(encoded.document))
    for name, data in encoded.blobs.items():
        (tmp_path / name).write_bytes(data)
    tests = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, tests, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "same\n", done.stderr
