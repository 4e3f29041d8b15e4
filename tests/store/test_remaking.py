"""Constants out of somebody else's pickle: made by hand, or refused with their slot."""

from __future__ import annotations

import collections
import enum
import functools
import io
import json
import operator
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from hostile.making import CANARY, TOUCH
from hostile.pickle_making import call, glob, text, touch
from hostile.watching import nothing_happens
from support.compare import assert_same
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.errors import ArtifactError
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickled import Pickled, read_pickled
from astgen.store import DecodePolicy
from astgen.store.remaking import remake


class Level(enum.Enum):
    LOW = 1
    HIGH = "high"


class Pair(collections.namedtuple("Pair", ["left", "right"])):
    __slots__ = ()


SHARED = [1, [2]]
NAN = struct.unpack("d", struct.pack("Q", 0x7FF8_0000_0000_1234))[0]
VALUES: list[Any] = [
    *(None, True, 0, -1, 2**100, 1.5, -0.0, float("inf"), NAN, "", "\udc80ä", b""),
    *(b"x" * 3000, (), (1, (2,)), [], [[]], {}, {"a": {1: b"c"}}, {1, 2}),
    *(frozenset({"a"}), slice(1, None), range(0, 9, 2), complex(0.0, -0.0), ...),
    *(torch.float32, torch.bfloat16, torch.strided, torch.sparse_csr),
    *(torch.channels_last, torch.device("cpu"), torch.device("cuda", 1)),
    *(torch.Size([1, 2]), torch.Size([]), torch.per_tensor_affine),
    *(immutable_list([1, [2]]), immutable_dict({"a": 1})),
    *(Shard(1), Replicate(), Partial("sum"), _StridedShard(0, split_factor=2)),
    *(torch.relu, operator.add, torch.Size),
]
ALLOWED: list[Any] = [Level.LOW, Level.HIGH, Pair, json.dumps]
POLICY = DecodePolicy(modules=frozenset({__name__, "json"}))


def cache(consts: object, path: Path, protocol: int) -> Pickled:
    """A program in a pickle in a pickle, as vLLM nests them."""
    code = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    state = {"execution_code": code, "submod_names": ["a"], "consts": consts}
    inner = pickle.dumps(state, protocol)
    path.write_bytes(pickle.dumps({"compiled_fn": inner}, protocol))
    [found], _ = read_pickled(str(path), Limits())
    assert (found.code, found.names) == (code, ("a",))
    return found


@pytest.mark.parametrize("protocol", [4, 5])
def test_constants_are_what_loading_the_pickle_would_give(
    tmp_path: Path, protocol: int
) -> None:
    values = [*VALUES, *ALLOWED, SHARED, SHARED, (SHARED, SHARED[1])]
    found = cache(values, tmp_path / "model", protocol)
    made = remake(found.consts or (), POLICY)
    assert_same(made, pickle.loads(pickle.dumps(values)))
    assert made[-3] is made[-2] is made[-1][0] and made[-1][1] is made[-2][1]


def test_old_protocols_are_read_as_well(tmp_path: Path) -> None:
    values = [v for v in VALUES if type(v) not in (torch.memory_format, bytes)]
    for protocol in (2, 3):
        found = cache(values, tmp_path / "model", protocol)
        assert_same(remake(found.consts or (), DecodePolicy()), values)


def test_what_rebuilds_a_call_is_made(tmp_path: Path) -> None:
    values = [
        operator.methodcaller("abs"),
        functools.partial(torch.add, alpha=2),
        functools.partial(tuple.__new__, Pair),
    ]
    found = cache(values, tmp_path / "model", 4)
    method, partial, rebuild = remake(found.consts or (), POLICY)
    assert_same(method(torch.tensor(-3)), torch.tensor(3))
    assert (partial.func, partial.keywords) == (torch.add, {"alpha": 2})
    assert rebuild((1, 2)) == Pair(1, 2) and type(rebuild((1, 2))) is Pair


class Other:
    def __init__(self) -> None:
        self.field = 1


