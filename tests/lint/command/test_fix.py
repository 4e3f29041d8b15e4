"""`astgen lint --fix` and `--diff`: what is written, and what is not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from astgen.lint import engine

pytest.importorskip("black", reason="the layout is black's")

CLEAN = """\
import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    __vllm_submods__[0](y)
    z = torch.abs(y)
    return z
"""
UNUSED = CLEAN.replace("    __vllm", "    w = __vllm")
LAYOUT = ("--extend-select", "AG002")
MESSY = UNUSED.replace("    y = torch.neg(x)", "    y  =  torch.neg( x )")


def test_fix_writes_what_is_safe_and_reports_the_rest(lint, write) -> None:
    path = write("a.py", UNUSED.replace("torch.abs(y)", "torch.add(y, inf)"))
    result = lint("a.py", "--fix")
    assert result.exit_code == 1
    assert "AG101" in result.stdout and "AG205" not in result.stdout
    assert path.read_text() == CLEAN.replace("torch.abs(y)", "torch.add(y, inf)")


def test_fix_lays_out_and_a_second_time_changes_nothing(lint, write) -> None:
    path = write("a.py", MESSY)
    first = lint("a.py", "--fix", *LAYOUT)
    assert first.exit_code == 0 and "Mended 1 file." in first.stderr
    assert path.read_text() == CLEAN
    before = path.stat().st_mtime_ns
    again = lint("a.py", "--fix", *LAYOUT)
    assert again.exit_code == 0 and "Mended" not in again.stderr
    assert path.stat().st_mtime_ns == before


def test_fix_mends_what_is_reported_and_nothing_else(lint, write) -> None:
    path = write("a.py", MESSY)
    lint("a.py", "--fix", "--ignore", "AG205")
    assert path.read_text() == MESSY
    lint("a.py", "--fix", "--severity", "error")
    assert path.read_text() == MESSY
    lint("a.py", "--fix")
    assert path.read_text() == MESSY.replace("w = ", "")


def test_diff_shows_and_changes_nothing(lint, write) -> None:
    path = write("a.py", MESSY)
    result = lint("a.py", "--diff")
    assert result.exit_code == 1
    assert "-    w = __vllm_submods__[0](y)\n" in result.stdout
    assert "+    __vllm_submods__[0](y)\n" in result.stdout
    assert path.read_text() == MESSY
    write("a.py", CLEAN)
    assert lint("a.py", "--diff").exit_code == 0
    assert lint("missing.py", "--diff").exit_code == 1
    write("a.py", CLEAN.replace("torch.abs(y)", "torch.add(y, inf)"))
    broken = lint("a.py", "--diff")
    assert broken.exit_code == 1 and "Found 1 error" in broken.stderr


def test_fix_keeps_permissions(lint, write) -> None:
    path = write("a.py", MESSY)
    path.chmod(0o640)
    lint("a.py", "--fix")
    assert path.stat().st_mode & 0o777 == 0o640


def test_fix_leaves_read_only_files_alone(lint, write, monkeypatch) -> None:
    path = write("a.py", MESSY)
    monkeypatch.setattr(os, "access", lambda *args: False)
    result = lint("a.py", "--fix")
    assert result.exit_code == 2 and "it is read-only" in result.stderr
    assert path.read_text() == MESSY


def test_fix_keeps_links(lint, write, tmp_path) -> None:
    path = write("a.py", MESSY)
    (tmp_path / "soft.py").symlink_to(path)
    os.link(path, tmp_path / "hard.py")
    lint("soft.py", "--fix")
    assert (tmp_path / "soft.py").is_symlink()
    assert (tmp_path / "hard.py").read_text() == path.read_text() != MESSY


def test_fix_does_not_write_over_what_somebody_else_wrote(
    lint, write, monkeypatch
) -> None:
    path = write("a.py", MESSY)
    stamps = iter([(1, 2, 3)])
    monkeypatch.setattr(engine, "stamp", lambda path: next(stamps))
    result = lint("a.py", "--fix")
    assert result.exit_code == 2 and "has changed meanwhile" in result.stderr
    assert path.read_text() == MESSY


def test_what_looks_like_colour_stays_in_the_program(lint) -> None:
    text = UNUSED.replace("__vllm_submods__[0](y)", "__vllm_submods__[0](y, '\x1b[1m')")
    result = lint("-", "--fix", stdin=text)
    assert result.stdout == text.replace("w = ", "")
    assert "\x1b[1m" in lint("-", "--diff", stdin=text).stdout


@pytest.mark.parametrize(
    "package, options",
    [("black", ("--fix", "--select", "AG002")), ("torch", ("--resolve-ops",))],
)
def test_a_package_that_is_not_there_is_named(package, options, write) -> None:
    path = write("a.py", MESSY)
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from astgen.cli import main; main(prog_name='astgen')\n"
    )
    command = [sys.executable, "-c", program, "lint", str(path), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert f"install {package}" in result.stderr and "AG902" not in result.stdout
    assert "Traceback" not in result.stderr


def test_standard_input_is_mended_to_standard_output(lint) -> None:
    result = lint("-", "--fix", *LAYOUT, stdin=MESSY)
    assert result.exit_code == 0
    assert result.stdout == CLEAN
    assert lint("-", "--fix", stdin=CLEAN).stdout == CLEAN
    left = lint("-", "--fix", stdin=MESSY.replace("torch.abs(y)", "torch.add(y, inf)"))
    assert left.exit_code == 1
    assert "AG101" in left.stderr and "AG101" not in left.stdout


def test_windows_line_ends_stay(lint, write) -> None:
    path = write("a.py", UNUSED.replace("\n", "\r\n"))
    lint("a.py", "--fix")
    assert path.read_bytes() == CLEAN.replace("\n", "\r\n").encode()
