"""`astgen lint --fix` and `--diff`: what is written, and what is not."""

from __future__ import annotations

import pytest

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
MESSY = UNUSED.replace("    y = torch.neg(x)", "    y  =  torch.neg( x )")


def test_fix_writes_what_is_safe_and_reports_the_rest(lint, write) -> None:
    path = write("a.py", UNUSED.replace("torch.abs(y)", "torch.add(y, inf)"))
    result = lint("a.py", "--fix")
    assert result.exit_code == 1
    assert "AG101" in result.stdout and "AG205" not in result.stdout
    assert path.read_text() == CLEAN.replace("torch.abs(y)", "torch.add(y, inf)")


def test_fix_lays_out_and_a_second_time_changes_nothing(lint, write) -> None:
    path = write("a.py", MESSY)
    assert lint("a.py", "--fix").exit_code == 0
    assert path.read_text() == CLEAN
    before = path.stat().st_mtime_ns
    assert lint("a.py", "--fix").exit_code == 0
    assert path.stat().st_mtime_ns == before


def test_fix_leaves_out_what_is_ignored(lint, write) -> None:
    path = write("a.py", MESSY)
    lint("a.py", "--fix", "--ignore", "AG002")
    assert "y  =  torch.neg( x )" in path.read_text()
    assert "w =" not in path.read_text()


def test_diff_shows_and_changes_nothing(lint, write) -> None:
    path = write("a.py", MESSY)
    result = lint("a.py", "--diff")
    assert result.exit_code == 1
    assert "-    w = __vllm_submods__[0](y)\n" in result.stdout
    assert "+    __vllm_submods__[0](y)\n" in result.stdout
    assert path.read_text() == MESSY
    write("a.py", CLEAN)
    assert lint("a.py", "--diff").exit_code == 0


def test_fix_keeps_permissions(lint, write) -> None:
    path = write("a.py", MESSY)
    path.chmod(0o640)
    lint("a.py", "--fix")
    assert path.stat().st_mode & 0o777 == 0o640


def test_standard_input_is_mended_to_standard_output(lint) -> None:
    result = lint("-", "--fix", stdin=MESSY)
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
