"""The command in this process, and files with models to give to it."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from astgen.cli import main

MODEL = """
import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return F.softmax(self.linear(x), -1) * 2


def factory():
    torch.manual_seed(0)
    return Model(), (torch.randn(3, 4),)
"""


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def astgen() -> Callable[..., Result]:
    """`astgen("compile", "--static")`: run it; unexpected exceptions are raised."""

    def run(*args: str) -> Result:
        return CliRunner().invoke(main, args, catch_exceptions=False)

    return run


@pytest.fixture
def model_file(tmp_path: Path) -> Callable[..., str]:
    """`model_file(body)`: a file with the usual model and more code after it."""

    def write(body: str = "", name: str = "model.py", model: str = MODEL) -> str:
        (tmp_path / name).write_text(model + textwrap.dedent(body))
        return name

    return write


@pytest.fixture
def refused(astgen: Callable[..., Result]) -> Callable[..., str]:
    """`refused(*args)`: the one line that `astgen compile` refuses something with."""

    def run(*args: str) -> str:
        result = astgen("compile", "--quiet", *args)
        assert result.exit_code == 2
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("astgen: error: ")
        return line.removeprefix("astgen: error: ")

    return run
