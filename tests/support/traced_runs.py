"""What each statement of a text binds, and what each node of a graph computes.

The first is seen by Python's own tracing, the second by FX's Interpreter. Both keep a
copy of a value as soon as it is there, since later code may change it in place.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from types import FrameType
from typing import Any

import torch
from torch import fx

from astgen.program import Program
from support.graphs import bound

__all__ = ["Called", "Interpreted", "body_of", "interpreted", "traced"]

_FILE = "<traced>"


@dataclass
class Called:
    """One call of a function of the text.

    Attributes:
        name: The function.
        names: The name that each statement bound, by its place in the body.
        values: What it bound it to.
        place: The statement that runs.
    """

    name: str
    names: dict[int, str] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)
    place: int = -1


@dataclass
class Interpreted:
    """One run of a graph module.

    Attributes:
        module: The module.
        values: What each node computed, by its name.
    """

    module: fx.GraphModule
    values: dict[str, Any] = field(default_factory=dict)


def body_of(code: str) -> dict[str, list[ast.stmt]]:
    """The statements of each function of a text."""
    return {
        node.name: node.body
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef)
    }


def traced(gm: fx.GraphModule, program: Program, *args: Any, **kwargs: Any) -> Any:
    """Run a text as it stands, and watch its frames.

    Returns:
        The result, and the calls in the order in which they began.
    """
    bodies = body_of(program.code)
    calls: list[Called] = []
    namespace: dict[str, Any] = {"__vllm_consts__": program.consts}
    exec(compile(program.code, _FILE, "exec"), namespace)
    pieces = [attrgetter(name)(gm) for name in program.submod_names]
    entry = namespace[program.dialect.entry]

    def begin(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != _FILE:
            return None
        called = Called(frame.f_code.co_name)
        calls.append(called)
        return _watching(called, bodies[called.name])

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        result = entry(*args, **kwargs, __vllm_submods__=pieces)
    finally:
        sys.settrace(before)
    return result, calls


def _watching(called: Called, body: list[ast.stmt]) -> Callable[..., Any]:
    places = {
        line: place
        for place, one in enumerate(body)
        for line in range(one.lineno, (one.end_lineno or 0) + 1)
    }

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        place = places.get(frame.f_lineno, -1)
        if event == "return" or place != called.place:
            done = body[called.place] if called.place >= 0 else None
            if isinstance(done, ast.Assign):
                name = ast.unparse(done.targets[0])
                called.names[called.place] = name
                called.values[called.place] = _kept(frame.f_locals[name])
            called.place = place
        return watch

    return watch


def interpreted(gm: fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
    """Run a graph, its GraphModule children included, without generating code.

    Returns:
        The result, and the runs in the order in which they began.
    """
    runs: list[Interpreted] = []
    return _run(gm, runs, args, kwargs), runs


def _run(
    gm: fx.GraphModule,
    runs: list[Interpreted],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    given = bound(gm.graph, gm.graph.process_inputs(*args), kwargs)
    runs.append(Interpreted(gm))
    return _Recording(gm, given, runs).run(enable_io_processing=False)


class _Recording(fx.Interpreter):
    def __init__(
        self, gm: fx.GraphModule, given: dict[str, Any], runs: list[Interpreted]
    ) -> None:
        super().__init__(gm, garbage_collect_values=True)
        self.given = given
        self.runs = runs
        self.own = runs[-1]

    def run_node(self, n: fx.Node) -> Any:
        value = super().run_node(n)
        self.own.values[n.name] = _kept(value)
        return value

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        return self.given.pop(target)

    def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
        child = self.fetch_attr(target)
        hooked = child._forward_hooks or child._forward_pre_hooks
        if not isinstance(child, fx.GraphModule) or hooked:
            return child(*args, **kwargs)
        return _run(child, self.runs, args, kwargs)

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        return self.graph.process_outputs(args[0])


def _kept(value: Any) -> Any:
    """A value as it is now; what cannot be copied is kept itself."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.preserve_format)
    try:
        return copy.deepcopy(value)
    except Exception:
        return value
