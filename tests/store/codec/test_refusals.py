"""What cannot be stored is refused with its slot, its place, the reason, a way out."""

from __future__ import annotations

import functools
import operator
import socket
import sys
import types
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx

import astgen
from astgen.emit.resolve import ByName, WholeModule
from astgen.errors import AstgenError, ConstantError
from astgen.store.codec import check_portable, dumps, encode
from astgen.store.codec.core import MAX_DEPTH
from support import things


class Subclass(torch.Tensor):
    pass


def cycle() -> list[Any]:
    made: list[Any] = []
    made.append((made,))
    return made


def nested(depth: int) -> Any:
    made: Any = 1
    for _ in range(depth):
        made = [made]
    return made


def overlapping() -> list[Any]:
    base = np.arange(4.0)
    return [base[:2], base[2:]]


def shared_with_a_tensor() -> list[Any]:
    base = np.arange(4.0)
    return [base, torch.from_numpy(base)]


def whole() -> WholeModule:
    return WholeModule(fx.symbolic_trace(torch.nn.Identity()))


def node() -> fx.Node:
    return fx.Graph().placeholder("x")


def symint() -> Any:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    return ShapeEnv().create_unbacked_symint()


def fake() -> torch.Tensor:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.ones(2)


ONES = torch.ones(2, 2)
CASES: dict[str, tuple[Any, str, str]] = {
    "lambda": (lambda: None, "<lambda>", "top level"),
    "local function": (nested(0) or cycle, "", ""),
    "bound method": ([].append, "", ""),
    "method of an object": (things.Live().__len__, "", "top level"),
    "object": (things.Touchy(), "nothing says how", "register_constant"),
    "socket": (socket.socket, "", ""),
    "module": (sys, "a whole module", "what is needed"),
    "nn.Module": (torch.nn.Linear(1, 1), "a module", "make it a piece"),
    "whole module": (whole(), "hooks", "make it a piece"),
    "node": (node(), "trace", "finish tracing"),
    "symbol": (symint(), "not known before", "an input"),
    "cycle": (cycle(), "contains itself", "take the cycle apart"),
    "deep": (nested(1_000_000), "deeper than", "flatten it"),
    "subclass": (ONES.as_subclass(Subclass), "subclass of Tensor", "an input"),
    "fake": (fake(), "subclass of Tensor", "an input"),
    "sparse": (ONES.to_sparse(), "layout", "to_dense()"),
    "csr": (ONES.to_sparse_csr(), "layout", "to_dense()"),
    "mkldnn": (ONES.to_mkldnn(), "layout", "to_dense()"),
    "computed": (ONES.clone().requires_grad_() * 2, "with gradients", "detach()"),
    "key": ({things.Config(1, "n"): 1}, "code of its own", "use text"),
    "item": ({ONES}, "by its address", "use text"),
    "long double": (np.longdouble(1), "its type", "a fixed size"),
    "objects": (np.array([None]), "its type", "a fixed size"),
    "fields": (np.zeros(2, "i4,f4"), "its type", "a fixed size"),
    "time": (np.datetime64("2020"), "its type", "a fixed size"),
    "masked": (np.ma.masked_array([1.0]), "nothing says how", "register_constant"),
    "gap": (np.arange(6.0)[::2], "leaves items out", "copy()"),
    "not its own": (np.asarray(bytearray(4)), "", ""),
    "two arrays": (overlapping(), "shares memory", "copy()"),
    "array and tensor": (shared_with_a_tensor(), "shares memory", "clone()"),
    "operator that is not listed": (
        torch.ops.aten.from_file.default,
        "not on the list",
        "a function of your own",
    ),
    "operator by name": (
        ByName(torch, "ops.aten.from_file.default"),
        "not on the list",
        "a function of your own",
    ),
    "operator by a name that leads elsewhere": (
        ByName(torch, "ops.astgen_tests.overloads.op"),
        "is none",
        "rename",
    ),
    "function by name": (ByName(torch, "load"), "no operator", "the object itself"),
    "dunder": (operator.attrgetter("__class__"), "__class__", "of your own"),
    "dunder inside": (operator.attrgetter("a.__dict__"), "__dict__", "of your own"),
    "dunder method": (operator.methodcaller("__reduce__"), "__reduce__", "of your own"),
    "method that is not listed": (str.format, "not on the list", "of your own"),
    "partial with attributes": (functools.partial(dict), "", ""),
    "code": (cycle.__code__, "nothing says how", "register_constant"),
    "proxy": (types.MappingProxyType({}), "nothing says how", "register_constant"),
}


CASES["partial with attributes"][0].extra = 1
STORED = {"local function", "socket", "not its own"}
"""These are fine: a function of a module, a class by name, an array of its own."""


@pytest.mark.parametrize("name", [name for name in CASES if name not in STORED])
def test_it_is_refused_with_its_place_and_a_way_out(name: str) -> None:
    value, reason, way_out = CASES[name]
    with pytest.raises(ConstantError) as caught:
        encode([1, value])
    error = caught.value
    assert error.slot == 1 and reason in error.reason and way_out in error.way_out
    assert str(error).startswith(f"constant 1{error.field}: a {error.type_name} ")
    assert isinstance(error, AstgenError)
    _, answer = check_portable([1, value])
    assert (answer.status, answer.field) == ("not storable", error.field)
    assert answer.type_name == error.type_name


def test_the_way_to_what_is_to_blame_is_told() -> None:
    value = {"a": [things.Pair((1, things.Touchy()), 2)]}
    with pytest.raises(ConstantError) as caught:
        encode([value])
    assert caught.value.field == "['a'][0][0][1]"
    assert eval("value" + caught.value.field) is value["a"][0].left[1]


def test_the_deepest_nesting_that_is_stored() -> None:
    assert dumps(encode([nested(MAX_DEPTH)]).document)
    with pytest.raises(ConstantError):
        encode([nested(MAX_DEPTH + 1)])


def test_very_many_values_are_refused() -> None:
    with pytest.raises(ConstantError, match="more than 1048576 values; pass large"):
        encode([[0] * (1 << 20)])


def test_a_deep_stack_is_no_recursion_error() -> None:
    def below(depth: int) -> None:
        if depth:
            below(depth - 1)
        else:
            encode([nested(MAX_DEPTH)])

    with pytest.raises(ConstantError, match="call stack"):
        for depth in range(100, 1000, 50):
            below(depth)


def test_the_error_is_one_of_astgens() -> None:
    assert issubclass(ConstantError, astgen.AstgenError)
