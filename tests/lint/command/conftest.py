"""The command, as a function; and programs to give it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from astgen.cli import main

CLEAN = """\
import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    z = torch.abs(y)
    return z
"""
BROKEN = CLEAN.replace("torch.abs(y)", "torch.abs(x)").replace("    del x\n", "")
BROKEN = BROKEN.replace("torch.abs(x)", "torch.abs(inf)")
WARNED = CLEAN.replace("    del x\n", "    w = torch.exp(x)\n")


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """`astgen lint` in an empty folder, which the test may fill."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*args: str, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(main, ["lint", *args], input=stdin)
        if result.exception is not None and not isinstance(
            result.exception, SystemExit
        ):
            raise result.exception
        return result

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file into the folder of the test."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    return write
