"""Dropout that is off returns its input, in whatever order graphs are looked at."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from support.graphs import graph, module
from torch import fx

import astgen
from astgen.provenance import read_provenance
from astgen.provenance.passing import returned

X = torch.ones(4)


def called(target: Any, *args: Any, **kwargs: Any) -> fx.Node:
    gm = graph(lambda g, x: g.call_function(target, (x, *args), kwargs), "x")
    (node,) = gm.graph.find_nodes(op="call_function", target=target)
    return node


OFF = [
    called(F.dropout, 0.5, False),
    called(F.dropout, 0.0),
    called(F.dropout, p=0.5, training=False),
    called(torch.dropout, 0.5, False),
    called(torch.ops.aten.dropout.default, 0.5, train=False),
    called(F.dropout2d, training=False),
    called(F.alpha_dropout, 0.5),
]
ON = [
    called(F.dropout, 0.5),
    called(F.dropout),
    called(torch.dropout, 0.5, True),
    called(F.alpha_dropout, 0.5, True),
    called(F.relu, False),
]


@pytest.mark.parametrize("node", [*OFF, *ON], ids=str)
def test_what_returns_its_input_does_so_when_it_runs(node: fx.Node) -> None:
    image = torch.randn(2, 3, 4, 4)
    args, kwargs = (image, *node.args[1:]), node.kwargs
    made = node.target(*args, **kwargs)  # type: ignore[operator]
    same = made.untyped_storage()._cdata == image.untyped_storage()._cdata
    assert (returned(node) is not None) == same == (node in OFF)


def dropping() -> fx.GraphModule:
    return graph(lambda g, x: g.call_function(F.dropout, (x, 0.5, False)), "x")


def test_what_is_passed_on_again_and_again_is_one_storage() -> None:
    """Each example value has memory of its own, as those of fake tensors have."""
    children = {f"drop_{number}": dropping() for number in range(4)}

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        for name in children:
            x = g.call_module(name, (x,))
        return g.call_function(torch.sin, (x,))

    gm = graph(body, "x", root=module(**children))
    values = [X.clone() for _ in range(6)]
    calls = [node for node in gm.graph.nodes if node.op != "output"]
    for node, value in zip(calls, values):
        node.meta["val"] = value
    for child, given, made in zip(children.values(), values, values[1:]):
        x, drop, _ = child.graph.nodes
        x.meta["val"], drop.meta["val"] = given, made
    document = astgen.generate(gm, provenance=True).provenance
    assert document is not None
    entry = read_provenance(document).functions["execution_fn"]
    found = [one.value.storages for one in entry.statements if one and one.value]
    assert len(found) == 5
    assert {*found[:4]} == {entry.parameters["x"].storages}
    assert found[4] not in found[:4]
