"""Every program that a test runs, saved, and run again by another process.

Saving is part of the test; the other process is started once, when the tests are done
(with pytest-xdist, by each worker). It has another hash seed, loads each artifact,
and compares what the program returns with what the graph means. Constants that cannot
be stored are supplied there. What cannot be handed to another process at all, such as
inputs of a class inside a test, is left out.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from astgen.errors import ConstantError
from astgen.program import Program
from astgen.store import DecodePolicy
from support.fresh import FRESH

__all__ = ["STORED", "Run", "Stored", "complain", "policy_for"]

_OPS = "torch.ops."
_MANY = 10
"""Of fewer programs, as when one test is run, it may be that none can be stored."""

_CHILD = """
import sys
sys.path[:0] = sys.argv[2:]
from support.stored import complain
complain(sys.argv[1])
"""


@dataclass(frozen=True)
class Run:
    """What a program is called with, and what comes out.

    Attributes:
        pieces: Its pieces, by name.
        args: Positional arguments.
        kwargs: Keyword arguments.
        calls: How often it is called.
        result: What it returns.
        inputs: What the arguments are afterwards.
    """

    pieces: Mapping[str, Callable[..., Any]]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    calls: int
    result: Any
    inputs: Any


@dataclass
class Stored:
    """The programs of a test process.

    Attributes:
        folder: Where the artifacts are; None until a test session wants them.
        runs: How many programs were run.
        count: How many of them are stored.
        refused: How many have constants that cannot be stored or handed over.
        supplied: How many of the stored ones have constants that are handed over.
        bound: How many have values that stay in the process.
    """

    folder: Path | None = None
    runs: int = 0
    count: int = 0
    refused: int = 0
    supplied: int = 0
    bound: int = 0

    def record(self, program: Program, run: Run) -> None:
        """Save a program, and what it should do."""
        if FRESH in os.environ:
            return
        self.runs += 1
        if self.folder is None:
            return
        place = self.folder / f"{self.count}"
        absent = [one.slot for one in program.check_portable() if not one.is_stored]
        if absent:
            with pytest.raises(ConstantError) as caught:
                program.save(place.with_suffix(".astgen"))
            assert caught.value.slot == absent[0]
        program.save(place.with_suffix(".astgen"), supplied=absent)
        given = {slot: program.consts[slot] for slot in absent}
        if not _goes_elsewhere(given):
            self.refused += 1
            return
        test = os.environ.get("PYTEST_CURRENT_TEST", "outside of tests")
        said = (test, policy_for(program), program.dialect, given, run)
        if not _goes_elsewhere(said):
            self.bound += 1
            return
        place.with_suffix(".run").write_bytes(pickle.dumps(said))
        self.count += 1
        self.supplied += bool(absent)

    def complaints(self) -> str:
        """What the other process has to say; empty if all is well."""
        if 2 * self.count < self.runs and self.runs >= _MANY:
            return (
                f"{self.runs} programs were run, and only {self.count} stored: "
                f"{self.refused} have constants that cannot be, {self.bound} have "
                "values that stay in their process"
            )
        if not self.count:
            return ""
        command = [sys.executable, "-W", "ignore", "-c", _CHILD, str(self.folder)]
        done = subprocess.run(
            command + sys.path,
            env={**os.environ, "PYTHONHASHSEED": "77"},
            capture_output=True,
            text=True,
        )
        if done.returncode or done.stdout.strip() != f"{self.count} programs":
            return done.stdout[-5000:] + done.stderr[-5000:]
        return ""


def _goes_elsewhere(value: Any) -> bool:
    """Whether another process can be given a value."""
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:
        return False
    return True


def policy_for(program: Program) -> DecodePolicy:
    """What must be allowed for the constants of a program, and no more."""
    needs = {need for answer in program.check_portable() for need in answer.needs}
    return DecodePolicy(
        modules=frozenset(need for need in needs if ":" in need),
        attributes=frozenset(need[1:] for need in needs if need.startswith(".")),
        namespaces=program.dialect.namespaces
        | {need.removeprefix(_OPS) for need in needs if need.startswith(_OPS)},
    )


def complain(folder: str) -> None:
    """Run the programs of a folder, and print how many did what they should."""
    import torch

    from support.compare import assert_same

    # Registers the operators of the tests, which programs know by name only.
    importlib.import_module("support.things")
    found = sorted(Path(folder).glob("*.run"))
    done = 0
    for path in found:
        test, policy, dialect, given, run = pickle.loads(path.read_bytes())
        try:
            program = Program.load(
                path.with_suffix(".astgen"),
                constants=policy,
                dialect=dialect,
                supplied=given,
            )
            function = program.compile(run.pieces)
            torch.manual_seed(7)
            results = [function(*run.args, **run.kwargs) for _ in range(run.calls)]
            result = results[0] if run.calls == 1 else results
            assert_same(result, run.result, "result")
            assert_same((run.args, run.kwargs), run.inputs, "inputs")
            done += 1
        except Exception as error:
            print(f"{test}: {path}: {type(error).__name__}: {error}")
        finally:
            torch.set_grad_enabled(True)
    print(f"{done} programs")


STORED = Stored()
"""The programs of this process."""
