"""Names of operators, as options and as targets of nodes."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import fx

from astgen.backend.operators import resolve_operators
from astgen.errors import BackendError

aten = torch.ops.aten


@pytest.fixture(scope="module", autouse=True)
def double() -> Any:
    """An operator of a namespace that is not torch's."""

    def register() -> Any:
        @torch.library.custom_op("astgen_backend_test::double", mutates_args=())
        def double(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        return double

    return register()


def matching(name: str, *targets: Any) -> list[Any]:
    """Those of `targets` that nodes are split at; a str is a method."""
    ops = resolve_operators([name])
    graph = fx.Graph()
    x = graph.placeholder("x")
    ops_and_nodes = [
        (
            target,
            graph.create_node(
                "call_method" if isinstance(target, str) else "call_function",
                target,
                (x,),
            ),
        )
        for target in targets
    ]
    return [target for target, node in ops_and_nodes if ops.matches(node)]


RELUS = (torch.relu, F.relu, aten.relu, aten.relu.default, aten.relu.out, "relu")
OTHERS = (torch.add, aten.add.Tensor, aten.add.out, aten.add, "add", "sigmoid")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("relu", list(RELUS)),
        ("aten::relu", [torch.relu, *RELUS[2:]]),
        ("torch.ops.aten.relu", [torch.relu, *RELUS[2:]]),
        ("aten::relu.default", [aten.relu.default]),
        ("torch.ops.aten.relu.default", [aten.relu.default]),
        ("aten::add.Tensor", [aten.add.Tensor]),
        ("torch.nn.functional.relu", [F.relu]),
        ("torch.Tensor.relu", ["relu"]),
    ],
)
def test_a_name_stands_for(name, expected):
    assert matching(name, *RELUS, *OTHERS) == expected


def test_a_function_has_several_paths():
    attention = F.scaled_dot_product_attention
    for path in ("torch.nn.functional", "torch._C._nn"):
        name = f"{path}.scaled_dot_product_attention"
        assert matching(name, attention, F.softmax) == [attention]


def test_aten_attention_is_the_function_that_dynamo_records():
    attention = F.scaled_dot_product_attention
    assert matching("aten::scaled_dot_product_attention", attention) == [attention]


def test_operators_of_other_namespaces_are_found(double):
    packet = torch.ops.astgen_backend_test.double
    for name in ("astgen_backend_test::double", "double"):
        assert matching(name, packet, packet.default) == [packet, packet.default]
    # A packet with one overload can only call that one.
    name = "astgen_backend_test::double.default"
    assert matching(name, packet, packet.default) == [packet, packet.default]


def test_a_python_function_is_named_by_its_module(double, monkeypatch):
    module = types.ModuleType("astgen_backend_test_module")
    module.attention, module.double = _attention, double
    monkeypatch.setitem(sys.modules, module.__name__, module)
    name = f"{module.__name__}.attention"
    assert matching(name, _attention, F.relu) == [_attention]
    packet = torch.ops.astgen_backend_test.double
    assert matching(f"{module.__name__}.double", packet.default) == [packet.default]


def test_higher_order_operators_are_found():
    cond = torch.ops.higher_order.cond
    for name in ("cond", "torch.ops.higher_order.cond"):
        assert matching(name, cond, torch.relu) == [cond]


def test_several_names_are_taken_together():
    ops = resolve_operators(["aten::relu.default", "torch.Tensor.add"])
    assert ops.overloads == {"aten::relu.default"} and ops.methods == {"add"}


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("scaled_dot_product_attentoin", "'scaled_dot_product_attention'"),
        ("aten::scaled_dot_product_atention", "'aten::scaled_dot_product_attention'"),
        ("aten::add.Tensr", "'aten::add.Tensor'"),
        ("torch.nn.functional.softmx", "'torch.nn.functional.softmax'"),
        ("torch.ops.aten.relux", "'aten::relu'"),
        ("astgen_backend_test::duoble", "'astgen_backend_test::double'"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_nearest(name, nearest):
    with pytest.raises(BackendError) as caught:
        resolve_operators(["relu", name])
    message = str(caught.value)
    assert f"no operator is called {name!r}" in message
    assert f"nearest: {nearest}" in message
    assert "accepted are a registered operator" in message


@pytest.mark.parametrize(
    "name", ["", "relu relu", "a..b", "torch", "torch.nn.Linear", "no_module.f"]
)
def test_a_name_of_no_operator_is_refused(name):
    with pytest.raises(BackendError, match="no operator is called"):
        resolve_operators([name])


def test_a_name_imports_nothing():
    with pytest.raises(BackendError):
        resolve_operators(["antigravity.geohash"])
    assert "antigravity" not in sys.modules


def _attention(x: torch.Tensor) -> torch.Tensor:
    return x
