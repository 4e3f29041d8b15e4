"""Hostile programs are refused under the expected rules, and nothing of them runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.hostile import CANARY, HOSTILE, Hostile

from astgen.check import RULES, check
from astgen.check.paths import builtin_namespaces, methods, operators, torch_paths

_watching: list[list[str]] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    # Parsing counts as compiling. For the message of a syntax error, Python looks for
    # the line in a file of the name that it shows.
    harmless = event in ("compile", "builtins.id") or args[:1] == ("<unknown>",)
    if _watching and not harmless:
        _watching[-1].append(event)


@pytest.fixture(scope="module", autouse=True)
def audit() -> None:
    sys.addaudithook(_audit)
    for read_the_lists in (builtin_namespaces, methods, operators, torch_paths):
        read_the_lists()


@contextmanager
def nothing_happens() -> Iterator[None]:
    """No import, no execution, no file, no process, nothing that Python audits."""
    events: list[str] = []
    _watching.append(events)
    try:
        yield
    finally:
        _watching.remove(events)
    assert events == []


def test_the_watch_sees_execution_and_files() -> None:
    with pytest.raises(AssertionError, match="exec.*open"), nothing_happens():
        exec("1")
        open(__file__).close()


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_program_is_refused_and_nothing_runs(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with nothing_happens():
        found = check(program.text)
    assert " ".join(finding.rule for finding in found) == program.rules, found
    assert not (tmp_path / CANARY).exists()


@pytest.mark.parametrize(
    "bad",
    [bad for rule in RULES.values() for bad in rule.bad],
    ids=[f"{rule.code}-{n}" for rule in RULES.values() for n in range(len(rule.bad))],
)
def test_nothing_of_a_bad_example_runs(bad: str) -> None:
    with nothing_happens():
        assert check(bad)


def test_look_alike_letters_are_visible_in_the_message() -> None:
    text = "def execution_fn(x, *, __vllm_submods__):\n    return t\u043erch\n"
    assert "t\\u043erch" in check(text)[0].message


def test_a_very_long_name_is_cut_in_the_message() -> None:
    name = "n" * 100_000
    text = f"def execution_fn(x, *, __vllm_submods__):\n    return {name}\n"
    assert len(check(text)[0].message) < 300
