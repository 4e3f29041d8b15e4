"""What is measured on a graph in this process: calls, warm starts, cold starts, the checker."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from astgen import codegen
from astgen.check import check
from bench_floor import floor
from bench_graphs import Subject
from bench_pairs import Row, compare, in_turns, stopwatch
from bench_peers import BenchError, Compiler, graph_module, interpreter, said
from sameness import copied, differences

__all__ = ["OURS", "Side", "call", "checker", "cold", "held_against", "sides", "warm"]

_Stubs = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Side:
    """A way to run a graph.

    Attributes:
        name: What the report calls it.
        make: Makes a function of a graph and callables for its pieces.
    """

    name: str
    make: Callable[[fx.GraphModule, _Stubs], Callable[..., Any]]


OURS = Side("astgen", lambda gm, stubs: _cold(codegen, gm, stubs))


def sides(upstream: Compiler | None) -> list[Side]:
    """All that astgen is measured against, as far as it is here."""
    found = [
        Side("floor", floor),
        Side("GraphModule", graph_module),
        Side("Interpreter", interpreter),
    ]
    if upstream is not None:
        found.insert(0, Side("upstream", lambda *given: _cold(upstream, *given)))
    return found


@torch.no_grad()
def held_against(subject: Subject, side: Side) -> str | None:
    """Run a graph with pieces that compute, and compare with FX's interpreter.

    Args:
        subject: The graph.
        side: The way to run it.

    Returns:
        What is wrong with the result, in a line; None if nothing is.
    """
    stubs = subject.computing_stubs()
    expected = interpreter(subject.gm, stubs)(*copied(list(subject.args)))
    try:
        actual = side.make(subject.gm, stubs)(*copied(list(subject.args)))
    except Exception as error:  # whatever it is, this side cannot do it
        return said(error)
    for place, text, _ in differences(actual, expected):
        return f"its result{''.join(place)} differs: {text}"
    return None


@torch.no_grad()
def call(subject: Subject, side: Side, pairs: int) -> Iterator[Row]:
    """A call, with pieces that return at once."""
    stubs = subject.stubs()
    ours = stopwatch(_cold(codegen, subject.gm, stubs), subject.args)
    peer = stopwatch(side.make(subject.gm, stubs), subject.args)
    yield _row("call", "call", subject, side.name, ours, peer, pairs)


def warm(subject: Subject, upstream: Compiler, pairs: int) -> Iterator[Row]:
    """From text to callable: each side loads what it wrote itself."""
    stubs = subject.stubs()
    ours, peer = (
        stopwatch(compiler.compile_execution_fn, (code, stubs, *rest))
        for compiler in (codegen, upstream)
        for code, *rest in [compiler.generate_execution_code(subject.gm)]
    )
    yield _row("warm", "text to callable", subject, "upstream", ours, peer, pairs)


def cold(subject: Subject, upstream: Compiler, pairs: int) -> Iterator[Row]:
    """From graph to callable, and from graph to text alone."""
    ours, peer = (
        stopwatch(compiler.generate_execution_code, (subject.gm,))
        for compiler in (codegen, upstream)
    )
    yield _row("cold", "graph to text", subject, "upstream", ours, peer, pairs)
    ours, peer = (
        stopwatch(_cold, (compiler, subject.gm, subject.stubs()))
        for compiler in (codegen, upstream)
    )
    yield _row("cold", "graph to callable", subject, "upstream", ours, peer, pairs)


def checker(subject: Subject, pairs: int) -> Iterator[Row]:
    """The checker, against what Python itself needs for the same text.

    Raises:
        BenchError: The checker finds something in the text.
    """
    code, names, consts = codegen.generate_execution_code(subject.gm)

    def judge() -> object:
        return check(code, consts=len(consts), submods=len(names))

    def parse_and_compile() -> object:
        ast.parse(code)
        return compile(code, "<text>", "exec")

    if judge():
        raise BenchError(f"the checker refuses the text of {subject.name}")
    ours, peer = stopwatch(judge), stopwatch(parse_and_compile)
    yield _row("check", "check", subject, "parse + compile", ours, peer, pairs)


def _cold(compiler: Compiler, gm: fx.GraphModule, stubs: _Stubs) -> Callable[..., Any]:
    code, names, consts = compiler.generate_execution_code(gm)
    made: Callable[..., Any] = compiler.compile_execution_fn(code, stubs, names, consts)
    return made


def _row(
    group: str,
    what: str,
    subject: Subject,
    peer_name: str,
    ours: Callable[[], float],
    peer: Callable[[], float],
    pairs: int,
) -> Row:
    found = compare(*in_turns(ours, peer, pairs))
    return Row(group, what, subject.name, peer_name, "ms", found)
