"""Members of enumerations: printed as code, they are anything but."""

from __future__ import annotations

import enum
from typing import Any

import pytest
import torch
from torch import fx

import astgen
from support.graphs import carry, graph, tensor
from support.labels import label
from support.running import run_graph
from support.things import (
    BareWord,
    Bits,
    Colour,
    Level,
    NamesInside,
    Permission,
    Word,
)


@pytest.mark.parametrize(
    "member",
    [
        Colour.RED,
        Colour.BLUE,
        Colour.CRIMSON,
        Level.HIGH,
        Word.YES,
        BareWord.X,
        NamesInside["class"],
        NamesInside["a b"],
        NamesInside["None"],
        Permission.R | Permission.W,
        Permission(0),
        ~Permission.R,
        Bits.A | Bits.B,
        Bits(8),
    ],
    ids=label,
)
def test_a_member_stays_that_very_member(member: enum.Enum) -> None:
    program = run_graph(carry(member, [member], {"k": (member,)}), tensor(1))
    result = program.compile({})(tensor(1))[1]["values"]
    assert result[0] is member and result[1][0] is member


def test_an_alias_shares_the_slot_of_its_member() -> None:
    program = run_graph(carry(Colour.RED, Colour.CRIMSON, Colour.BLUE), tensor(1))
    assert program.consts[1:] == [Colour.RED, Colour.BLUE]


def test_members_as_keys_and_values_of_a_dict() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        held = {Colour.RED: x, "k": Level.LOW, Level.HIGH: {Word.YES: [x]}}
        return g.call_function(dict, (), {"v": held})

    run_graph(graph(body, "x"), tensor(1))


def test_an_int_member_is_not_the_number_of_the_same_value() -> None:
    program = run_graph(carry(1, Level.LOW, True, Bits.A, 1.0), tensor(1))
    assert program.consts[1:] == [Level.LOW, Bits.A]


def test_a_flag_is_not_read_from_an_input_of_that_name() -> None:
    def body(g: fx.Graph, w: fx.Node) -> fx.Node:
        return g.call_function(dict, (), {"v": Permission.R | Permission.W, "w": w})

    run_graph(graph(body, "W"), Permission.R)


def test_a_member_that_prints_a_bare_word_is_not_that_name() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(dict, (), {"v": {"m": BareWord.X}, "w": x})

    run_graph(graph(body, "x"), tensor(1, 2))


def test_an_input_called_like_the_class_does_not_shadow_it() -> None:
    def body(g: fx.Graph, colour: fx.Node, level: fx.Node) -> fx.Node:
        held = {"v": [Colour.BLUE, Level.LOW], "c": colour, "l": level}
        return g.call_function(dict, (), held)

    run_graph(graph(body, "Colour", "Level"), "not the enum", 5)


def test_members_of_a_local_class_pass_though_they_do_not_pickle() -> None:
    class Local(enum.Enum):
        A = 1

    program = astgen.generate(carry(Local.A))
    assert program.compile({})(tensor(1))[1]["values"] == (Local.A,)


@pytest.mark.parametrize(
    "member",
    [torch.distributed.ReduceOp.SUM, torch.nn.attention.SDPBackend.MATH],
    ids=label,
)
def test_enumerations_of_torch(member: Any) -> None:
    run_graph(carry(member), tensor(1))
