"""One graph held against FX's Interpreter, for the sweeps.

    graph + inputs -> program -> runs that start from the same state -> kind, detail

The meaning of a graph is what `torch.fx.Interpreter` makes of it.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import fx

import astgen
from astgen.errors import UnsupportedGraphError
from sameness import Place, copied, differences, tensors_in

__all__ = ["judge", "reason", "seed"]


def judge(gm: fx.GraphModule, inputs: tuple[Any, ...]) -> tuple[str, str]:
    """Generate a graph's program, run it and compare it with the Interpreter.

    Args:
        gm: The graph.
        inputs: Positional inputs; every run gets copies of its own.

    Returns:
        A kind and its detail: "equal" ("numbers vary" where the Interpreter does not
        give the same twice, and only the form of tensors was compared), "different",
        "refused" while generating, "findings" of the checker, "error" where the
        program raises, "no reference" where the Interpreter does.
    """
    try:
        program = astgen.generate(gm)
    except UnsupportedGraphError as error:
        return "refused", str(error)
    except Exception as error:
        return "error", f"generate: {reason(error)}"
    findings = program.check()
    if findings:
        return "findings", "; ".join(map(str, findings))
    runs, interpreter = _Runs(gm, inputs), fx.Interpreter(gm)
    try:
        expected, again = runs.outcome(interpreter.run), runs.outcome(interpreter.run)
    except Exception as error:
        return "no reference", reason(error)
    loose = {place for place, _, numbers in differences(again, expected) if numbers}
    for way, make in _ways(gm, program).items():
        try:
            actual = runs.outcome(make())
        except Exception as error:
            return "error", f"{way}: {reason(error)}"
        wrong = _wrong(actual, expected, loose)
        if wrong:
            return "different", f"{way}: {wrong}"
    return "equal", "numbers vary" if loose else ""


def reason(error: Exception) -> str:
    """Type and first line of an error, without what changes from run to run."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: " + re.sub(r"0x[0-9a-f]+", "0x…", lines[0])[:160]


def seed() -> None:
    """Start all random numbers anew."""
    torch.manual_seed(7)
    random.seed(7)
    np.random.seed(7)


def _ways(
    gm: fx.GraphModule, program: astgen.Program
) -> dict[str, Callable[[], Callable[..., Any]]]:
    """The two ways to a function: astgen's, and what stock code does with the text."""
    pieces = {name: gm.get_submodule(name) for name in program.submod_names}

    def stock() -> Callable[..., Any]:
        namespace: dict[str, Any] = {"__vllm_consts__": program.consts}
        exec(program.code, namespace)
        entry = namespace[program.dialect.entry]
        return functools.partial(entry, __vllm_submods__=list(pieces.values()))

    return {"astgen": lambda: program.compile(pieces), "stock": stock}


class _Runs:
    """Runs of a graph which all start from the same inputs, constants and seed."""

    def __init__(self, gm: fx.GraphModule, inputs: tuple[Any, ...]) -> None:
        self._inputs = inputs
        owned = tensors_in([list(vars(module).values()) for module in gm.modules()])
        self._owned = [(tensor, tensor.detach().clone()) for tensor in owned]

    def outcome(self, function: Callable[..., Any]) -> dict[str, Any]:
        """What a run leaves behind: results, inputs, constants, and what is shared."""
        for tensor, saved in self._owned:
            if any(differences(tensor.detach(), saved)):
                tensor.detach().copy_(saved)
        inputs = copied(self._inputs)
        seed()
        with _filled_memory():
            result = function(*inputs)
        owned = [tensor for tensor, _ in self._owned]
        left = {"result": result, "inputs": inputs, "constants": owned}
        tensors = tensors_in(left)
        # Later runs write into the constants, and into results which share them.
        return {
            **copied(left),
            "same objects": _first_of(list(map(id, tensors))),
            "same storages": _first_of(list(map(_storage, tensors))),
            "random numbers": torch.get_rng_state(),
        }


def _storage(tensor: torch.Tensor) -> int:
    plain = tensor.layout is torch.strided and not tensor.is_meta
    return tensor.untyped_storage()._cdata if plain else id(tensor)


def _first_of(keys: list[int]) -> list[int]:
    return [keys.index(key) for key in keys]


@contextmanager
def _filled_memory() -> Iterator[None]:
    """Uninitialised memory gets a known content, so that it can be compared as well."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def _wrong(actual: Any, expected: Any, loose: set[Place]) -> str:
    """What differs, without the numbers at places where the Interpreter varies too."""
    lines = [
        f"{''.join(place)}: {text}"
        for place, text, numbers in differences(actual, expected)
        if not (numbers and place in loose)
    ]
    return "; ".join(lines[:3])
