"""The look that is taken at every program once more, by a process that loads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from support import things
from support.fresh import FRESH
from support.graphs import graph
from support.stored import Run, Stored

import astgen
from astgen.program import Program


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stored:
    monkeypatch.delenv(FRESH, raising=False)
    return Stored(tmp_path)


def program_of(target: Any) -> Program:
    return astgen.generate(graph(lambda g, x: g.call_function(target, (x,)), "x"))


def run_of(result: torch.Tensor) -> Run:
    return Run({}, (torch.ones(2),), {}, 1, result, ((torch.ones(2),), {}))


@pytest.mark.parametrize("name", ["span", "op", "lambda.yield"])
def test_operators_of_the_tests_are_there_in_the_other_process(
    kept: Stored, name: str
) -> None:
    packet, _, overload = name.partition(".")
    target = getattr(
        getattr(getattr(torch.ops, things.library.ns), packet), overload or "default"
    )
    kept.record(program_of(target), run_of(target(torch.ones(2))))
    assert (kept.runs, kept.count) == (1, 1)
    assert kept.complaints() == ""


class Twice:
    """An object that is called, and that nothing says how to store."""

    __name__ = "twice"

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def test_what_cannot_be_stored_is_supplied_in_the_other_process(kept: Stored) -> None:
    kept.record(program_of(twice := Twice()), run_of(twice(torch.ones(2))))
    assert (kept.count, kept.supplied, kept.refused) == (1, 1, 0)
    assert kept.complaints() == ""


def test_another_result_is_complained_of(kept: Stored) -> None:
    kept.record(program_of(torch.relu), run_of(torch.zeros(2)))
    assert "AssertionError" in kept.complaints()


def test_it_is_not_silent_where_little_is_stored(kept: Stored) -> None:
    program = program_of(lambda x: x)
    for _ in range(10):
        # One test alone may run nothing that can be stored.
        assert kept.complaints() == ""
        kept.record(program, run_of(torch.ones(2)))
    assert (kept.runs, kept.count, kept.refused) == (10, 0, 10)
    assert "10 programs were run, and only 0 stored" in kept.complaints()


def test_it_is_not_silent_where_nothing_is_kept(monkeypatch: Any) -> None:
    monkeypatch.delenv(FRESH, raising=False)
    nowhere = Stored()
    for _ in range(10):
        nowhere.record(program_of(torch.relu), run_of(torch.ones(2)))
    assert "only 0 stored" in nowhere.complaints()
