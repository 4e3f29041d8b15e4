"""PyTorch's operator database as a source of graphs: what `opinfo_sweep.py` runs.

operator -> sample inputs -> make_fx graph -> verdict
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

from graph_runs import judge, reason, seed
from sameness import copied

__all__ = ["Case", "UntraceableError", "Verdict", "cases", "operators", "verdicts"]

DATABASE = "torch.testing._internal.common_methods_invocations"

# Tried in this order: real numbers are what most operators are for.
_DTYPES = (torch.float32, torch.complex64, torch.int64, torch.float8_e4m3fn)

# What `make_fx` is asked for, in this order. The last one keeps the numbers that the
# sample's data gave, where the graph depends on them; the sample runs with the same.
_MODES: dict[str, dict[str, Any]] = {
    "real": {"tracing_mode": "real"},
    "symbolic": {"tracing_mode": "symbolic"},
    "data kept": {"tracing_mode": "real", "_error_on_data_dependent_ops": False},
}


class UntraceableError(Exception):
    """`make_fx` gives no graph of a call; the message says why."""


@dataclass(frozen=True)
class Verdict:
    """What came of one sample.

    Attributes:
        operator: Name in the database, variant included.
        sample: Number of the sample, from 0.
        variant: "function", or "in place" for the method that changes its input.
        kind: What `graph_runs.judge` returns, "untraceable", "no sample" or "crashed".
        detail: What differs, or the reason.
        mode: How `make_fx` could trace it.
    """

    operator: str
    sample: int
    variant: str
    kind: str
    detail: str = ""
    mode: str = ""


@dataclass(frozen=True)
class Case:
    """One call: a sample of an operator, as a function or in place."""

    sample: int
    variant: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]

    def trace(self) -> tuple[fx.GraphModule, str]:
        """The graph of the call, and how `make_fx` could trace it.

        Raises:
            UntraceableError: It could not in any way.
        """
        reasons: list[str] = []
        for mode, options in _MODES.items():
            seed()
            try:
                gm = make_fx(self.function, **options)(*copied(self.inputs))
                return gm, mode
            except Exception as error:
                reasons.append(f"make_fx, {mode}: {reason(error)}")
        try:
            self.function(*copied(self.inputs))
        except Exception as error:
            reasons.insert(0, f"eager raises {reason(error)}")
        raise UntraceableError(reasons[0])


@functools.cache
def operators() -> dict[str, Any]:
    """The entries of the database by full name.

    Raises:
        ModuleNotFoundError: A package which the database needs is missing.
    """
    # Importing it forbids the whole process to set flags of backends.
    unlocked = mock.patch.object(torch.backends, "disable_global_flags", lambda: None)
    with warnings.catch_warnings(), unlocked:
        warnings.simplefilter("ignore")
        database = importlib.import_module(DATABASE).op_db
    return {entry.full_name: entry for entry in database}


def cases(name: str, samples: int) -> list[Case]:
    """The first samples of an operator, each in place too where there is a method.

    Raises:
        Exception: What the database raises when it makes them.
    """
    entry = operators()[name]
    dtype = _dtype(entry)
    if dtype is None:
        return []
    seed()
    found: list[Case] = []
    inplace = entry.get_inplace()
    made = entry.sample_inputs("cpu", dtype, requires_grad=False)
    for number, sample in enumerate(islice(made, samples)):
        inputs = (sample.input, sample.args, sample.kwargs)
        found.append(Case(number, "function", _calling(entry.op), inputs))
        if inplace is not None and not sample.broadcasts_input:
            found.append(Case(number, "in place", _calling(inplace), inputs))
    return found


def verdicts(name: str, samples: int) -> Iterator[Verdict]:
    """Run the first samples of an operator; at least one verdict, and no exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = cases(name, samples)
        except Exception as error:
            yield Verdict(name, 0, "function", "no sample", reason(error))
            return
        for case in found:
            yield Verdict(name, case.sample, case.variant, *_judged(case))
        if not found:
            why = "the database has no sample inputs"
            if _dtype(operators()[name]) is None:
                why = "not supported on the CPU"
            yield Verdict(name, 0, "function", "no sample", why)


def _judged(case: Case) -> tuple[str, str, str]:
    mode = ""
    try:
        gm, mode = case.trace()
        return (*judge(gm, case.inputs), mode)
    except UntraceableError as error:
        return "untraceable", str(error), mode
    except Exception as error:
        return "error", f"the sweep itself: {reason(error)}", mode


def _dtype(entry: Any) -> torch.dtype | None:
    supported = entry.supported_dtypes("cpu")
    preferred = [dtype for dtype in _DTYPES if dtype in supported]
    return next(iter([*preferred, *sorted(supported, key=str)]), None)


def _calling(op: Callable[..., Any]) -> Callable[..., Any]:
    def call(value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return op(value, *args, **kwargs)

    return call
