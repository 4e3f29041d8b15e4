"""Write the programs that the tests of dumps and differences look at.

    python tools/review_data.py [--cases FOLDER] [--llama FILE]

The built-in model is compiled here. FOLDER holds a module `cases.py` with `CASES`,
graphs with inputs. FILE is the artifact that `ASTGEN_VLLM_DUMP` wrote for a llama of a
real vLLM; of the lines of vLLM only their places are kept. What is not given stays as
it is. Look at the difference, and run `tools/update_golden.py` behind it.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import fx

from astgen.backend import BackendOptions, compile_graph
from astgen.cli.demo import decoder
from astgen.errors import AstgenError
from astgen.program import Program, generate
from astgen.provenance.document import write_provenance
from astgen.provenance.model import Origin, Provenance
from astgen.review.programs import ReadProgram, read_programs

__all__ = ["main"]

_LARGE = 10_000
DATA = Path(__file__).resolve().parent.parent / "tests" / "review" / "data"


def main() -> None:
    """Write the files that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--llama", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    _write("decoder", [("decoder", _read(_decoder()))])
    if given.cases:
        sys.path.insert(0, str(given.cases))
        import cases

        _write("cases", _cases(cases.CASES))
    if given.llama:
        (program,) = read_programs(given.llama)
        _write("llama", [("llama", program)])


class _Noting(fx.Interpreter):
    """Leaves the value of each node in its metadata, as tracers do."""

    def run_node(self, n: fx.Node) -> Any:
        """Run a node."""
        n.meta["val"] = value = super().run_node(n)
        return value


def _decoder() -> Program:
    model, args = decoder()
    found: list[Program] = []

    def backend(gm: fx.GraphModule, inputs: object) -> Any:
        compiled = compile_graph(gm, BackendOptions(provenance=True))
        found.append(compiled.program)
        return compiled.function

    torch.compile(model, backend=backend)(*args)
    return found[0]


def _cases(cases: Any) -> list[tuple[str, ReadProgram]]:
    found = []
    for case in cases:
        gm, args = case.build()[:2]
        # Cases that fail have what was computed up to there.
        with suppress(Exception):
            _Noting(gm).run(*args)
        try:
            program = generate(gm, provenance=True)
        except AstgenError as error:
            print(f"{case.id}: left out: {error}")
            continue
        if len(program.code) > _LARGE:
            print(f"{case.id}: left out: it has {len(program.code)} characters")
        else:
            found.append((case.id, _read(program)))
    return sorted(found, key=lambda one: one[0])


def _read(program: Program) -> ReadProgram:
    """A program as a file has it."""
    slots = [one.slot for one in program.check_portable() if not one.is_stored]
    with TemporaryDirectory() as folder:
        program.save(f"{folder}/program", supplied=slots)
        return read_programs(f"{folder}/program")[0]


def _write(name: str, programs: list[tuple[str, ReadProgram]]) -> None:
    records = [_record(title, program) for title, program in programs]
    text = json.dumps(records, indent=0, sort_keys=True)
    (DATA / f"{name}.json").write_text(f"{text}\n", encoding="ascii")


def _record(title: str, program: ReadProgram) -> dict[str, Any]:
    origins = program.provenance
    return {
        "title": title,
        "code": program.code.split("\n"),
        "submod_names": program.submod_names,
        "constants": [[c.kind, c.shown, c.key] for c in program.constants or ()],
        "provenance": origins and json.loads(write_provenance(_without_lines(origins))),
    }


def _without_lines(origins: Provenance) -> Provenance:
    """The same, without the text of lines that are not of this project."""
    return replace(
        origins,
        functions={
            name: replace(one, statements=tuple(map(_shortened, one.statements)))
            for name, one in origins.functions.items()
        },
    )


def _shortened(origin: Origin | None) -> Origin | None:
    source = origin.source if origin is not None else None
    if origin is None or source is None or source.file.startswith("astgen/"):
        return origin
    return replace(origin, source=replace(source, text=""))


if __name__ == "__main__":
    main()
