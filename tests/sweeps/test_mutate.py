"""The mutation tool: where its programs come from, and what it reports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import mutate  # noqa: E402
import mutate_judge  # noqa: E402
import mutate_lifetimes  # noqa: E402
from mutate_corpus import of_graphs  # noqa: E402

STITCHED = ROOT / "tests" / "check" / "programs" / "stitched.txt"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(mutate.main, arguments)
    return result.exit_code, result.output


def test_counts_of_all_operators_are_reported(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    status, output = run(
        *(str(STITCHED), "--graphs", "2"), *("--limit", "2", "--json", str(report))
    )
    assert status == 0, output
    found = json.loads(report.read_text())
    assert found["programs"] == 3 and found["wrong"] == []
    assert set(found["operators"]) == set(mutate_judge.OPERATORS)
    dropped = found["operators"]["definition_dropped"]
    assert dropped["structural"] == dropped["flagged"] > 0
    assert dropped["missed"] == 0
    for operator in mutate_lifetimes.OPERATORS:
        lost = found["operators"][operator]
        assert lost["structural"] == lost["flagged"] > 0
        assert lost["valid"] > 0 == lost["refused"]
    assert "definition dropped" in output and "total" in output


def test_a_checker_that_lets_mutants_through_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mutate_judge, "check", lambda text, **known: ())
    report = tmp_path / "report.json"
    status, output = run(str(STITCHED), "--limit", "1", "--json", str(report))
    assert status == 1
    assert "no finding" in output
    found = json.loads(report.read_text())
    assert found["operators"]["undefined_name_used"]["missed"] == 1
    assert found["wrong"][0]["program"] == str(STITCHED)


def test_what_cannot_be_mutated_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n")
    assert run(str(broken))[0] == 2
    broken.write_text("def f():\n    return 1\n")
    status, output = run(str(broken))
    assert status == 2
    assert "broken.py is no valid program" in output


def test_no_programs_are_no_success() -> None:
    assert run()[0] == 1


def test_a_namespace_can_be_allowed(tmp_path: Path) -> None:
    text = STITCHED.read_text().replace("ops.aten.add.Tensor", "ops.mine.add")
    file = tmp_path / "mine.py"
    file.write_text(text)
    assert run(str(file), "--limit", "1")[0] == 2
    assert run(str(file), "--limit", "1", "--namespace", "mine")[0] == 0


def test_graphs_give_programs_with_their_slots() -> None:
    programs = list(of_graphs(3, 5))
    assert [program.name for program in programs] == [
        "random graph 5",
        "random graph 6",
        "random graph 7",
    ]
    assert any(program.consts for program in programs)
    for program in programs:
        assert program.text.startswith("import torch\n")


def test_tests_give_the_programs_that_they_generate() -> None:
    # In a process of its own: this one is watched already.
    part = ["--tests", "corpus/test_slices.py", "--limit", "1"]
    command = [sys.executable, str(ROOT / "tools" / "mutate.py"), *part]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert re.search(r"(?m)^[1-9][0-9]* programs, ", result.stderr)
    assert result.stdout.startswith("operator ")
