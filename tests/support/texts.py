"""Every text that is generated while the tests run, for one last look at all of them.

The last look is slow and the same for all: black must have nothing to change, libcst
must print the same text, and the linter must have nothing to say, not even a note. So
it is done once, for distinct texts, when a test process ends (with pytest-xdist, each
worker looks at its own).
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import black

import astgen.codegen
import astgen.emit
from astgen.check import DEFAULT_DIALECT
from astgen.emit import Emitted, emit
from astgen.lint.program import judge
from astgen.lint.rules import ALL_RULES
from astgen.lint.settings import Settings
from astgen.lint.subject import Constant, Subject
from support.unhoist import equal, hoisted, lookups, unhoisted

__all__ = ["Texts", "watch"]

_LONG = 50_000
_SAMPLE = 200


class Texts:
    """The distinct texts of a test process, and who generated each first."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._texts: list[tuple[str, str]] = []
        self._complaints: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def record(self, emitted: Emitted) -> None:
        """Keep the text; have libcst print its tree, which need not be kept."""
        code = emitted.code
        digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()
        if digest in self._seen:
            return
        self._seen.add(digest)
        test = os.environ.get("PYTEST_CURRENT_TEST", "outside of tests")
        self._texts.append((test, code))
        if emitted.module.code != code:
            self._complaints.append(f"{test}: libcst prints another text:\n{code}")
        self._complaints += [f"{test}: {found}\n{code}" for found in _lint(emitted)]
        self._complaints += [f"{test}: {found}\n{code}" for found in _hoist(emitted)]

    def complaints(self) -> list[str]:
        """What is wrong with the texts, one message for each."""
        found = list(self._complaints)
        for test, code in self._texts:
            shown = code if len(code) < _LONG else _sample(code)
            try:
                wanted = black.format_str(shown, mode=black.Mode())
            except black.InvalidInput as error:
                wanted = f"an error: {error}"
            if wanted != shown:
                found.append(f"{test}: black changes\n{shown}\nto\n{wanted}")
        return found


@contextmanager
def watch() -> Iterator[Texts]:
    """Record whatever the emitter returns, whoever called it."""
    texts = Texts()

    @functools.wraps(emit)
    def recording(*args: Any, **kwargs: Any) -> Emitted:
        emitted = emit(*args, **kwargs)
        texts.record(emitted)
        return emitted

    replaced: Callable[..., Any] = recording
    with (
        mock.patch.object(astgen.emit, "emit", replaced),
        mock.patch.object(astgen.codegen, "emit", replaced),
    ):
        yield texts


def _lint(emitted: Emitted) -> list[str]:
    """What the linter says of a text; parts of programs are none."""
    if emitted.dialect.entry != DEFAULT_DIALECT.entry or "import" not in emitted.code:
        return []
    settings = Settings(namespaces=tuple(emitted.dialect.namespaces))
    subject = Subject(
        emitted.code,
        submod_names=tuple(emitted.submod_names),
        consts=tuple(
            Constant("builtins.int", str(slot), str(slot))
            for slot in range(len(emitted.consts))
        ),
    )
    active = ALL_RULES.keys() - {"AG002"}
    return [str(one) for one in judge(subject, settings, active, most=10)]


def _hoist(emitted: Emitted) -> list[str]:
    """What is wrong with the tree that is compiled; parts of programs are none."""
    if "import" not in emitted.code:
        return []
    tree = hoisted(emitted.code, emitted.dialect)
    found = [f"{path} is still looked up" for path in lookups(tree, emitted.dialect)]
    if not equal(unhoisted(tree), ast.parse(emitted.code)):
        found.append("more than paths and slots was hoisted")
    return found


def _sample(code: str) -> str:
    """The heads of all functions, and statements from all over their bodies.

    Black takes seconds for long texts, and formats each statement by itself.
    """
    lines = code.splitlines(keepends=True)
    tree = ast.parse(code)
    total = sum(
        len(node.body) for node in tree.body if isinstance(node, ast.FunctionDef)
    )
    step = max(1, total // _SAMPLE)
    kept: list[str] = []
    start = 0
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        first = node.body[0].lineno - 1
        kept += lines[start:first]
        for statement in [*node.body[:-1:step], node.body[-1]]:
            kept += lines[statement.lineno - 1 : statement.end_lineno]
        start = node.end_lineno or first
    return "".join(kept)
