"""Pieces that are no graph modules, graphs without metadata, and children in children."""

from __future__ import annotations

import operator
import threading
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support.captured import capture
from support.compare import tensors_in
from support.graphs import carry, chain, finish, graph, module
from torch import fx

import astgen
from astgen.provenance import Provenance, read_provenance
from astgen.provenance.content import content_of


class Piece(torch.nn.Module):
    """What a compiler leaves in place of a graph module, shaped as vLLM's is."""

    def __init__(self, made: Any) -> None:
        super().__init__()
        self.__dict__["graph"] = made

    def forward(self, *args: Any) -> Any:
        return self.__dict__["graph"](*args)


def told(gm: fx.GraphModule, graphs: Any = True) -> Provenance:
    plain = astgen.generate(gm)
    program = astgen.generate(gm, provenance=graphs)
    assert program.code == plain.code
    assert program.provenance is not None
    return read_provenance(program.provenance)


def holder(piece: Any, count: int = 1) -> fx.GraphModule:
    """A graph that calls a piece, and takes its results apart; nothing has metadata."""

    def body(g: fx.Graph, *given: fx.Node) -> Any:
        called = g.call_module("piece", given)
        first = g.call_function(operator.getitem, (called, 0))
        last = g.call_function(operator.getitem, (called, -1))
        return first, last

    names = [f"x{number}" for number in range(count)]
    return graph(body, *names, root=module(piece=piece))


def model(x: torch.Tensor, w: torch.Tensor) -> Any:
    y = torch.relu(x @ w)
    return y, y.view(-1), y.sum(-1)


@pytest.mark.parametrize("shape", ["child", "attribute", "mapping"])
def test_what_a_piece_returns_is_known_from_its_graph(shape: str) -> None:
    inner, inputs = capture(model, torch.ones(4, 6), torch.ones(6, 5), dynamic=False)
    graphs: Any = True
    piece: Any = inner
    if shape == "attribute":
        piece = Piece(inner)
    if shape == "mapping":
        piece, graphs = Piece(None), {"piece": inner}
    known = told(holder(piece, len(inputs)), graphs)
    entry = known.functions["execution_fn"]
    values = {one.node: one.value for one in entry.statements if one is not None}
    real = inner(*inputs)
    called = values["piece"]
    assert called is not None
    texts = [f"f32[{', '.join(map(str, one.shape))}]" for one in tensors_in(real)]
    assert called.type == f"({', '.join(texts)})"
    items = [values["getitem"], values["getitem_1"]]
    assert [one and one.type for one in items] == [texts[0], texts[-1]]
    # The second result is a view of the first.
    assert len(called.storages) == 2
    assert [one and one.storages for one in items] == [
        called.storages[:1],
        called.storages[1:],
    ]
    assert known.pieces["piece"].operators == sum(
        node.op.startswith("call_") for node in inner.graph.nodes
    )
    assert known.pieces["piece"].structure


def test_the_structure_of_a_piece_is_what_its_graph_does() -> None:
    def structure(gm: fx.GraphModule) -> str:
        return told(holder(Piece(gm))).pieces["piece"].structure

    one, same = chain(torch.neg, torch.relu), chain(torch.neg, torch.relu)
    for node in same.graph.nodes:
        node.name = f"other_{node.name}"
    assert structure(one) == structure(same)
    assert structure(one) != structure(chain(torch.relu, torch.neg))
    weights = [
        module(w=torch.ones(2)),
        module(w=torch.ones(2)),
        module(w=torch.ones(3)),
    ]
    ones, again, others = (
        graph(
            lambda g, x: g.call_function(torch.add, (x, g.get_attr("w"))), "x", root=w
        )
        for w in weights
    )
    assert structure(ones) == structure(again) != structure(others)


def _endless() -> Any:
    inner = holder(Piece(None))
    inner.get_submodule("piece").__dict__["graph"] = inner
    return Piece(inner)


def _without_results() -> Any:
    made = chain(torch.neg)
    made.graph.find_nodes(op="output")[0].args = ()
    return Piece(made)


def _items(count: int) -> Any:
    made = fx.Graph()
    node = made.placeholder("x")
    for _ in range(count):
        node = made.call_function(operator.getitem, (node, 0))
    return Piece(finish(made, node))


class Closed:
    """A constant that lets nobody look at it."""

    def __reduce__(self) -> Any:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __hash__(self) -> int:
        raise RuntimeError("no")


ODD: dict[str, Any] = {
    "a graph that calls itself": _endless,
    "a graph without results": _without_results,
    "an empty graph": lambda: Piece(
        fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), fx.Graph())
    ),
    "items of items": lambda: _items(3000),
    "no graph": lambda: Piece(SimpleNamespace(nodes=[])),
    "a graph that is none": lambda: Piece("graph"),
    "a constant that cannot be stored": lambda: Piece(carry(Closed())),
}


@pytest.mark.parametrize("name", ODD)
def test_no_piece_keeps_a_program_from_being_made(name: str) -> None:
    known = told(holder(ODD[name]()))
    statements = known.functions["execution_fn"].statements
    assert [one and one.node for one in statements][0] == "piece"


@pytest.mark.parametrize("keys", [(), (1, 2)])
def test_items_without_one_key_are_not_known(keys: tuple[int, ...]) -> None:
    gm = graph(lambda g, x: g.call_function(operator.getitem, (x, *keys)), "x")
    origin = told(gm).functions["execution_fn"].statements[0]
    assert origin is not None and origin.value is None


def test_children_that_are_called_twice_on_every_level_are_looked_at_once() -> None:
    """There are 2**24 ways down to the innermost."""
    gm = chain(torch.neg)
    gm.graph.find_nodes(op="placeholder")[0].meta["val"] = torch.ones(2)
    gm.graph.find_nodes(op="call_function", target=torch.neg)[0].meta["val"] = (
        torch.ones(2)
    )
    for _ in range(24):

        def body(g: fx.Graph, x: fx.Node) -> Any:
            first = g.call_module("child", (x,))
            second = g.call_module("child", (x,))
            return g.call_function(operator.getitem, ((first, second), 0)), second

        inner = graph(body, "x", root=module(child=gm))
        gm = graph(
            lambda g, x: g.call_function(
                operator.getitem, (g.call_module("both", (x,)), 1)
            ),
            "x",
            root=module(both=inner),
        )
    known = told(gm)
    origin, _ = known.functions["execution_fn"].statements[-2:]
    assert origin is not None and origin.value is not None
    assert origin.value.type == "f32[2]"


def test_graphs_without_metadata_have_places_and_nothing_else() -> None:
    known = told(chain(torch.neg, torch.relu))
    assert known.storages == () and known.symbols == {}
    statements = known.functions["execution_fn"].statements
    assert [one.node for one in statements if one] == ["neg", "relu", "output"]
    for one in filter(None, statements):
        assert (one.value, one.module, one.source) == (None, "", None)


def content(gm: fx.GraphModule) -> str:
    """What is known of a graph that is a piece."""
    structure, program = content_of(gm)
    assert program is not None
    return structure


def test_a_piece_is_known_by_content_only_if_its_constants_are() -> None:
    assert content(carry(threading.Lock())) == ""
    assert content(carry(torch.float16)) == content(carry(torch.float16)) != ""
    assert content(carry(torch.float16)) != content(carry(torch.bfloat16))
    assert content(carry(torch.ones(2))) != content(carry(torch.zeros(2)))


def test_the_graph_of_a_checkpoint_counts() -> None:
    one, same, other = (
        content(carry(chain(target))) for target in (torch.sin, torch.sin, torch.cos)
    )
    assert one == same != other