@pytest.mark.parametrize(
    "value",
    [
        Pair(1, 2),
        Pair,
        json.dumps,
        Other(),
        Other,
        torch.ones(2),
        torch.nn.Linear(1, 1),
        collections.OrderedDict(a=1),
        collections.defaultdict(list),
        bytearray(b"x"),
        io.BytesIO(b"x"),
        functools.partial(torch.add, 1, **{"alpha": Other}),
        print,
        eval,
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_refused_with_its_slot(value: object, tmp_path: Path) -> None:
    found = cache([1, [value]], tmp_path / "model", 4)
    with pytest.raises(ArtifactError) as caught:
        remake(found.consts or (), DecodePolicy(), "model")
    assert caught.value.field == "consts[1]"
    assert str(caught.value).startswith("model: consts[1]: ")


HOSTILE = {
    "os.system": touch(),
    "a listed name, called": call(glob("torch", "load"), text(CANARY)),
    "a class by its name": glob("os", "system"),
    "getattr": call(glob("builtins", "getattr"), glob("os", "path"), text("os")),
    "a dunder": call(glob("builtins", "getattr"), glob("builtins", "dict"), text("__new__")),
    "bytes without end": call(glob("builtins", "bytes"), b"\x8a\x06\xff\xff\xff\xff\xff\x00"),
    "a set without end": call(
        glob("builtins", "set"),
        call(glob("builtins", "range"), b"\x8a\x06\xff\xff\xff\xff\xff\x00"),
    ),
    "a size without end": call(
        glob("torch", "Size"),
        call(glob("builtins", "range"), b"\x8a\x06\xff\xff\xff\xff\xff\x00"),
    ),
    "a list that contains itself": b"]\x94h\x00a",
    "nested": b"]" * 5000 + b"a" * 4999,
    "an unhashable key": b"}]K\x01s",
    "a device that is none": call(glob("torch", "device"), text("nothing")),
    "a persistent id": text("x") + b"Q",
    "keywords": glob("torch", "device") + b")}\x92",
    "a state on a list": b"]}b",
    "a partial of a string": call(glob("functools", "partial"), text("x")),
    "a placement of text": glob("torch.distributed.tensor.placement_types", "Shard")
    + b")\x81}" + text("dim") + text(TOUCH) + b"sb",
}  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_nothing_of_a_hostile_pickle_happens(
    body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    head = text("execution_code") + text(code) + text("submod_names") + b"]"
    data = b"\x80\x04}(" + head + text("consts") + b"](" + body + b"eu."
    Path("model").write_bytes(data)
    programs, _ = read_pickled("model", Limits())
    remake([1], DecodePolicy())
    for program in programs:
        with nothing_happens(), pytest.raises(ArtifactError) as caught:
            remake(program.consts or (), DecodePolicy())
        assert caught.value.field == "consts[0]"
    assert programs or body.startswith((b"]", b"}"))
    assert not Path(CANARY).exists()


def test_what_is_shared_again_and_again_does_not_take_for_ever(tmp_path: Path) -> None:
    value: Any = ("x",)
    for _ in range(50):
        value = (value, value)
    found = cache([{"key": value}, value], tmp_path / "model", 4)
    with pytest.raises(ArtifactError, match="too many parts"):
        remake(found.consts or (), DecodePolicy())


def test_no_member_of_an_enumeration_is_made_by_calling_it(tmp_path: Path) -> None:
    class_name = glob(__name__, "Level")
    for argument in (text("middle"), b"K\x03", b"G?\xf0\0\0\0\0\0\0", b"\x88"):
        body = b"\x80\x04](" + call(class_name, argument) + b"e."
        data = b"\x80\x04}(" + text("execution_code") + text("x") + text("submod_names")
        data += b"]" + text("consts") + body[2:-1] + b"u."
        (tmp_path / "model").write_bytes(data)
        [found], _ = read_pickled(str(tmp_path / "model"), Limits())
        with pytest.raises(ArtifactError, match="no member of that value"):
            remake(found.consts or (), POLICY)
