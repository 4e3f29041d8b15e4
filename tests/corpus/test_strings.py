"""Strings that look like code, end lines, or cannot be encoded."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from torch import fx

from support import things
from support.graphs import carry, finish, graph, tensor
from support.running import run_graph

NASTY = [
    "plain",
    "",
    "'",
    '"',
    "'\"",
    "''\"",
    '"""',
    "'''",
    "'''\"\"\"",
    "\\",
    "\\\\",
    '\\"',
    "\\'",
    "ends in \\",
    "\\n",
    "a\nb",
    "a\r\nb",
    "\r",
    "\t",
    "\v\f",
    "\x00",
    "\x00" + "1",
    "\x1b[0m",
    "\x7f",
    "\u2028",
    "\u2029",
    "\x85",
    "\x0c",
    "\ufeff",
    "\u202e reversed",
    "\u200b",
    "é",
    "e\u0301",
    "\ufb01",
    "日本",
    "😀",
    "\U0010ffff",
    "\ud800",
    "\udcff",
    "\ud83d\ude00",
    "{x}",
    "{{",
    "%s",
    "# not a comment",
    ";import os",
    "\\N{DASH}",
    "\\u0041",
    "\\x41",
    "x = None",
    "__vllm_consts__[0]",
    "execution_fn",
    "a" * 300,
    "'" * 100,
    '"' * 100,
    "\\" * 100,
    "word " * 60,
    "# fmt: off",
    "# fmt: skip",
    "    indented",
    "trailing   ",
]


@pytest.mark.parametrize("value", NASTY, ids=range(len(NASTY)))
def test_a_string_comes_out_as_it_went_in(value: str) -> None:
    run_graph(carry(value, [value], {value: value}), tensor(1))


def test_all_of_them_at_once() -> None:
    run_graph(carry(list(NASTY), tuple(NASTY), dict.fromkeys(NASTY, 0)), tensor(1))


@pytest.mark.parametrize("first", range(0, 0x300, 0x100))
def test_every_early_character(first: int) -> None:
    run_graph(carry([chr(first + i) for i in range(0x100)]), tensor(1))


@pytest.mark.parametrize(
    "text", ["# COUNTER: 7", "\n# COUNTER: 1", "'); x = None; ('", "{", "\\"]
)
def test_text_for_an_operator_that_changes_its_input(text: str) -> None:
    assert things.library

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        g.call_function(torch.ops.astgen_tests.bump_text.default, (x, text))
        return x

    run_graph(graph(body, "x"), tensor(1))


@pytest.mark.parametrize("value", NASTY, ids=range(len(NASTY)))
def test_a_string_as_key_of_getitem(value: str) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(operator.getitem, (x, value))

    run_graph(graph(body, "x"), {value: tensor(1), "other": tensor(2)})


def test_strings_from_tracebacks_and_annotations_never_reach_the_text() -> None:
    g = fx.Graph()
    x = g.placeholder("x", type_expr="raise SystemExit(0)")
    y = g.call_function(torch.neg, (x,))
    y.meta["stack_trace"] = (
        'File "a.py", line 1\n    v = """q\nraise SystemExit(1)\n"""'
    )
    y.meta["custom"] = {"k\nraise SystemExit(2)": 'a\n"""\nraise SystemExit(3)'}
    y.meta["desc"] = "# d\nraise SystemExit(4)"
    y.type = "raise SystemExit(5)"
    program = run_graph(finish(g, y), tensor(1))
    assert "SystemExit" not in program.code
