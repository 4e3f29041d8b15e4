"""One model, captured in two processes under other names: there is no difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from astgen.review.diff import compare_programs, structure_hash
from astgen.review.programs import ReadProgram, read_programs
from support import captured_model


def captured(path: Path, *names: str, dim: int = -1) -> ReadProgram:
    """The program of a model whose parts have these names."""
    command = [sys.executable, captured_model.__file__, str(path), *names, str(dim)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (program,) = read_programs(path)
    return program


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[ReadProgram]:
    folder = tmp_path_factory.mktemp("captured")
    return [
        captured(folder / "one.astgen", "project", "scale", "x"),
        captured(folder / "two.astgen", "linear_layer", "weights", "hidden_states"),
        captured(folder / "three.astgen", "project", "scale", "x", dim=0),
    ]


def test_two_captures_are_equal_up_to_names(programs: list[ReadProgram]) -> None:
    left, right, _ = programs
    assert left.code != right.code
    found = compare_programs(left, right)
    assert (found.verdict, found.differences) == ("renamed only", ())
    assert structure_hash(left) == structure_hash(right)


def test_another_model_differs_in_what_was_changed(
    programs: list[ReadProgram],
) -> None:
    found = compare_programs(programs[1], programs[2])
    # The three layers run one function, in which the operator stands.
    (one,) = found.differences
    assert one.category == "constant changed"
    assert one.right is not None and "softmax" in one.right.text
    assert "-1 became 0" in one.detail
