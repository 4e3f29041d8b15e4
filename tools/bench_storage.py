"""Loading a program from a file, against what vLLM's cache does for the same text.

vLLM keeps the text, the names of the pieces and the constants in a pickled dict, and
executes the text: no digest, no check, no list of what constants may be. Both sides
read a file of their own and end with a function that is bound to the same pieces.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator
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
        The rows: of the same text, of what each generated itself, and reading alone.
    """
    stubs = subject.stubs()
    program = generate(subject.gm)
    code, names, consts = upstream.generate_execution_code(subject.gm)
    with tempfile.TemporaryDirectory() as folder:
        mine, same, own = (Path(folder) / name for name in ("a", "same", "own"))
        program.save(mine)
        same.write_bytes(
            _pickled(program.code, list(program.submod_names), program.consts)
        )
        own.write_bytes(_pickled(code, names, consts))
        for what, peer in (
            ("file to callable", same),
            ("file to callable, each its own text", own),
        ):
            yield _row(
                *(what, subject, pairs),
                lambda: Program.load(mine).compile(stubs),
                lambda: upstream.compile_execution_fn(*_unpickled(peer, stubs)),
            )
        yield _row(
            *("file to program", subject, pairs),
            lambda: Program.load(mine),
            lambda: _unpickled(same, stubs),
        )


def _pickled(code: str, names: list[str], consts: list[Any]) -> bytes:
    state = {"execution_code": code, "submod_names": names, "consts": consts}
    return pickle.dumps(state)


def _unpickled(path: Path, stubs: Any) -> tuple[Any, ...]:
    found = pickle.loads(path.read_bytes())
    return found["execution_code"], stubs, found["submod_names"], found["consts"]


def _row(
    what: str,
    subject: Subject,
    pairs: int,
    ours: Callable[[], object],
    peer: Callable[[], object],
) -> Row:
    found = compare(*in_turns(stopwatch(ours), stopwatch(peer), pairs))
    return Row("storage", what, subject.name, "upstream", "ms", found)
