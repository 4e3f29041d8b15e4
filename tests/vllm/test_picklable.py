"""Whether a constant can be pickled is told without pickling: pickle is the oracle."""

from __future__ import annotations

import collections
import enum
import functools
import operator
import pickle
import sys
import threading
import weakref
from typing import Any

import pytest
import torch
from torch.distributed.tensor import Replicate, Shard

from astgen.vllm.picklable import why_not_picklable


class Colour(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("inner",)

    def __init__(self, inner: Any) -> None:
        self.inner = inner


class Closed:
    def __reduce__(self) -> Any:
        raise NotImplementedError("not this one")


class Restored(Slotted):
    def __reduce__(self) -> Any:
        return Restored, (self.inner,)


Pair = collections.namedtuple("Pair", "left right")


def _generator() -> Any:
    yield 1


def _local() -> Any:
    class Local:
        pass

    return Local


_cycle: list[Any] = [1]
_cycle.append(_cycle)
_deep: list[Any] = []
for _ in range(150):
    _deep = [_deep]

VALUES = {
    "None": None,
    "dtype": torch.float16,
    "device": torch.device("cpu"),
    "layout": torch.strided,
    "memory format": torch.channels_last,
    "quantization scheme": torch.per_tensor_affine,
    "size": torch.Size([1, 2]),
    "slice": slice(1, None),
    "range": range(3),
    "ellipsis": ...,
    "not implemented": NotImplemented,
    "class of None": type(None),
    "class of ellipsis": type(...),
    "class": Colour,
    "member": Colour.RED,
    "namedtuple": Pair(1, torch.float32),
    "local class": _local(),
    "local object": _local()(),
    "function": torch.nn.functional.silu,
    "builtin": len,
    "method": [].append,
    "method of a tensor type": torch.Tensor.add,
    "lambda": lambda: 1,
    "lambda in a dict": {1: [lambda: 1]},
    "partial": functools.partial(len, [1]),
    "partial of a lambda": functools.partial(lambda: 1),
    "item getter": operator.itemgetter(1),
    "lock": threading.Lock(),
    "lock in a list": [threading.Lock()],
    "lock in a set": frozenset({threading.Lock()}),
    "lock in items": collections.OrderedDict(one=threading.Lock()),
    "lock in a deque": collections.deque([threading.Lock()]),
    "lock in a slot": Slotted(threading.Lock()),
    "lock in arguments": Restored(threading.Lock()),
    "slot": Slotted(1),
    "generator": _generator(),
    "reduction that fails": Closed(),
    "module": sys,
    "weak reference": weakref.ref(Colour),
    "cycle": _cycle,
    "deep": _deep,
    "overload": torch.ops.aten.add.Tensor,
    "packet": torch.ops.aten.add,
    "finfo": torch.finfo(torch.float32),
    "random generator": torch.Generator(),
    "shard": Shard(0),
    "replicate": Replicate(),
    "tensor": torch.zeros(2),
    "parameter": torch.nn.Parameter(torch.zeros(2)),
    "sparse tensor": torch.zeros(2).to_sparse(),
    "module of torch": torch.nn.Linear(1, 1),
}


@pytest.mark.parametrize("name", VALUES)
def test_as_pickle_says(name: str) -> None:
    value = VALUES[name]
    try:
        pickle.dumps(value)
    except Exception:
        assert why_not_picklable(value)
    else:
        assert why_not_picklable(value) == ""


def test_a_tensor_is_not_copied() -> None:
    def asked(*args: Any) -> Any:
        raise AssertionError("the tensor was asked for its bytes")

    value = torch.zeros(2)
    value.__reduce_ex__ = asked  # type: ignore[method-assign]
    assert why_not_picklable([value]) == ""
