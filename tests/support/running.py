"""One graph through everything that must hold for every graph."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree

import astgen
from astgen.program import Program
from support.compare import assert_same, tensors_in
from support.graphs import interpret
from support.stored import STORED, Run

__all__ = ["pieces_of", "run_graph", "stock", "ways"]


@dataclasses.dataclass(frozen=True)
class _Outcome:
    """All that a call leaves behind: result, changed inputs, modes, shared tensors."""

    result: Any
    inputs: Any
    grad_mode: bool
    autocast: bool
    aliases: list[int]


def run_graph(
    gm: fx.GraphModule,
    *inputs: Any,
    eager: Callable[..., Any] | None = None,
    reset: Callable[[], Any] | None = None,
    calls: int = 1,
    **kwargs: Any,
) -> Program:
    """Hold the generated function against the graph, in all the ways it may be run.

    Args:
        gm: The graph.
        inputs: Positional inputs; every run gets copies of its own.
        eager: What the graph means; by default what interpreting it gives.
        reset: Puts back what a run changes behind the inputs and the buffers.
        calls: How often each function is called with the same inputs.
        kwargs: Keyword inputs.

    Returns:
        The program, for what a test wants to know beyond that.
    """
    program = astgen.generate(gm)
    again = astgen.generate(gm)
    assert again.code == program.code
    assert again.submod_names == program.submod_names
    assert len(again.consts) == len(program.consts)
    assert program.check() == ()
    state = _State(gm, reset)
    found = ways(gm, program)
    meaning = eager if eager is not None else (lambda *a, **k: interpret(gm, *a, **k))
    expected = _call(lambda: meaning, inputs, kwargs, state, calls)
    for name, make in found.items():
        actual = _call(make, inputs, kwargs, state, calls)
        assert_same(actual.result, expected.result, name)
        assert_same(actual.inputs, expected.inputs, f"inputs after {name}")
        assert actual.aliases == expected.aliases, f"{name}: tensors shared otherwise"
        assert actual.grad_mode == expected.grad_mode, f"{name}: grad mode"
        assert actual.autocast == expected.autocast, f"{name}: autocast"
    if reset is None:
        state.restore()
        args, named = copy.deepcopy((inputs, kwargs))
        pieces = pieces_of(gm, program)
        after = expected.inputs
        run = Run(pieces, args, named, calls, expected.result, after)
        STORED.record(program, run)
    return program


def ways(
    gm: fx.GraphModule, program: Program
) -> dict[str, Callable[[], Callable[..., Any]]]:
    """All ways to come from a program to its function, the ways of stock code too."""
    pieces = pieces_of(gm, program)
    found: dict[str, Callable[[], Callable[..., Any]]] = {
        "astgen": lambda: program.compile(pieces),
        "stock": lambda: stock(gm, program),
    }
    if all(map(_pickles, _originals(gm))):
        stored = pickle.dumps(program.consts)

        def cached() -> Program:
            return dataclasses.replace(program, consts=pickle.loads(stored))

        found["stock from a cache"] = lambda: stock(gm, cached())
        found["astgen from a cache"] = lambda: cached().compile(pieces)
    return found


def stock(gm: fx.GraphModule, program: Program) -> Callable[..., Any]:
    """What code that knows nothing of astgen makes of the text."""
    namespace: dict[str, Any] = {"__vllm_consts__": program.consts}
    exec(program.code, namespace)
    entry = namespace[program.dialect.entry]
    pieces = [_module_at(gm, name) for name in program.submod_names]

    def run(*args: Any, **kwargs: Any) -> Any:
        return entry(*args, **kwargs, __vllm_submods__=pieces)

    return run


def pieces_of(gm: fx.GraphModule, program: Program) -> dict[str, Callable[..., Any]]:
    """The callables for the pieces; plain GraphModule children need none."""
    modules = {name: _module_at(gm, name) for name in program.submod_names}
    return {
        name: module
        for name, module in modules.items()
        if not isinstance(module, fx.GraphModule)
    }


def _module_at(gm: fx.GraphModule, path: str) -> Any:
    found: Any = gm
    for name in path.split("."):
        found = getattr(found, name)
    return found


class _State:
    """The modes and buffers that every run starts from."""

    def __init__(self, gm: fx.GraphModule, reset: Callable[[], Any] | None) -> None:
        self._reset = reset
        tensors = [*gm.parameters(), *gm.buffers()]
        self.saved = [(tensor, tensor.detach().clone()) for tensor in tensors]

    def restore(self) -> None:
        torch.manual_seed(7)
        with torch.no_grad():
            for tensor, saved in self.saved:
                tensor.copy_(saved)
        if self._reset is not None:
            self._reset()


def _call(
    make: Callable[[], Callable[..., Any]],
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    state: _State,
    calls: int,
) -> _Outcome:
    args, named = copy.deepcopy((inputs, kwargs))
    state.restore()
    grad_mode = torch.is_grad_enabled()
    function = make()
    try:
        results = [function(*args, **named) for _ in range(calls)]
        result = results[0] if calls == 1 else results
        # A weight is compared by value; the next run starts from the saved one.
        shared = tensors_in((args, named, result))
        return _Outcome(
            _kept(result, state),
            (args, named),
            torch.is_grad_enabled(),
            torch.is_autocast_enabled("cpu"),
            [_first(shared, tensor) for tensor in shared],
        )
    finally:
        torch.set_grad_enabled(grad_mode)


def _kept(result: Any, state: _State) -> Any:
    """The result with weights copied, which the next run would change back."""
    owned = {id(tensor) for tensor, _ in state.saved}
    tensors = tensors_in(result)
    if not any(id(tensor) in owned for tensor in tensors):
        return result
    return copy.deepcopy(
        result, {id(tensor): tensor for tensor in tensors if id(tensor) not in owned}
    )


def _first(tensors: list[torch.Tensor], wanted: torch.Tensor) -> int:
    return next(i for i, tensor in enumerate(tensors) if tensor is wanted)


def _originals(gm: fx.GraphModule) -> Iterator[Any]:
    """The objects of the user's that a graph refers to; operators are not his."""
    for module in gm.modules():
        if not isinstance(module, fx.GraphModule):
            continue
        for node in module.graph.nodes:
            yield from _leaves((node.args, dict(node.kwargs)))
            if node.op == "call_function":
                yield from _leaves(node.target)
            elif node.op == "get_attr":
                yield _module_at(module, str(node.target))
            elif node.op == "call_module":
                child = _module_at(module, str(node.target))
                # Graphs that cannot be inlined are constants as well.
                if isinstance(child, fx.GraphModule) and (
                    "forward" in vars(child)
                    or child._forward_hooks
                    or child._forward_pre_hooks
                ):
                    yield child


def _leaves(value: Any) -> Iterator[Any]:
    for leaf in pytree.tree_leaves(value):
        if isinstance(leaf, slice):
            yield from _leaves((leaf.start, leaf.stop, leaf.step))
        elif not isinstance(
            leaf, (fx.Node, torch._ops.OperatorBase, torch._ops.OpOverloadPacket)
        ):
            yield leaf


def _pickles(value: Any) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:
        return False
    return True
