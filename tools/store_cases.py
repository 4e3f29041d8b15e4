"""Runs a folder of cases once more, each from a file, in a process of its own.

    python tools/store_cases.py FOLDER [ID...]

FOLDER holds a module `cases.py` with `CASES`, graphs with inputs and the value that
they mean. Each is generated and saved. A second process, with another hash seed, loads
each file and runs it; constants that cannot be stored are supplied there, by the case
that it builds anew. It ends with 1 if a case that runs in memory does not run there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch
from torch import fx

from astgen import Dialect
from astgen.errors import AstgenError
from astgen.program import Program, generate
from astgen.store import DecodePolicy

__all__ = ["main"]

_LOAD = "--load"
_OPS = "torch.ops."


def main(arguments: list[str]) -> int:
    """Save all cases, and load them elsewhere; or be the process that loads."""
    warnings.simplefilter("ignore")
    folder, *rest = arguments
    sys.path.insert(0, folder)
    import cases

    if rest[:1] == [_LOAD]:
        return _load(cases, Path(rest[1]), rest[2:])
    with tempfile.TemporaryDirectory() as place:
        saved = _save(cases, Path(place), rest)
        command = [sys.executable, __file__, folder, _LOAD, place, *saved]
        environment = {**os.environ, "PYTHONHASHSEED": "77"}
        return subprocess.run(command, env=environment).returncode


def _save(cases: Any, place: Path, wanted: list[str]) -> list[str]:
    saved = []
    for case in cases.CASES:
        if wanted and case.id not in wanted:
            continue
        try:
            program = generate(case.build()[0])
            answers = program.check_portable()
            absent = [one.slot for one in answers if not one.is_stored]
            program.save(place / case.id, supplied=absent)
        except AstgenError as error:
            print(f"{case.id}: not saved: {type(error).__name__}: {error}"[:200])
            continue
        needs = sorted({need for one in answers for need in one.needs})
        said = [needs, sorted(program.dialect.namespaces), absent]
        (place / f"{case.id}.json").write_text(json.dumps(said))
        saved.append(case.id)
    return saved


def _load(cases: Any, place: Path, saved: list[str]) -> int:
    counts: Counter[str] = Counter()
    for case in cases.CASES:
        if case.id not in saved:
            continue
        absent = json.loads((place / f"{case.id}.json").read_text())[2]
        there = _outcome(cases, case, lambda gm: _loaded(place, case, gm))
        here = _outcome(cases, case, lambda gm: generate(gm))
        what = "equal" if there == "equal" else "not equal"
        if there != "equal" and there == here:
            what = "not equal, as in memory"
        counts[what] += 1
        if what != "equal":
            print(f"{case.id}: {what}: {there}; in memory: {here}")
        elif absent:
            print(f"{case.id}: equal, with the constants {absent} supplied")
            counts["equal with constants supplied"] += 1
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return int(counts["not equal"] > 0)


def _loaded(place: Path, case: Any, gm: fx.GraphModule) -> Program:
    needs, namespaces, absent = json.loads((place / f"{case.id}.json").read_text())
    policy = DecodePolicy(
        modules=frozenset(need for need in needs if ":" in need),
        attributes=frozenset(need[1:] for need in needs if need.startswith(".")),
        namespaces=DecodePolicy.namespaces
        | {need.removeprefix(_OPS) for need in needs if need.startswith(_OPS)},
    )
    own = generate(gm).consts if absent else []
    return Program.load(
        place / case.id,
        constants=policy,
        dialect=Dialect(namespaces=frozenset(namespaces)),
        supplied={slot: own[slot] for slot in absent},
    )


def _outcome(cases: Any, case: Any, program_for: Any) -> str:
    """What comes of a case: `equal`, or what else."""
    grad = torch.is_grad_enabled()
    try:
        gm, inputs, expected = case.build()
        program = program_for(gm)
        if case.mode in ("text", "twin"):
            return "equal" if program.code == generate(gm).code else "another text"
        run = program.compile(_pieces(gm, program))
        keywords = getattr(inputs, "kwargs", {})
        if case.mode == "reject":
            return _refusal(run, inputs, keywords)
        if case.mode == "call_factory":
            make = inputs[0]
            found = run(make())
        elif case.mode in ("value2", "artifact"):
            found = (run(*inputs, **keywords), run(*inputs, **keywords))
        else:
            found = run(*inputs, **keywords)
        return "equal" if cases.same(found, expected) else "another value"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        torch.set_grad_enabled(grad)


def _refusal(run: Any, inputs: Any, keywords: dict[str, Any]) -> str:
    try:
        run(*inputs, **keywords)
    except Exception:
        return "equal"
    return "no error"


def _pieces(gm: fx.GraphModule, program: Program) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in program.submod_names:
        try:
            piece = gm.get_submodule(name)
        except AttributeError:
            piece = getattr(gm, name)
        if not isinstance(piece, fx.GraphModule):
            found[name] = piece
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
