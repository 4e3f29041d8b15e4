"""What astgen itself writes gives no reason for advice, known names or not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch
from support.graphs import chain, graph, module
from support.random_graphs import RandomGraph
from support.seeds import GRAPHS
from torch import fx

import astgen
from astgen.check import Finding, scan
from astgen.check.finding import Profile
from astgen.lint.advice import advise
from astgen.lint.subject import Constant, Subject


def advice(gm: fx.GraphModule, profile: Profile = "astgen-1") -> tuple[Finding, ...]:
    program = astgen.generate(gm)
    found = scan(
        program.code,
        consts=len(program.consts),
        submods=len(program.submod_names),
        dialect=program.dialect,
    )
    assert found.findings == () and found.tree is not None
    bare = advise(Subject(program.code), found.tree, profile)
    consts = [
        Constant("builtins.int", f"{i}", f"{i}") for i in range(len(program.consts))
    ]
    names = tuple(program.submod_names)
    known = Subject(program.code, submod_names=names, consts=tuple(consts))
    return (*bare, *advise(known, found.tree, profile))


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS)
def test_graphs_that_tempt_a_generator(make: Callable[[], fx.GraphModule]) -> None:
    assert advice(make()) == ()


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed: int) -> None:
    assert advice(RandomGraph(Random(seed)).module()) == ()


def test_equal_children_below_equal_children() -> None:
    def outer() -> fx.GraphModule:
        def body(g: fx.Graph, x: fx.Node) -> Any:
            return g.call_module("b", (g.call_module("a", (x,)),))

        return graph(body, "x", root=module(a=chain(torch.neg), b=chain(torch.neg)))

    def body(g: fx.Graph, x: fx.Node) -> Any:
        for name in ("first", "piece", "second", "second", "last"):
            x = g.call_module(name, (x,))
        return x

    root = module(
        first=outer(), piece=torch.nn.ReLU(), second=outer(), last=torch.nn.ReLU()
    )
    gm = graph(body, "x", root=root)
    assert advice(gm) == ()
    # The text names four of eight children, the others are equal to one of them.
    names = astgen.generate(gm).submod_names
    assert len(names) == 8


def test_a_piece_that_is_taken_out_is_missed() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [g.call_module(name, (x,)) for name in ("a", "b", "c")]

    pieces = {name: torch.nn.ReLU() for name in "abc"}
    program = astgen.generate(graph(body, "x", root=module(**pieces)))
    text = program.code.replace("    b = __vllm_submods__[1](x)\n", "")
    tree = scan(text.replace("b, ", "")).tree
    assert tree is not None and text != program.code
    (finding,) = advise(Subject(text.replace("b, ", "")), tree, "astgen-1")
    assert finding.rule == "AG403"
