"""README.md is true: its examples run, and print what it says they print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
IMPORTS = "import torch\nimport operator\n"


@pytest.fixture(scope="module")
def blocks():
    return FENCE.findall((ROOT / "README.md").read_text())


@pytest.fixture(scope="module")
def printed(blocks, tmp_path_factory):
    """What the Python blocks print, run one after the other in one process."""
    # In a file, because Dynamo and linecache look for the lines of a model.
    script = tmp_path_factory.mktemp("readme") / "examples.py"
    script.write_text("\n\n".join(body for kind, body in blocks if kind == "python"))
    result = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_generated_function_is_real(blocks, printed):
    (generated,) = (body for kind, body in blocks if body.startswith(IMPORTS))
    assert generated in printed


def test_the_findings_are_real(blocks, printed):
    (findings,) = [body for kind, body in blocks if kind == "text"]
    assert printed.endswith(findings)


def test_there_are_two_commands(blocks):
    readme = (ROOT / "README.md").read_text()
    section = readme.partition("\n## Two commands\n")[2].partition("\n## ")[0]
    first, second = (body for kind, body in FENCE.findall(section) if kind == "bash")
    assert first.count("\n") == second.count("\n") == 1
    assert first.endswith("astgen compile\n")
    assert "pytest" in second


def test_the_command_runs_on_the_model_that_is_shown(tmp_path):
    readme = (ROOT / "README.md").read_text()
    (model,) = re.findall(r"^```python file=model.py\n(.*?)^```$", readme, re.M | re.S)
    (tmp_path / "model.py").write_text(model)
    (command,) = re.findall(r"^\.venv/bin/astgen (compile model.*)$", readme, re.M)
    result = subprocess.run(
        [sys.executable, "-m", "astgen", *command.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert "shuffled, resized" in result.stdout
    assert "equal within tolerance: 3 of 3 runs" in result.stdout
    assert list((tmp_path / "generated").glob("factory_*.py"))


def test_all_modules_of_the_map_are_there():
    readme = (ROOT / "README.md").read_text()
    named = re.findall(r"^\| `(astgen/[\w/.]+)`", readme, re.M)
    assert len(named) > 5
    assert [path for path in named if not (ROOT / path).exists()] == []
    packages = {p.parent.name for p in (ROOT / "astgen").glob("*/__init__.py")}
    assert packages == {path.split("/")[1] for path in named if path.endswith("/")}
