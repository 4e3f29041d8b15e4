"""`astgen fmt`: dumps get black's layout in place, and nothing else is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import black
import pytest
from support.review_texts import vllm_text

from astgen.review import formatting
from astgen.review.formatting import format_file

FOREIGN = vllm_text(2)
LAID_OUT = black.format_str(FOREIGN, mode=black.Mode())
OTHER = "x  =  'execution_fn'\n"


def test_a_file_is_laid_out_in_place(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    os.chmod("a.py", 0o640)
    result = astgen("fmt", "a.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file laid out.\n"
    assert Path("a.py").read_text() == LAID_OUT
    assert os.stat("a.py").st_mode & 0o777 == 0o640
    assert [path.name for path in Path().iterdir()] == ["a.py"]
    assert astgen("fmt", "a.py").stderr == "1 file as it should be.\n"


def test_a_folder_is_searched_for_generated_code(astgen) -> None:
    Path("a").mkdir()
    Path("a", "one.py").write_text(FOREIGN)
    Path("a", "two.py").write_text(OTHER)
    Path("a", "model").write_bytes(b"\x80\x04N.")
    result = astgen("fmt", "a")
    assert result.exit_code == 0, result.stderr
    assert Path("a", "one.py").read_text() == LAID_OUT
    assert Path("a", "two.py").read_text() == OTHER
    assert Path("a", "model").read_bytes() == b"\x80\x04N."


def test_check_says_what_would_change(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    Path("b.py").write_text(LAID_OUT)
    result = astgen("fmt", "--check", "a.py", "b.py")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "would change: a.py\n1 file would change, 1 file as it should be.\n"
    )
    assert Path("a.py").read_text() == FOREIGN
    assert astgen("fmt", "--check", "b.py").exit_code == 0


@pytest.mark.skipif(which("patch") is None, reason="there is no patch here")
def test_a_diff_turns_one_into_the_other(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    result = astgen("fmt", "--diff", "a.py")
    assert result.exit_code == 1 and Path("a.py").read_text() == FOREIGN
    done = subprocess.run(["patch", "a.py"], input=result.stdout, text=True)
    assert done.returncode == 0 and Path("a.py").read_text() == LAID_OUT
    again = astgen("fmt", "--diff", "a.py")
    assert (again.exit_code, again.stdout) == (0, "")


def test_what_cannot_be_done_keeps_nothing_else_from_it(astgen) -> None:
    Path("bad.py").write_text("def execution_fn(:\n")
    Path("good.py").write_text(FOREIGN)
    Path("other.py").write_text(OTHER)
    result = astgen("fmt", "bad.py", "good.py", "other.py", "none.py")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0].startswith("astgen: error: bad.py: not a Python program")
    assert lines[1].startswith("astgen: error: other.py: ")
    assert "none.py" in lines[2] and "Traceback" not in result.stderr
    assert Path("good.py").read_text() == LAID_OUT
    assert Path("bad.py").read_text() == "def execution_fn(:\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to everything")
def test_a_file_that_may_not_be_written_is_told(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    os.chmod("a.py", 0o400)
    result = astgen("fmt", "a.py")
    assert result.exit_code == 2 and "read-only" in result.stderr


def test_standard_input_goes_to_standard_output() -> None:
    command = [sys.executable, "-m", "astgen", "fmt", "-"]
    done = subprocess.run(command, input=FOREIGN, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, LAID_OUT)
    done = subprocess.run(command, input=OTHER, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_file_that_changes_meanwhile_is_left_alone(
    astgen, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(FOREIGN)

    def edited(path: str, **options: bool) -> object:
        found = format_file(path, **options)
        Path(path).write_text("# somebody's work\n")
        return found

    monkeypatch.setattr(formatting, "format_file", edited)
    result = astgen("fmt", "a.py")
    assert result.exit_code == 2 and "has changed meanwhile" in result.stderr
    assert Path("a.py").read_text() == "# somebody's work\n"
