"""`astgen diff` as a command: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from astgen.cli import main
from astgen.program import Program

TEXT = """\
import torch


def execution_fn(x, y, *, __vllm_submods__):
    a = torch.add(x, y)
    del x
    b = torch.relu(a)
    del a
    return (b, y)
"""
CHANGED = TEXT.replace("torch.relu", "torch.exp")
RENAMED = (
    TEXT.replace("a =", "first =").replace("(a)", "(first)").replace(" a\n", " first\n")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("a", TEXT), ("b", CHANGED), ("c", RENAMED)):
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, args)])


def test_a_difference_is_shown_with_what_is_around_it(folder: Path) -> None:
    found = run(folder / "a.py", folder / "b.py")
    assert found.exit_code == 0
    assert found.output.splitlines() == [
        f"--- {folder}/a.py",
        f"+++ {folder}/b.py",
        "call changed: execution_fn line 7 left, execution_fn line 7 right",
        "    a = torch.add(x, y)",
        "  - b = torch.relu(a)",
        "  + b = torch.exp(a)",
        "    return (b, y)",
        "",
        "different: call changed 1",
    ]
    bare = run(folder / "a.py", folder / "b.py", "-U0").output
    assert "torch.add" not in bare and "torch.exp" in bare


@pytest.mark.parametrize(
    ("other", "code", "verdict"),
    [("a", 0, "identical"), ("c", 0, "renamed only"), ("b", 1, "different")],
)
def test_the_exit_code_is_one_if_it_is_asked_for(
    folder: Path, other: str, code: int, verdict: str
) -> None:
    found = run(folder / "a.py", folder / f"{other}.py", "--exit-code")
    assert (found.exit_code, verdict in found.output) == (code, True)
    assert run(folder / "a.py", folder / f"{other}.py").exit_code == 0


def test_json_has_places_and_counts(folder: Path) -> None:
    found = json.loads(run(folder / "a.py", folder / "b.py", "--json").output)
    (pair,) = found["pairs"]
    assert found["version"] == 1
    assert (pair["verdict"], pair["counts"]) == ("different", {"call changed": 1})
    (one,) = pair["differences"]
    place = {"function": "execution_fn", "line": 7, "text": "b = torch.relu(a)"}
    assert one["left"] == place
    assert one["right"]["text"] == "b = torch.exp(a)"


def test_many_sources_are_put_into_classes(folder: Path) -> None:
    names = [folder / f"{name}.py" for name in "abc"]
    found = json.loads(run(*names, "--json").output)["classes"]
    assert [one["members"] for one in found] == [
        [str(names[0]), str(names[2])],
        [str(names[1])],
    ]
    text = run(folder, "--exit-code")
    assert text.exit_code == 1
    assert "class 1" in text.output and "class 2" in text.output
    assert f"--- {folder}[a.py]" in text.output
    assert run(names[0], names[2], names[0], "--exit-code").exit_code == 0


def test_artifacts_are_compared_by_the_constants_in_them(tmp_path: Path) -> None:
    code = TEXT.replace("torch.relu(a)", "torch.add(a, __vllm_consts__[0])")
    for name, value in (("one", 1.5), ("two", 2.5)):
        Program(code, (), [value]).save(tmp_path / f"{name}.astgen")
    found = run(tmp_path / "one.astgen", tmp_path / "two.astgen").output
    assert "constant changed" in found and "1.5 became" in found
    assert run(*[tmp_path / "one.astgen"] * 2).output.endswith("identical\n")


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("x = = 1\n", 2, "no generated code"),
        ("import os\nif os:\n    pass\n", 2, "no generated code"),
        ("", 2, "no generated code"),
        (
            "def execution_fn(x, *, __vllm_submods__):\n    exec(x)\n    while x: pass\n",
            1,
            "",
        ),
    ],
)
def test_what_is_no_program_is_refused(
    folder: Path, text: str, code: int, said: str
) -> None:
    (folder / "bad.py").write_text(text)
    found = run(folder / "a.py", folder / "bad.py")
    assert found.exit_code == code, found.output
    assert said in found.output
    assert "Traceback" not in found.output


def test_one_program_has_nothing_to_be_compared_with(folder: Path) -> None:
    found = run(folder / "a.py")
    assert found.exit_code == 2 and "nothing to compare it with" in found.output
    assert run(folder / "a.py", folder / "gone.py").exit_code == 2
