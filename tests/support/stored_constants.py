"""Constants to store: one of each kind, and random ones; and what being the same is."""

from __future__ import annotations

import collections
import functools
import math
import operator
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
import torch.utils._pytree as pytree
from hypothesis import strategies as st
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import _StridedShard
from torch.fx import _pytree as fx_pytree
from torch.fx.immutable_collections import immutable_dict, immutable_list

from astgen.emit.resolve import ByName
from astgen.store.codec import DecodePolicy
from support import things
from support.compare import assert_same

__all__ = ["POLICY", "SAMPLES", "assert_stored_alike", "tensors", "values"]

POLICY = DecodePolicy(
    modules=frozenset({things.__name__, "builtins:getattr", "operator:call"}),
    attributes=frozenset({"logits", "tofile"}),
    namespaces=frozenset({"astgen_tests"}),
)
"""What it takes to load all of them."""

_READERS = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def assert_stored_alike(actual: Any, expected: Any, where: str = "constant") -> None:
    """Like `assert_same`, for what it does not look into as well."""
    assert type(actual) is type(expected), where
    if type(expected) is functools.partial:
        assert vars(actual) == vars(expected), where
        assert_stored_alike(actual.func, expected.func, where)
        assert_stored_alike(
            (actual.args, actual.keywords), (expected.args, expected.keywords), where
        )
    elif type(expected) in _READERS:
        one, other = actual.__reduce__(), expected.__reduce__()
        if isinstance(other[0], functools.partial):
            assert_stored_alike(one[0], other[0], where)
        assert_same(one[1], other[1], where)
    elif isinstance(expected, torch.Tensor):
        _assert_same_tensor(actual, expected, where)
    elif isinstance(expected, slice):
        assert_stored_alike(_bounds(actual), _bounds(expected), where)
    elif isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected), where
        for place, (one, other) in enumerate(zip(actual, expected)):
            assert_stored_alike(one, other, f"{where}[{place}]")
    elif type(expected) in (dict, immutable_dict, collections.OrderedDict):
        assert_stored_alike(list(actual.items()), list(expected.items()), where)
    elif type(expected) in (set, frozenset, collections.deque):
        assert_same(sorted(map(_key, actual)), sorted(map(_key, expected)), where)
        assert getattr(actual, "maxlen", 0) == getattr(expected, "maxlen", 0), where
    elif type(expected) is collections.defaultdict:
        assert actual.default_factory is expected.default_factory, where
        assert_stored_alike(dict(actual), dict(expected), where)
    elif isinstance(expected, np.ndarray):
        assert_same(actual, expected, where)
        assert actual.flags.writeable == expected.flags.writeable, where
        assert actual.flags.c_contiguous == expected.flags.c_contiguous, where
        assert actual.flags.f_contiguous == expected.flags.f_contiguous, where
    else:
        assert_same(actual, expected, where)


def _bounds(value: slice) -> tuple[Any, ...]:
    return value.start, value.stop, value.step


def _key(value: Any) -> str:
    """Text that tells items of sets apart, down to the bits of fractions."""
    if type(value) is tuple:
        return f"({','.join(map(_key, value))})"
    if type(value) is frozenset:
        return f"{{{','.join(sorted(map(_key, value)))}}}"
    if type(value) is complex:
        return f"complex {struct.pack('dd', value.real, value.imag).hex()}"
    if type(value) is float:
        return f"float {struct.pack('d', value).hex()}"
    return f"{type(value)} {value!r}"


def _assert_same_tensor(one: torch.Tensor, other: torch.Tensor, where: str) -> None:
    for name in ("is_conj", "is_neg", "storage_offset"):
        assert getattr(one, name)() == getattr(other, name)(), f"{where}: {name}"
    assert one.untyped_storage().nbytes() == other.untyped_storage().nbytes(), where
    buffers = [getattr(item, "_is_buffer", False) for item in (one, other)]
    assert buffers[0] == buffers[1], where
    if other.device.type == "meta":
        facts = [(t.dtype, t.shape, t.stride(), t.device) for t in (one, other)]
        assert facts[0] == facts[1], where
    else:
        assert_same(one, other, where)


def _nan(bits: int) -> float:
    value: float = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    return value


def _samples() -> dict[str, Any]:
    return {**_plain_samples(), **_torch_samples(), **_class_samples()}


