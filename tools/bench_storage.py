"""Loading a program from a file, against what vLLM's cache does for the same text.

vLLM keeps the text, the names of the pieces and the constants in a pickled dict, and
executes the text: no digest, no check, no list of what constants may be. Both sides
read a file of their own, with the same text and constants, and end with a function
that is bound to the same pieces.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from astgen.program import Program, generate
from bench_graphs import Subject
from bench_pairs import Row, compare, in_turns, stopwatch
from bench_peers import Compiler

__all__ = ["storage"]


def storage(subject: Subject, upstream: Compiler, pairs: int) -> Iterator[Row]:
    """From a file to a callable, and from a file to a program that is not compiled.

    Args:
        subject: The graph.
        upstream: A module with vLLM's two functions.
        pairs: How many pairs each row is made of.

    Yields:
        The rows: the whole, and reading alone.
    """
    stubs = subject.stubs()
    program = generate(subject.gm)
    with tempfile.TemporaryDirectory() as folder:
        mine, other = Path(folder) / "a.astgen", Path(folder) / "model"
        program.save(mine)
        state = {
            "execution_code": program.code,
            "submod_names": list(program.submod_names),
            "consts": program.consts,
        }
        other.write_bytes(pickle.dumps(state))

        def unpickled() -> tuple[Any, ...]:
            found = pickle.loads(other.read_bytes())
            return (
                found["execution_code"],
                stubs,
                found["submod_names"],
                found["consts"],
            )

        sides = {
            "file to callable": (
                lambda: Program.load(mine).compile(stubs),
                lambda: upstream.compile_execution_fn(*unpickled()),
            ),
            "file to program": (lambda: Program.load(mine), unpickled),
        }
        for what, both in sides.items():
            ours, peer = map(stopwatch, both)
            found = compare(*in_turns(ours, peer, pairs))
            yield Row("storage", what, subject.name, "upstream", "ms", found)
