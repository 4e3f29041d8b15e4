"""Keyword arguments: any text may be the name of one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

from support import things
from support.graphs import graph, tensor
from support.running import run_graph

aten = torch.ops.aten


def call_with(keywords: dict[str, Any], *literals: Any) -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        given = {name: x if value is ... else value for name, value in keywords.items()}
        return g.call_function(dict, literals, given)

    run_graph(graph(body, "x"), tensor(1))


def test_a_keyword_of_an_operator_that_is_one_of_python() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(aten.uniform.default, (x,), {"from": 2.0, "to": 2.0})

    run_graph(graph(body, "x"), tensor(1, 1))


def test_a_keyword_of_a_custom_operator_that_is_one_of_python() -> None:
    assert things.library

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.ops.astgen_tests.span.default, (x,), {"from": 5})

    run_graph(graph(body, "x"), tensor(1))


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "c.d",
        "",
        "1",
        "a=1, b",
        "__debug__",
        "None",
        "True",
        "class",
        "lambda",
        "match",
        "case",
        "type",
        "_",
        "print",
        "self",
        "torch",
        "operator",
        "slice",
        "__vllm_consts__",
        "__vllm_submods__",
        "execution_fn",
        "\ufb01",
        "fi",
        "e\u0301",
        "é",
        "ª",
        "K",
        "*",
        "**",
        "\n",
        "#",
        "'",
        '"',
        "\x00",
        "\ud800",
        "x" * 1000,
    ],
)
def test_any_name_reaches_the_callee(name: str) -> None:
    call_with({name: ...})


def test_odd_names_among_plain_ones_keep_their_order() -> None:
    call_with({"b": 1, "a b": ..., "": 2, "a": 3, "1": 4, "class": ..., "z": 5})
    call_with({"if": ..., "b": 1})
    call_with({"b": 1, "if": ...})


def test_names_that_are_equal_after_normalisation_stay_two() -> None:
    call_with({"\ufb01": 1, "fi": ..., "ﬁ2": 3, "fi2": 4})


def test_odd_names_with_odd_values() -> None:
    call_with({"a b": float("inf"), "in": [..., 1], "x y": {"k": torch.float16}})


def test_four_hundred_keywords() -> None:
    call_with({f"k{i}": ... if i % 2 else i for i in range(400)})


def test_keywords_next_to_a_positional_argument() -> None:
    call_with({"b": ..., "for": 1}, {"a": 1})


def test_odd_keywords_of_a_piece() -> None:
    class Piece(torch.nn.Module):
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_module("piece", (x, 1), {"a b": x, "is": 2, "plain": x})

    root = torch.nn.Module()
    root.piece = Piece()
    run_graph(graph(body, "x", root=root), tensor(1))
