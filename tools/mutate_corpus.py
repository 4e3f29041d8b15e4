"""Programs to be mutated: of random graphs, of the tests' graphs, of files."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from astgen.check.dialect import DEFAULT_DIALECT, Dialect
from mutate_judge import flagged
from mutate_program import Program, inferred

__all__ = ["of_files", "of_graphs", "of_tests"]

TESTS = Path(__file__).resolve().parents[1] / "tests"


def of_files(paths: list[Path], namespaces: tuple[str, ...]) -> Iterator[Program]:
    """The programs of files, `*.py` and `*.txt` of directories.

    Args:
        paths: Files and directories.
        namespaces: Operator namespaces that are allowed beside the known ones.

    Raises:
        OSError, SyntaxError: A file cannot be read, or is no Python.
    """
    allowed = DEFAULT_DIALECT.namespaces | {*namespaces}
    dialect = Dialect(namespaces=allowed) if namespaces else DEFAULT_DIALECT
    for path in paths:
        found = [path]
        if path.is_dir():
            found = sorted([*path.glob("*.py"), *path.glob("*.txt")])
        for file in found:
            yield inferred(str(file), file.read_text(encoding="utf-8"), dialect)


def of_graphs(count: int, seed: int) -> Iterator[Program]:
    """The programs of random graphs, drawn as `fuzz.py` draws them."""
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from support.random_graphs import RandomGraph

    import astgen

    for number in range(seed, seed + count):
        program = astgen.generate(RandomGraph(Random(number)).module())
        yield Program(
            f"random graph {number}",
            program.code,
            len(program.consts),
            len(program.submod_names),
            program.dialect,
        )


def of_tests(part: str) -> list[Program]:
    """The programs that a part of the tests generates; the tests are run.

    Args:
        part: A file or directory below `tests`.

    Returns:
        The distinct ones that the checker accepts, in the order of their names.
    """
    import pytest

    import astgen.emit

    emit = astgen.emit.emit
    found: dict[str, Program] = {}

    def recording(*args: Any, **kwargs: Any) -> Any:
        emitted = emit(*args, **kwargs)
        digest = hashlib.sha256(emitted.code.encode("utf-8", "replace")).hexdigest()
        found[digest] = Program(
            f"{part} {digest[:12]}",
            emitted.code,
            len(emitted.consts),
            len(emitted.submod_names),
            emitted.dialect,
        )
        return emitted

    # The tests' own watch wraps whatever stands here when it is imported.
    patched = mock.patch.object(astgen.emit, "emit", recording)
    with patched, contextlib.redirect_stdout(sys.stderr):
        pytest.main([str(TESTS / part), "-q", "-p", "no:cacheprovider"])
    valid = [one for one in found.values() if not flagged(one, one.text)]
    return sorted(valid, key=lambda program: program.name)
