"""One model, captured in two processes under other names: there is no difference."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from astgen.review.diff import classified, compare_programs, structure_hash
from astgen.review.programs import ReadProgram, read_programs
from support import captured_model


def captured(
    path: Path, *names: str, dim: int = -1, alphas: str = "0.5 0.5 0.5"
) -> ReadProgram:
    """The program of a model whose parts have these names."""
    script = captured_model.__file__
    command = [sys.executable, script, str(path), *names, str(dim), *alphas.split()]
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
        captured(folder / "four.astgen", "p", "s", "y", alphas="0.5 0.25 0.5"),
    ]


def test_two_captures_are_equal_up_to_names(programs: list[ReadProgram]) -> None:
    left, right, *_ = programs
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


def test_a_piece_that_does_something_else_is_found_though_the_text_is_the_same(
    programs: list[ReadProgram],
) -> None:
    left, _, _, right = programs
    assert structure_hash(left) == structure_hash(right)
    (one,) = compare_programs(left, right).differences
    assert one.category == "call changed"
    # The second layer's residual is in the piece behind its softmax.
    assert one.left is not None and "submod_4 = " in one.left.text
    assert re.fullmatch(
        r"submod_4 \(model.1 to model.2.project, graph (\w{8})\) became "
        r"submod_4 \(model.1 to model.2.p, graph (?!\1)\w{8}\)",
        one.detail,
    )
    where, before, after = one.inside
    assert re.fullmatch(
        r"constant changed in model.1, support/captured_model.py:[0-9]+ in forward: "
        r"return torch.add\(.*",
        where,
    )
    assert before.startswith("  - add = ") and "alpha=0.5" in before
    assert after.startswith("  + add = ") and "alpha=0.25" in after
    # By name alone, nothing tells them apart.
    unknown = [replace(program, provenance=None) for program in (left, right)]
    assert compare_programs(*unknown).verdict == "renamed only"


def test_classes_go_by_what_pieces_do_where_all_know_it(
    programs: list[ReadProgram],
) -> None:
    assert [*classified(programs).values()] == [[0, 1], [2], [3]]
    without = [replace(programs[0], provenance=None), *programs[1:]]
    assert [*classified(without).values()] == [[0, 1, 3], [2]]


def test_the_hash_is_in_the_artifact(programs: list[ReadProgram]) -> None:
    for program in programs:
        assert program.manifest is not None
        assert program.manifest.hashes["structure"] == structure_hash(program)
