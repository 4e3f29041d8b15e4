"""Lists, tuples, dicts and everything else that holds values."""

from __future__ import annotations

import collections
import dataclasses
import types
from typing import Any

import numpy as np
import pytest
import torch
from torch import fx
from torch.distributed.tensor import Partial, Replicate, Shard

import astgen
from astgen.errors import UnsupportedGraphError
from support.graphs import carry, finish, graph, tensor
from support.running import run_graph
from support.things import (
    Colour,
    Config,
    Pair,
    ShortPath,
    Touchy,
    WithDefault,
    scale,
)

aten = torch.ops.aten


def handed(value_of: Any, *inputs: Any) -> None:
    """Run a graph that hands on containers of its inputs."""
    names = [f"x{i}" for i in range(len(inputs))]

    def body(g: fx.Graph, *nodes: fx.Node) -> Any:
        return g.call_function(dict, (), {"v": value_of(*nodes)})

    run_graph(graph(body, *names), *inputs)


def test_a_namedtuple_as_output() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return WithDefault(g.call_function(torch.neg, (x,)), x)

    run_graph(graph(body, "x"), tensor(1))


def test_a_namedtuple_that_holds_a_member_and_a_node() -> None:
    handed(lambda x: Pair(Colour.RED, (x,)), tensor(1))


def test_namedtuples_nest() -> None:
    handed(lambda x: Pair(WithDefault(x), [Pair(x, Pair(1, "a"))]), tensor(1))


def test_a_namedtuple_of_constants_is_one_constant() -> None:
    run_graph(carry(Pair(1, "a"), [Pair(2, WithDefault(None))]), tensor(1))


def test_a_namedtuple_whose_constructor_does_more_is_rebuilt_without_it() -> None:
    class Counted(collections.namedtuple("Counted", "a b")):
        made = 0

        def __new__(cls, a: Any, b: Any = None) -> Any:
            Counted.made += 1
            return super().__new__(cls, a, b)

    g = fx.Graph()
    x = g.placeholder("x")
    node = g.call_function(dict, (), {"v": (x,)})
    node.kwargs = {"v": Counted(x, 1)}
    function = astgen.generate(finish(g, node)).compile({})
    before = Counted.made
    assert function(5) == {"v": Counted(5, 1)}
    assert type(function(5)["v"]) is Counted
    assert Counted.made - before <= 2


def test_placements_are_lifted() -> None:
    run_graph(carry(Shard(0), Replicate(), Partial("sum"), [Shard(1)]), tensor(1))


def test_equal_placements_share_a_slot() -> None:
    program = run_graph(
        carry(Shard(0), Shard(0), Shard(1), [Replicate(), Replicate()], Partial("max")),
        tensor(1),
    )
    assert program.consts[1:] == [Shard(0), Shard(1), Replicate(), Partial("max")]


def test_a_generator_is_handed_over_itself() -> None:
    generator = torch.Generator()

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.multinomial, (x, 2), {"generator": generator})

    gm = graph(body, "x")
    program = astgen.generate(gm)
    draw = program.compile({})
    generator.manual_seed(3)
    drawn = [draw(torch.ones(50)) for _ in range(2)]
    generator.manual_seed(3)
    wanted = [torch.multinomial(torch.ones(50), 2, generator=generator) for _ in "ab"]
    assert all(torch.equal(a, b) for a, b in zip(drawn, wanted))


def test_a_tensor_constant_in_the_arguments() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.add, (x, tensor(10, 20)))

    run_graph(graph(body, "x"), tensor(1, 2))


def test_equal_tensors_are_not_merged() -> None:
    first, second = tensor(1), tensor(1)
    run_graph(carry(first, second, first, [second]), tensor(1))


def test_objects_that_cannot_be_compared_hashed_or_printed() -> None:
    touchy, array = Touchy(), np.array([1, 2])

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        held = {"v": touchy, "w": array, "l": [touchy, (array,)]}
        return g.call_function(dict, (), held)

    program = astgen.generate(graph(body, "x"))
    result = program.compile({})(tensor(1))
    assert result["v"] is touchy and result["l"][0] is touchy
    assert result["w"] is array and result["l"][1][0] is array
    assert program.consts[1] is touchy and program.consts[2] is array
    assert len(program.consts) == 3


def test_functions_operators_and_classes_as_values() -> None:
    values = [
        torch.relu,
        scale,
        len,
        aten.add.Tensor,
        aten.add,
        torch.nn.ReLU,
        {"k": aten.mul.Tensor, "c": Config, "d": dict},
    ]
    run_graph(carry(*values), tensor(1))


