"""One model, captured in two processes under other names: there is no difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from astgen.review.diff import compare_programs, structure_hash
from astgen.review.programs import ReadProgram, read_programs

SCRIPT = """
import sys
import torch
import torch.nn.functional as F
from torch import nn

from astgen.backend import BackendOptions, compile_graph

folder, first, second, given, dim = sys.argv[1:]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, first, nn.Linear(8, 8))
        setattr(self, second, nn.Parameter(torch.ones(8)))

    def forward(self, value):
        inner = getattr(self, first)(value)
        scores = F.softmax(inner, int(dim))
        return torch.add(scores * getattr(self, second), value, alpha=0.5)


model = nn.Sequential(*(Layer() for _ in range(3)))
exec(f"def run({given}): return model({given}).to(torch.float64)")


def backend(gm, inputs):
    compiled = compile_graph(gm, BackendOptions(splitting_ops=("softmax",)))
    compiled.program.save(folder)
    return compiled.function


torch.compile(run, backend=backend)(torch.randn(2, 8))
"""


def captured(path: Path, *names: str, dim: int = -1) -> ReadProgram:
    """The program of a model whose parts have these names."""
    command = [sys.executable, "-c", SCRIPT, str(path), *names, str(dim)]
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
