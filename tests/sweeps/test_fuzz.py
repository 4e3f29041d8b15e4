"""The tool that looks for faults finds one that is there, and writes its test."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from astgen.emit import layout

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz", ROOT / "tools" / "fuzz.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fuzz", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_ROUND", 40)
    return module


def run(fuzz: ModuleType, output: Path, name: str) -> tuple[int, list[Path]]:
    arguments = ["--minutes", "0.0001", "--only", name, "-o", str(output)]
    result = CliRunner().invoke(fuzz.main, arguments)
    return result.exit_code, sorted(output.glob("*.py"))


@pytest.mark.parametrize("name", ["graphs", "layout"])
def test_nothing_is_found_where_nothing_is_wrong(
    fuzz: ModuleType, tmp_path: Path, name: str
) -> None:
    assert run(fuzz, tmp_path, name) == (0, [])


def test_a_fault_of_the_layout_becomes_a_test(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "_ROOM", 76)
    code, found = run(fuzz, tmp_path, "layout")
    assert code == 1 and len(found) == 1
    text = found[0].read_text()
    assert "@reproduce_failure(" in text and "fuzz.check_layout(drawn)" in text
    compile(text, str(found[0]), "exec")
