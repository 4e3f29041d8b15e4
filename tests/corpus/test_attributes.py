"""What a graph reads from its module: weights, buffers, anything."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch
from torch import fx

import astgen
from astgen.errors import UnsupportedGraphError
from support.graphs import chain, finish, graph, module, tensor
from support.running import run_graph
from support.things import Colour, Config


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(tensor(2))
        self.register_buffer("buffer", tensor(3))
        self.register_buffer("temporary", tensor(4), persistent=False)
        self.sub = torch.nn.Sequential(torch.nn.Linear(1, 1))
        self.plain = {"k": 5}
        self.number = 7
        self.member = Colour.RED
        self.config = Config(1, "a")
        self.nothing = None
        self.constant = tensor(6)


def reads(*targets: str, root: torch.nn.Module) -> fx.GraphModule:
    made = fx.Graph()
    x = made.placeholder("x")
    nodes = [made.create_node("get_attr", target) for target in targets]
    return finish(made, (x, nodes), root)


def test_parameters_and_buffers() -> None:
    run_graph(
        reads("weight", "buffer", "sub.0.weight", "sub.0.bias", root=Model()),
        tensor(1),
    )


@pytest.mark.parametrize(
    "name", ["plain", "number", "member", "config", "constant", "temporary", "nothing"]
)
def test_plain_attributes(name: str) -> None:
    model = Model()
    gm = reads(name, root=model)
    setattr(gm, name, getattr(model, name))
    result = run_graph(gm, tensor(1)).compile({})(tensor(1))
    assert result[1][0] is getattr(model, name)


def test_a_weight_is_the_very_weight_and_is_never_deleted() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        weight = g.get_attr("weight")
        y = g.call_function(torch.mul, (x, weight))
        return g.call_function(torch.add, (y, y)), weight

    gm = graph(body, "x", root=Model())
    program = run_graph(gm, tensor(5))
    assert program.compile({})(tensor(5))[1] is gm.weight
    assert "del weight" not in program.code


def test_a_weight_that_is_read_twice_takes_one_slot() -> None:
    program = run_graph(reads("weight", "weight", "buffer", root=Model()), tensor(1))
    assert len(program.consts) == 2


def test_an_attribute_that_nobody_uses_is_not_read() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.get_attr("weight")
        return x

    assert run_graph(graph(body, "x", root=Model()), tensor(1)).consts == []


def test_a_buffer_that_is_changed_in_place() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        buffer = g.get_attr("buffer")
        g.call_method("add_", (buffer, x))
        return g.call_function(torch.mul, (buffer, 2))

    run_graph(graph(body, "x", root=Model()), tensor(1), calls=2)


def test_a_list_that_is_read_and_changed_is_one_list() -> None:
    root = Model()
    root.seen = []

    def body(g: fx.Graph, x: fx.Node) -> Any:
        seen = g.get_attr("seen")
        g.call_method("append", (seen, x))
        return g.call_function(len, (seen,))

    gm = graph(body, "x", root=root)
    run_graph(gm, 3, calls=3, reset=lambda: gm.seen.clear())


@pytest.mark.parametrize(
    "name", ["class", "import", "None", "a b", "x'y", "\ufb01", "__debug__", "0", ""]
)
def test_modules_of_any_name(name: str) -> None:
    root = torch.nn.Module()
    root._modules[name] = torch.nn.ReLU()
    inner = collections.OrderedDict([("seq", torch.nn.Sequential())])
    inner["seq"]._modules[name] = torch.nn.Sigmoid()
    root.seq = inner["seq"]

    def body(g: fx.Graph, x: fx.Node) -> Any:
        y = g.call_module(name, (x,))
        return g.call_module(f"seq.{name}", (y,))

    run_graph(graph(body, "x", root=root), tensor(0, -1))


def test_names_that_look_alike_in_source_are_two_modules() -> None:
    root = torch.nn.Module()
    root._modules["b\\there"] = torch.nn.ReLU()
    root._modules["b\there"] = torch.nn.Sigmoid()
    root._modules["fi"] = torch.nn.Tanh()
    root._modules["\ufb01"] = torch.nn.ELU()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        names = ("b\\there", "b\there", "fi", "\ufb01")
        return [g.call_module(name, (x,)) for name in names]

    run_graph(graph(body, "x", root=root), tensor(2, -1))


def test_an_attribute_that_is_not_there_is_refused_by_name() -> None:
    gm = chain(torch.neg)
    with gm.graph.inserting_before(gm.graph.output_node()):
        node = gm.graph.create_node("get_attr", "missing.weight")
        gm.graph.output_node().args = (node,)
    with pytest.raises(UnsupportedGraphError, match="missing.weight") as caught:
        astgen.generate(gm)
    assert caught.value.node is node


def test_a_graph_module_that_is_only_looked_at_stays_an_object() -> None:
    inner = chain(torch.neg)

    def body(g: fx.Graph, x: fx.Node) -> Any:
        child = g.get_attr("inner")
        return [g.call_function(isinstance, (child, torch.nn.Module)), x]

    run_graph(graph(body, "x", root=module(inner=inner)), tensor(1))