def _plain_samples() -> dict[str, Any]:
    shared = [1, 2]
    return {
        "none": None,
        "bool": (True, False),
        "int": (0, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**4000 + 7),
        "float": (0.0, -0.0, 1.5, 5e-324, 1.7976931348623157e308),
        "special floats": (math.inf, -math.inf, math.nan, _nan(0xFFF8000000000001)),
        "complex": (3j, complex(math.nan, -0.0), complex(-0.0, math.inf)),
        "str": ("", "x", "é😀", "\ud83d\ude00", "\udfff", "\x00'\"\\\n{}[]"),
        "bytes": (b"", b"\x00\xff", b"a" * 256, b"a" * 257),
        "bytearray": bytearray(b"q"),
        "singletons": (..., NotImplemented),
        "slice": (slice(None), slice(1, 2.0, shared)),
        "range": (range(3), range(5, -5, -2), range(2**70)),
        "list": [shared, shared, [shared]],
        "dict": {"b": 1, "a": shared, 3: {(1, "x"): None}},
        "fx": immutable_dict({"a": immutable_list([1, immutable_list()])}),
        "ordered": collections.OrderedDict(b=1, a=2),
        "default": collections.defaultdict(list, {1: [2]}),
        "deque": (collections.deque([1, 2], 5), collections.deque("ab")),
        "set": {1, "a", 2.5, None, torch.float32, (1, frozenset({"x"}))},
        "frozenset": frozenset({"b", "a", things.Colour.RED, b"x", -0.0}),
        "scalars": (np.float64(1.5), np.int32(-3), np.bool_(True), np.complex64(1j)),
        "array": np.arange(6, dtype=">i4").reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(200.0).reshape(2, 100)),
        "odd arrays": (np.array(3), np.zeros((0, 3)), np.frombuffer(b"ab", "u1")),
        "numpy dtype": (np.dtype("f4"), np.dtype(">i8")),
    }


def _torch_samples() -> dict[str, Any]:
    t = torch.arange(6.0).view(2, 3)
    complex_ = torch.tensor([1 + 2j, 3 - 4j])
    return {
        "size": (torch.Size([]), torch.Size([1, -2, 2**40])),
        "dtype": (torch.bfloat16, torch.float8_e4m3fn, torch.quint8),
        "device": (torch.device("cpu"), torch.device("cuda", 1), torch.device("meta")),
        "torch": (torch.strided, torch.channels_last, torch.per_tensor_affine),
        "limits": (torch.finfo(torch.bfloat16), torch.iinfo(torch.int8)),
        "tensor": t,
        "views": (t[1], t.t(), t[:, ::2], t.expand(4, 2, 3), t.view(torch.int32)),
        "small tensors": (torch.tensor(3), torch.empty(0, 3), torch.tensor([])),
        "lazy": (complex_.conj(), complex_.conj().imag, torch._neg_view(t)),
        "meta": torch.empty(3, 4, device="meta").t(),
        "parameter": torch.nn.Parameter(torch.ones(2), requires_grad=False),
        "trained": torch.nn.Parameter(torch.ones(2)),
        "leaf": torch.ones(2, requires_grad=True),
        "buffers": [torch.nn.Buffer(t, persistent=keep) for keep in (True, False)],
        "return type": torch.max(t, 0),
        "operators": (torch.ops.aten.add.Tensor, torch.ops.aten.add),
        "odd operators": (
            torch.ops.astgen_tests.op,
            torch.ops.astgen_tests.op.default,
            ByName(torch, "ops.astgen_tests.op.default"),
        ),
        "higher order": torch.ops.higher_order.cond,
        "by name": ByName(torch, "ops.aten.random_.from"),
        "descriptor": ByName(torch.Tensor, "shape.__get__"),
        "method": (torch.Tensor.add, torch._C.TensorBase.__getitem__, int.__add__),
        "own method": (str.upper, list.append, set.union, float.hex, range.count),
        "written method": (torch.Tensor.__rsub__, torch.Tensor.__pow__),
        "placements": (Shard(1), Replicate(), Partial("max"), Shard(-1)),
        "strided": _StridedShard(0, split_factor=2),
        "reduction": dist.ReduceOp.SUM,
        "generator": torch.Generator().manual_seed(3),
        "default generator": torch.default_generator,
        "leaf spec": pytree.tree_structure(0),
        "spec": pytree.tree_structure(
            (
                {"a": [1, (2,)], 3: things.Pair(1, 2)},
                collections.OrderedDict(x=1),
                collections.defaultdict(list, {1: 2}),
                collections.deque([1], 3),
                immutable_list([1]),
            )
        ),
    }


def _named(value: Any) -> Any:
    value.__name__ = "add_one"
    return value


