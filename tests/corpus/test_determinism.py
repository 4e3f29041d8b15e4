"""The same graph gives the same bytes: in any process, under any hash seed."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx

import astgen
from support.graphs import carry, graph
from support.running import run_graph
from support.seeds import GRAPHS, digests
from support.things import Colour, Config


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_the_text_does_not_depend_on_the_hash_seed(seed: str) -> None:
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join([tests, *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "support.seeds"],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == digests()


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_made_again_gives_the_same_text(name: str) -> None:
    first, second = astgen.generate(GRAPHS[name]()), astgen.generate(GRAPHS[name]())
    assert first.code == second.code
    assert first.submod_names == second.submod_names
    assert len(first.consts) == len(second.consts)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.device("cuda:1"),
        lambda: float("inf"),
        lambda: float("nan"),
        lambda: complex(1, 2),
        lambda: torch.distributed.tensor.Shard(1),
    ],
)
def test_equal_values_share_a_slot_however_they_were_allocated(
    make: Callable[[], Any],
) -> None:
    one = make()
    shared, separate = carry(one, one), carry(make(), make())
    first, second = astgen.generate(shared), astgen.generate(separate)
    assert first.code == second.code
    assert len(second.consts) == len(first.consts) == 2


def test_a_copy_of_the_module_gives_the_same_text() -> None:
    gm = carry(
        Colour.RED,
        torch.float32,
        Config(1, "a"),
        torch.device("cpu"),
        [torch.device("cpu")],
    )
    program = run_graph(gm, 1)
    assert astgen.generate(copy.deepcopy(gm)).code == program.code


def test_generating_leaves_the_graph_as_it_was() -> None:
    for make in GRAPHS.values():
        gm = make()
        before = [
            (n.name, n.op, n.target, list(n.users), dict(n.meta))
            for n in gm.graph.nodes
        ]
        astgen.generate(gm)
        assert before == [
            (n.name, n.op, n.target, list(n.users), dict(n.meta))
            for n in gm.graph.nodes
        ]


def test_constants_come_in_the_order_of_their_first_use() -> None:
    marks = [object() for _ in range(10)]

    def body(g: fx.Graph, x: fx.Node) -> Any:
        for mark in [*marks, *reversed(marks)]:
            x = g.call_function(torch.ops.aten.add.Tensor, (x, 1), {"out": mark})
        return x

    assert astgen.generate(graph(body, "x")).consts == marks


def edited(*, erased: bool) -> fx.GraphModule:
    """A graph built at once, or with nodes before and between that were erased."""
    made = fx.Graph()
    dead = []

    def spare(x: fx.Node) -> None:
        if erased:
            dead.extend(made.call_function(t, (x, 7)) for t in (torch.add, max))
            dead.append(made.call_method("abs", (x,)))

    x = made.placeholder("x")
    spare(x)
    first = made.call_function(torch.add, (x, 1))
    spare(x)
    second = made.call_function(torch.add, (first, 2))
    third = made.call_method("abs", (second,))
    spare(first)
    device = torch.device("cpu")
    fill = made.call_function(torch.full_like, (third, 2.5), {"device": device})
    for node in reversed(dead):
        made.erase_node(node)
    made.output((first, fill))
    return fx.GraphModule(torch.nn.Module(), made)


def test_erased_nodes_leave_no_trace_in_the_text() -> None:
    plain = run_graph(edited(erased=False), torch.ones(2))
    program = run_graph(edited(erased=True), torch.ones(2))
    assert program.code == plain.code
    assert astgen.generate(copy.deepcopy(edited(erased=True))).code == plain.code
