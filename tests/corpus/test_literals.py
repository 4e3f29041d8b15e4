"""Numbers, strings of bytes and the types whose `repr` does not lead back to them."""

from __future__ import annotations

import decimal
import fractions
import math
import struct
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx

from support.graphs import carry, graph, tensor
from support.labels import label
from support.running import run_graph
from support.things import AngleFloat, LyingInt, NoisyBytes, NoisyStr

NEGATIVE_NAN = struct.unpack(">d", bytes.fromhex("fff8000000000000"))[0]
NAN_WITH_PAYLOAD = struct.unpack(">d", bytes.fromhex("7ff8000000000123"))[0]


def test_infinite_bounds_reach_the_operator() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.clamp, (x, float("-inf"), float("inf")))

    run_graph(graph(body, "x"), tensor(1, 2))


def test_nan_reaches_the_operator() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.full_like, (x, float("nan")))

    run_graph(graph(body, "x"), tensor(1, 2))


@pytest.mark.parametrize(
    "value",
    [
        -0.0,
        [0.0, -0.0, 0, False],
        5e-324,
        -5e-324,
        2.2250738585072011e-308,
        sys.float_info.max,
        -sys.float_info.max,
        1e16,
        1e22,
        1.5e300,
        0.1 + 0.2,
        1e-7,
        NEGATIVE_NAN,
        NAN_WITH_PAYLOAD,
        [math.nan, NEGATIVE_NAN, NAN_WITH_PAYLOAD, -NAN_WITH_PAYLOAD],
        [math.inf, -math.inf, math.inf],
    ],
)
def test_every_float_keeps_its_bits(value: Any) -> None:
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        complex(1.0, math.inf),
        complex(math.nan, 2.0),
        complex(0, math.nan),
        complex(-0.0, -0.0),
        complex(0.0, -0.0),
        [complex(0, 0.0), complex(0, -0.0), complex(-0.0, 0.0)],
        complex(NEGATIVE_NAN, -math.inf),
        -1j,
        1e400j,
    ],
)
def test_every_complex_keeps_its_bits(value: Any) -> None:
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        10**5000 + 7,
        -(10**5000) - 7,
        10**639,
        10**640,
        10**641 - 1,
        -(10**640),
        2**63,
        -(2**63),
        2**64 - 1,
        -1,
        0,
    ],
    ids=lambda value: f"{value.bit_length()} bits",
)
def test_every_int_keeps_its_value(value: int) -> None:
    run_graph(carry(value), tensor(1))


def test_booleans_are_not_numbers() -> None:
    run_graph(carry(True, 1, 1.0, False, 0, [0.0], (True, 1)), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        torch.bfloat16,
        torch.float8_e4m3fn,
        torch.strided,
        torch.sparse_coo,
        torch.channels_last,
        torch.device("cpu"),
        torch.device("cuda", 1),
        torch.device("meta"),
        [torch.device("cuda"), torch.device("cuda:0")],
        torch.per_tensor_affine,
        torch.Size([2, 3]),
        torch.finfo(torch.float16),
        torch.iinfo(torch.int8),
    ],
    ids=label,
)
def test_values_of_torch_are_lifted(value: Any) -> None:
    # A finfo cannot be pickled; stock code could not cache it either.
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        b"\x00'\"\\\xff\n",
        b"",
        b"'",
        b'"',
        b"\"'",
        bytearray(b"q'\""),
        bytes(range(256)),
    ],
)
def test_every_byte_survives(value: Any) -> None:
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        np.float64(1.5),
        np.float64("nan"),
        np.float32(0.1),
        np.int64(7),
        np.bool_(True),
        np.str_("text"),
        np.complex128(1 - 2j),
        np.datetime64("2020-01-01"),
        np.array([[1, 2], [3, 4]], dtype=np.int8),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numpy_values_keep_their_type(value: Any) -> None:
    run_graph(carry(value), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        decimal.Decimal("1.10"),
        decimal.Decimal("-0"),
        decimal.Decimal("Infinity"),
        fractions.Fraction(1, 3),
        memoryview(b"ab"),
        NotImplemented,
        Ellipsis,
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_of_the_standard_library(value: Any) -> None:
    run_graph(carry(value, [value]), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        AngleFloat(1.5),
        AngleFloat(math.inf),
        LyingInt(7),
        NoisyStr("text"),
        NoisyBytes(b"text"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_subclasses_are_not_mistaken_for_what_they_print(value: Any) -> None:
    run_graph(carry(value, [value], (value,), {"k": value}, {value: 1}), tensor(1))


def test_an_index_of_a_subclass_of_int_indexes_by_its_value() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.Tensor.__getitem__, (x, LyingInt(1)))

    run_graph(graph(body, "x"), tensor(10, 11, 12))


def test_zeros_of_both_signs_and_all_types_stay_apart() -> None:
    zeros = complex(0.0, 0.0), complex(0.0, -0.0), complex(-0.0, 0.0)
    program = run_graph(carry(0.0, -0.0, 0, False, *zeros, *zeros), tensor(1))
    assert len(program.consts[1:]) == len(zeros)