def _class_samples() -> dict[str, Any]:
    shared = [1, 2]
    return {
        "enum": (things.Colour.BLUE, things.Level.HIGH, things.Word.YES),
        "odd enum": (things.BareWord.X, getattr(things.NamesInside, "a b")),
        "flags": (things.Permission(0), things.Permission(3), things.Bits(3)),
        "namedtuple": things.Pair(things.WithDefault(shared), shared),
        "dataclass": things.Config(1, "n"),
        "subclasses": (things.LyingInt(7), things.NoisyStr("a"), things.AngleFloat(2)),
        "more of them": (things.NoisyBytes(b"z"), things.ShortPath(1, 2)),
        "function": (math.floor, torch.relu, operator.add, things.scale, getattr),
        "nested function": (things.Static.triple, things.Static.scaled),
        "autograd": things.Doubler.apply,
        "class": (dict, collections.OrderedDict, things.Config, np.float32),
        "getter": operator.attrgetter("shape", "real.dtype", "logits"),
        "methodcaller": operator.methodcaller("add", 1, alpha=2.5),
        "bare methodcaller": operator.methodcaller("tofile"),
        "itemgetter": operator.itemgetter(1, slice(2)),
        "caller": getattr(operator, "call", things.scale),
        "partial": functools.partial(torch.add, shared, alpha=2),
        "named partial": _named(functools.partial(torch.add, 1)),
        "partial of a partial": functools.partial(
            _named(functools.partial(torch.add, 1)), alpha=3
        ),
        "maker": functools.partial(tuple.__new__, things.Pair),
        "pytree functions": (fx_pytree.tree_flatten_spec, pytree.tree_unflatten),
    }


SAMPLES: dict[str, Any] = _samples()
"""At least one constant of each kind."""

_FLOATS = st.floats() | st.integers(0, 2**64 - 1).map(_nan)
_KEYS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | _FLOATS
    | st.text(st.characters())
    | st.binary(max_size=8)
    | st.complex_numbers()
    | st.sampled_from([torch.float32, things.Colour.RED, things.Level.LOW, ...]),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
_DTYPES = [
    *(torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16),
    *(torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
    *(torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint64),
]


@st.composite
def tensors(draw: Callable[..., Any]) -> torch.Tensor:
    """Tensors of any bits, dtype, strides and offset."""
    dtype = draw(st.sampled_from(_DTYPES))
    shape = draw(st.lists(st.integers(0, 3), max_size=4))
    count = len(shape)
    stride = draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    offset = draw(st.integers(0, 5))
    last = offset + sum(max(n - 1, 0) * step for n, step in zip(shape, stride))
    size = (last + 1) * dtype.itemsize + draw(st.integers(0, 9))
    raw = bytearray(draw(st.binary(min_size=size, max_size=size)))
    if dtype is torch.bool:
        raw = bytearray(byte & 1 for byte in raw)
    storage = torch.frombuffer(raw, dtype=torch.uint8).clone().untyped_storage()
    made = torch.empty(0, dtype=dtype).set_(storage, offset, shape, stride)
    if dtype.is_complex and draw(st.booleans()):
        made = made.conj()
    if dtype.is_floating_point and draw(st.booleans()):
        made = torch.nn.Parameter(made, requires_grad=draw(st.booleans()))
    return made


def _array(made: tuple[str, int, bool]) -> Any:
    kind, count, fortran = made
    plain = np.arange(count * 2).reshape(2, count).astype(kind)
    return np.array(plain, order="F" if fortran else "C")


def values() -> st.SearchStrategy[Any]:
    """Constants of all kinds, nested, with objects that occur more than once."""
    kinds = ["<f4", ">f8", "<i2", ">u4", "|b1", "<c8", "|u1", "<f2"]
    leaves = (
        _KEYS
        | tensors()
        | st.tuples(st.sampled_from(kinds), st.integers(0, 40), st.booleans()).map(
            _array
        )
        | st.sampled_from(sorted(SAMPLES)).map(lambda name: SAMPLES[name])
        | st.binary(max_size=400).map(bytearray)
        | st.builds(things.Config, st.integers(), st.text())
        | st.builds(things.LyingInt, st.integers())
        | st.builds(things.AngleFloat, _FLOATS)
        | st.builds(things.Permission, st.integers(0, 7))
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | inner.map(lambda value: [value, (value,), value])
        | st.dictionaries(_KEYS, inner, max_size=3)
        | st.builds(things.Pair, inner, inner)
        | st.builds(slice, inner, inner, inner)
        | st.sets(_KEYS, max_size=4)
        | st.frozensets(_KEYS, max_size=4),
        max_leaves=8,
    )
