"""The main job on one page: capture, compile, run, compare."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from astgen.backend import BackendOptions
from astgen.cli.compare import difference, tolerances_for
from astgen.cli.inputs import Inputs
from astgen.cli.origin import describe
from astgen.cli.recorder import Recorded, Recorder
from astgen.cli.target import Model
from astgen.errors import AstgenError, CaptureError

__all__ = ["Job", "Run", "run_job"]

_SEED = 0
_AGAIN = "given, again"


@dataclass(frozen=True)
class Run:
    """One call of the model, compared with eager mode.

    Attributes:
        values: Where the inputs' values are from, in words.
        inputs: Their types and shapes, in words.
        difference: Where the results differ; None if they are equal.
    """

    values: str
    inputs: str
    difference: str | None


@dataclass(frozen=True)
class Job:
    """What came out.

    Attributes:
        graphs: The graphs that Dynamo captured, compiled.
        runs: The calls that were compared.
        tolerances: Relative and absolute tolerance by dtype; empty where equal
            means to the bit.
        notes: What the reader should know about them.
    """

    graphs: list[Recorded]
    runs: list[Run]
    tolerances: dict[str, float]
    notes: list[str]


def run_job(
    model: Model,
    options: BackendOptions,
    dynamic: bool | None,
    progress: Callable[[str], None],
) -> Job:
    """Compile a model and compare it with a copy of it in eager mode.

    Both are called with the given arguments, with shuffled ones, and with
    shuffled ones of another size if a size is marked as dynamic. The model stays
    in the mode that it is in. No gradients are computed.

    Args:
        model: The model and its arguments.
        options: Those of the backend.
        dynamic: Whether all sizes are dynamic, or none; None for those that
            `torch._dynamo.mark_dynamic` marked.
        progress: Called with what begins.

    Returns:
        The graphs and the comparisons.

    Raises:
        CaptureError: The model fails, or nothing was captured.
        AstgenError: The backend refused a graph.
    """
    torch._dynamo.reset()
    given = Inputs(model.args, model.kwargs)
    exact = options.pieces == "eager"
    pair = _Pair(model, Recorder(options, progress), dynamic)
    runs = []
    with torch.no_grad():
        for values, inputs in _variants(given):
            progress(f"running on {values} inputs")
            runs.append(_compare(pair, values, inputs, given, exact))
    if model.module.training:
        pair.notes.append("the model is in training mode; a factory may call .eval()")
    if not any(_is_stitched(graph) for graph in pair.recorder.graphs):
        names = ", ".join(options.splitting_ops)
        pair.notes.append(f"nothing to stitch, no graph has an operator {names}")
    tolerances = {} if exact else tolerances_for(pair.expected)
    return Job(pair.recorder.graphs, runs, tolerances, pair.notes)


def _is_stitched(graph: Recorded) -> bool:
    return any(piece.is_splitting for piece in graph.compiled.split.pieces)


def _variants(given: Inputs) -> Iterator[tuple[str, Inputs]]:
    torch.manual_seed(_SEED)
    yield "given", given
    yield "shuffled", given.shuffled()
    resized = given.resized()
    if resized is not None:
        yield "shuffled, resized", resized.shuffled()


def _compare(
    pair: _Pair, values: str, inputs: Inputs, given: Inputs, exact: bool
) -> Run:
    problem = pair.run_eager(inputs)
    if problem and inputs is not given:
        pair.notes.append(f"the model does not take {values} inputs: {problem}")
        values, inputs = _AGAIN, given
        problem = pair.run_eager(given)
    if problem:
        raise CaptureError(f"the model fails without astgen too: {problem}")
    found = difference(pair.run_compiled(inputs), pair.expected, exact)
    return Run(values, str(inputs), found)


class _Pair:
    """A model in eager mode and compiled, taken through the same calls.

    Two models, so that what a call changes in one is not there already when the
    other is called.
    """

    def __init__(self, model: Model, recorder: Recorder, dynamic: bool | None) -> None:
        self.recorder = recorder
        self.notes: list[str] = []
        self.expected: Any = None
        self._model = model
        self._eager = _copied(model.module)
        self._compiled = torch.compile(model.module, backend=recorder, dynamic=dynamic)
        self._static = dynamic is False

    def run_eager(self, inputs: Inputs) -> str | None:
        """Call the copy; what goes wrong comes back in words."""
        inputs = self._prepared(inputs)
        try:
            self.expected = _call(self._eager, self._eager, inputs)
        except Exception as error:
            # It may have changed before it failed.
            self._eager = _copied(self._model.module)
            return describe(error, self._model.source)
        return None

    def run_compiled(self, inputs: Inputs) -> Any:
        """Call the compiled model."""
        inputs = self._prepared(inputs)
        self.recorder.restart_clock()
        try:
            result = _call(self._compiled, self._model.module, inputs)
        except Exception as error:
            raise self._explained(error) from error
        if not self.recorder.graphs:
            raise CaptureError(
                f"there is no graph of {self._model.title}: it does nothing with "
                "tensors, or torch.compile is switched off for it"
            )
        return result

    def _prepared(self, inputs: Inputs) -> Inputs:
        return inputs.without_marks() if self._static else inputs.copied()

    def _explained(self, error: Exception) -> AstgenError:
        cause = self.recorder.error
        if isinstance(cause, AstgenError):
            return cause
        told = describe(cause or error, self._model.source)
        if cause is not None:
            return CaptureError(f"compiling a graph failed: {told}")
        return CaptureError(
            f"{self._model.title} runs in eager mode, but not under torch.compile: "
            f'{told}; see whether torch.compile(model, backend="eager") takes it'
        )


def _call(
    function: Callable[..., Any], owner: nn.Module, inputs: Inputs
) -> dict[str, Any]:
    """All that a call makes and changes."""
    # Random numbers are drawn in the same order by both models.
    torch.manual_seed(_SEED)
    result = function(*inputs.args, **inputs.kwargs)
    return {
        "result": result,
        "args": inputs.args,
        "kwargs": inputs.kwargs,
        "buffers": dict(owner.named_buffers()),
    }


def _copied(module: nn.Module) -> nn.Module:
    try:
        return copy.deepcopy(module)
    except Exception as error:
        raise CaptureError(
            f"the model cannot be copied: {describe(error)}; a copy of it runs in "
            "eager mode, to compare with"
        ) from error
