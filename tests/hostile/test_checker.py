"""Hostile programs are refused under the expected rules, and nothing of them runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile.programs import CANARY, HOSTILE, Hostile
from hostile.watching import nothing_happens

from astgen.check import RULES, check

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [
    pytest.param(bad, id=f"{rule.code}-{number}")
    for rule in RULES.values()
    for number, bad in enumerate(rule.bad)
    if isinstance(bad, str)
]


def test_the_watch_sees_execution_and_files() -> None:
    with pytest.raises(AssertionError, match="exec.*open"), nothing_happens():
        exec("1")
        open(__file__).close()


def test_no_program_is_there_twice() -> None:
    assert len({program.name for program in HOSTILE}) == len(HOSTILE)
    assert len({program.text for program in HOSTILE}) == len(HOSTILE)


def test_the_programs_break_every_rule_that_makes_code_unsafe() -> None:
    broken = {code for program in HOSTILE for code in program.rules.split()}
    unsafe = {code for code in RULES if code.startswith(("AG0", "AG1", "AG4", "AG5"))}
    assert unsafe - broken == set()


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_program_is_refused_and_nothing_runs(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with nothing_happens():
        found = check(program.text)
    assert " ".join(finding.rule for finding in found) == program.rules, found
    assert not (tmp_path / CANARY).exists()


@pytest.mark.parametrize("bad", EXAMPLES)
def test_nothing_of_a_bad_example_runs(bad: str) -> None:
    with nothing_happens():
        assert check(bad)


def test_look_alike_letters_are_visible_in_the_message() -> None:
    text = "def execution_fn(x, *, __vllm_submods__):\n    return t\u043erch\n"
    assert "t\\u043erch" in check(text)[0].message


def test_a_very_long_name_is_cut_in_the_message() -> None:
    name = "n" * 100_000
    text = f"def execution_fn(x, *, __vllm_submods__):\n    return {name}\n"
    assert len(check(text)[0].message) < 300


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_no_message_carries_what_moves_a_terminal(program: Hostile) -> None:
    for finding in check(program.text):
        assert finding.message.isprintable() and finding.hint.isprintable()


# Each is one construct, repeated; `{n}` is what is repeated.
TOWERS = {
    "attributes": ("x", ".a", ""),
    "calls": ("x", "()", ""),
    "items": ("x", "[0]", ""),
    "methods": ("x", ".abs()", ""),
    "sums": ("x", "+x", ""),
    "powers": ("x", "**x", ""),
    "signs": ("", "-", "x"),
    "negations": ("", "not ", "x"),
    "lambdas": ("", "lambda: ", "x"),
    "conditions": ("", "x if x else ", "x"),
    "comparisons": ("x", "<x", ""),
    "conjunctions": ("x", " and x", ""),
    "brackets": ("", "(", "x"),
    "stars": ("", "[*", "x"),
    "branches": ("x\n    if x: pass\n", "    elif x: pass\n", ""),
    "targets": ("x\n    z", "=z", ""),
    "decorators": ("x\n", "@z\n", "def z(): pass"),
    "f-strings": ("", "f'{", "x"),
}
TOWER = """
import sys
from astgen.check import check
head = "def execution_fn(x, *, __vllm_submods__):\\n    return "
before, repeated, after = sys.argv[1:]
print(len(check(head + before + repeated * 100_000 + after + "\\n")) > 0)
"""


@pytest.mark.parametrize("parts", TOWERS.values(), ids=TOWERS)
def test_a_tower_does_not_break_the_process(parts: tuple[str, str, str]) -> None:
    # In a process of its own: what breaks is the interpreter.
    command = [sys.executable, "-W", "ignore", "-c", TOWER, *parts]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr[-1000:]
