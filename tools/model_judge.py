"""One graph of a model, through everything that must hold for each.

    graph -> cuts -> programs -> runs -> problems

A graph is judged when the model calls it, with the inputs it is called with. What it
means is what `torch.fx.Interpreter` makes of it.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import black
import torch
from torch import fx

from astgen.backend import split
from astgen.backend.pieces import CompiledPiece
from astgen.errors import UnsupportedGraphError
from astgen.program import Program, generate
from sameness import copied, differences

__all__ = ["CUTS", "GraphReport", "Judge", "Problem", "Upstream", "said"]

CUTS = ("whole", "split", "inlined")
"""A graph in one piece; split, with the pieces between called by slot; split, with all
pieces functions of the same text."""

Upstream = Any
"""A module with the two functions of `vllm.compilation.codegen`."""

_SEED = 5
_JUDGED_CALLS = 3
_SHOWN = 300
# Black takes a second for 50 kB.
_BLACK_ALL = 12_000
_BLACK_STATEMENTS = 60


@dataclass(frozen=True)
class Problem:
    """Something that should not be.

    Attributes:
        cut: How the graph was cut.
        kind: What is wrong, in a word or two.
        text: What is wrong, in a line.
    """

    cut: str
    kind: str
    text: str


@dataclass
class GraphReport:
    """What came of a graph.

    Attributes:
        nodes: How many nodes it has.
        pieces: Into how many pieces it was split.
        calls: How many calls were judged.
        constants: How many slots each cut has.
        lines: How long the text of each cut is.
        equal: For each cut, whether all runs were right and nothing else was wrong.
        upstream: For each cut, what another generator made of it, if there is one.
        problems: What is wrong.
    """

    nodes: int
    pieces: int = 0
    calls: int = 0
    constants: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    equal: dict[str, bool] = field(default_factory=dict)
    upstream: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Judge:
    """A graph: callable in its place, and judging its programs when it is called."""

    def __init__(
        self, gm: fx.GraphModule, splitting_ops: Iterable[str], upstream: Upstream
    ) -> None:
        self._gm = gm
        self._upstream = upstream
        self.report = GraphReport(len(gm.graph.nodes))
        self._cuts: list[_Cut] = [_Cut("whole", gm, {})]
        self._stitching: fx.GraphModule | None = None
        try:
            self._split(tuple(splitting_ops))
        except Exception as error:
            self._problem("split", "cannot be split", said(error))
        self._programs = [cut for cut in self._cuts if self._is_generated(cut)]

    def __call__(self, *args: Any) -> Any:
        """Judge all programs with these inputs, and do what the graph does."""
        expected = _run(fx.Interpreter(self._gm).run, args)
        if self.report.calls < _JUDGED_CALLS:
            self.report.calls += 1
            if self._stitching is not None:
                run = fx.Interpreter(self._stitching).run
                self._compare("split", "split changes the graph", run, args, expected)
            for cut in self._programs:
                for name, function in cut.functions.items():
                    self._compare(cut.name, name, function, args, expected)
                if self._upstream is not None:
                    self._ask_upstream(cut, args, expected)
        # The model goes on with the inputs that the graph really changes.
        return fx.Interpreter(self._gm).run(*args)

    def finished(self) -> GraphReport:
        """The report, once the model is done."""
        if not self.report.calls:
            self._problem("whole", "never called", "the model did not call this graph")
        wrong = {problem.cut for problem in self.report.problems}
        self.report.equal = {cut: cut not in wrong for cut in CUTS}
        return self.report

    def _split(self, splitting_ops: tuple[str, ...]) -> None:
        inlined = split(self._gm, splitting_ops)
        self._cuts.append(_Cut("inlined", inlined.gm, {}))
        called = split(self._gm, splitting_ops)
        pieces: dict[str, Callable[..., Any]] = {}
        for piece in called.pieces:
            child: Any = called.gm.get_submodule(piece.name)
            run = fx.Interpreter(child).run
            if not piece.is_splitting:
                pieces[piece.name] = run
                called.gm.add_module(piece.name, CompiledPiece(run))
        self._cuts.append(_Cut("split", called.gm, pieces))
        self._stitching = called.gm
        self.report.pieces = len(called.pieces)

    def _is_generated(self, cut: _Cut) -> bool:
        """Generate and load the program of a cut; say what is wrong with it."""
        try:
            program = generate(cut.gm)
            self.report.constants[cut.name] = len(program.consts)
            self.report.lines[cut.name] = len(program.code.splitlines())
            for finding in program.check():
                self._problem(cut.name, "finding", str(finding))
            self._look_at(cut.name, program)
            cut.functions["astgen"] = program.compile(cut.pieces)
            cut.functions["stock"] = _stock(program, cut.gm)
        except UnsupportedGraphError as error:
            self._problem(cut.name, "refused", said(error))
        except Exception as error:
            self._problem(cut.name, "not generated", said(error))
        return bool(cut.functions)

    def _look_at(self, cut: str, program: Program) -> None:
        for slot, value in enumerate(program.consts):
            try:
                pickle.dumps(value)
            except Exception as error:
                kind = type(value).__name__
                self._problem(cut, "no pickle", f"slot {slot}, a {kind}: {said(error)}")
        shown = _sample(program.code)
        if black.format_str(shown, mode=black.Mode()) != shown:
            self._problem(cut, "layout", "black changes the text")

    def _compare(
        self,
        cut: str,
        way: str,
        function: Callable[..., Any],
        args: Sequence[Any],
        expected: Any,
    ) -> None:
        try:
            actual = _run(function, args)
        except Exception as error:
            self._problem(cut, f"{way} fails", said(error))
            return
        for place, text, _ in differences(actual, expected):
            where = ("result" if place[0] == "[0]" else "inputs") + "".join(place[1:])
            self._problem(cut, f"{way} differs", f"{where}: {text}")
            return

    def _ask_upstream(self, cut: _Cut, args: Sequence[Any], expected: Any) -> None:
        if self.report.upstream.get(cut.name, "equal") != "equal":
            return
        try:
            code, names, consts = self._upstream.generate_execution_code(cut.gm)
            callables = {name: cut.gm.get_submodule(name) for name in names}
            function = self._upstream.compile_execution_fn(
                code, callables, names, consts
            )
            wrong = any(True for _ in differences(_run(function, args), expected))
            self.report.upstream[cut.name] = "different" if wrong else "equal"
        except Exception as error:
            self.report.upstream[cut.name] = said(error)

    def _problem(self, cut: str, kind: str, text: str) -> None:
        problem = Problem(cut, kind, text)
        if problem not in self.report.problems:
            self.report.problems.append(problem)


@dataclass
class _Cut:
    """A graph to generate a program of, and the ways to run that program."""

    name: str
    gm: fx.GraphModule
    pieces: Mapping[str, Callable[..., Any]]
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)


def _stock(program: Program, gm: fx.GraphModule) -> Callable[..., Any]:
    """What code that knows nothing of astgen makes of the text."""
    namespace: dict[str, Any] = {"__vllm_consts__": program.consts}
    exec(program.code, namespace)
    pieces = [gm.get_submodule(name) for name in program.submod_names]
    return partial(namespace[program.dialect.entry], __vllm_submods__=pieces)


def _run(function: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The result of a call, and what it left of its own copies of the inputs."""
    own = copied(list(args))
    torch.manual_seed(_SEED)
    return function(*own), own


def _sample(code: str) -> str:
    """All of a short text; of a long one, the heads of the functions and statements
    from all over their bodies, which black formats one by one."""
    if len(code) <= _BLACK_ALL:
        return code
    lines = code.splitlines(keepends=True)
    kept: list[str] = []
    start = 0
    functions = [n for n in ast.parse(code).body if isinstance(n, ast.FunctionDef)]
    step = sum(len(node.body) for node in functions) // _BLACK_STATEMENTS + 1
    for node in functions:
        kept += lines[start : node.body[0].lineno - 1]
        for statement in [*node.body[:-1:step], node.body[-1]]:
            kept += lines[statement.lineno - 1 : statement.end_lineno]
        start = node.end_lineno or start
    return "".join(kept)


def said(error: Exception) -> str:
    """An exception in one line.

    Args:
        error: The exception.

    Returns:
        Its type and message, cut off where it gets long.
    """
    return " ".join(f"{type(error).__name__}: {error}".split())[:_SHOWN]