def test_dicts_keep_their_order_and_the_types_of_keys() -> None:
    handed(
        lambda x, y: {3: y, (1, "a"): [x, {None: y}], b"k": x, True: 1, 2.5: y, -1: x},
        tensor(1),
        tensor(2),
    )


def test_keys_that_no_literal_spells() -> None:
    run_graph(
        carry(
            {
                float("inf"): 1,
                2j: 2,
                torch.float16: 3,
                Colour.RED: 4,
                (1, (Colour.BLUE,)): 5,
                frozenset([1]): 6,
                torch.Size([1]): 7,
                ...: 8,
            }
        ),
        tensor(1),
    )


def test_short_and_empty_containers() -> None:
    handed(lambda x: ((x,), (), [], {}, ((((),),),), [[]], {"": {}}), tensor(1))


@pytest.mark.parametrize(
    "value",
    [
        frozenset({1, 2}),
        {1, 2},
        collections.deque([1, 2], maxlen=3),
        collections.ChainMap({"a": 1}),
        types.SimpleNamespace(a=1),
        Config(1, "a"),
        range(3),
        range(1, 10, 2),
        range(5, 0, -1),
        torch.Size([2, 3]),
        torch.Size([]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_containers_of_constants_keep_their_type(value: Any) -> None:
    run_graph(carry(value, [value]), tensor(1))


def by_hand(value_of: Any) -> tuple[fx.GraphModule, fx.Node]:
    """A call whose argument FX did not turn into its own containers first."""
    g = fx.Graph()
    x = g.placeholder("x")
    node = g.call_function(dict, (), {"v": [x]})
    node._kwargs = {"v": value_of(x)}
    return finish(g, node), node


@pytest.mark.parametrize(
    "value",
    [
        collections.OrderedDict([("b", 1), ("a", [2])]),
        collections.defaultdict(list, {"a": [1]}),
        collections.Counter("abca"),
        ShortPath(1, 2),
        torch.return_types.max((1, 2)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_subclasses_of_dict_and_tuple_keep_their_type(value: Any) -> None:
    gm, _ = by_hand(lambda x: value)
    result = run_graph(gm, 5, eager=lambda x: {"v": value}).compile({})(5)["v"]
    assert result is value


def test_a_structseq_that_holds_a_node_is_still_one() -> None:
    kind = torch.return_types.max
    gm, _ = by_hand(lambda x: kind((x, [x, 2])))
    run_graph(gm, 5, eager=lambda x: {"v": kind((x, [x, 2]))})


def test_a_named_tuple_that_holds_a_node_deep_inside_is_still_one() -> None:
    gm, _ = by_hand(lambda x: {"k": [WithDefault((Pair(x, x),))]})
    run_graph(gm, 5, eager=lambda x: {"v": {"k": [WithDefault((Pair(x, x),))]}})


def test_fx_turns_subclasses_into_plain_containers_and_so_do_we() -> None:
    handed(
        lambda x: [
            collections.OrderedDict(b=x, a=1),
            collections.defaultdict(list, k=x),
            torch.return_types.max((x, 1)),
            ShortPath(x, 2),
        ],
        tensor(1),
    )


@pytest.mark.parametrize(
    "hide",
    [
        lambda node: {node},
        lambda node: frozenset([node]),
        lambda node: collections.OrderedDict(a=node),
        lambda node: collections.defaultdict(list, a=[node]),
        lambda node: ShortPath(node, 1),
        lambda node: [frozenset([(node,)])],
    ],
)
def test_a_node_where_fx_does_not_look_is_refused_by_name(hide: Any) -> None:
    gm, node = by_hand(hide)
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(gm)
    assert caught.value.node is node


@pytest.mark.parametrize(
    "hide", [lambda node: {node: 1}, lambda node: {(1, (node,)): 1}]
)
def test_a_node_in_the_key_of_a_dict_is_refused(hide: Any) -> None:
    gm, node = by_hand(hide)
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(gm)
    assert caught.value.node is node


def test_a_dataclass_of_constants_keeps_identity() -> None:
    @dataclasses.dataclass
    class Local:
        items: list[int]

    held = Local([1])
    result = astgen.generate(carry(held, [held])).compile({})(tensor(1))[1]["values"]
    assert result[0] is held and result[1][0] is held
