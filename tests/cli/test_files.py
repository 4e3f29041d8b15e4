"""Files of the commands: the same care as for artifacts, and modes that are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from astgen.cli.files import write_chunks, write_text
from astgen.errors import CaptureError
from astgen.store import atomic


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f".astgen-{atomic._machine()}-{gone.pid}-{'0' * 16}.tmp"
    left.write_bytes(b"x")
    write_text(tmp_path / "a", "text")
    assert os.listdir(tmp_path) == ["a"]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    write_text(tmp_path / "a", "")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o741)
    write_text(path, "new")
    assert path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o741


def test_very_many_parts_are_few_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, sizes = os.write, []

    def write(file: int, data: bytes) -> int:
        sizes.append(len(data))
        return real(file, data)

    monkeypatch.setattr(os, "write", write)
    write_chunks(tmp_path / "a", ("é\udcff" for _ in range(100_000)))
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\xff" * 100_000
    assert sum(sizes) == 300_000 and len(sizes) < 10


def test_a_report_that_fails_on_the_way_leaves_the_old_one(tmp_path: Path) -> None:
    def parts() -> Iterator[str]:
        yield "new" * 100_000
        raise KeyError("rule")

    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(KeyError):
        write_chunks(path, parts())
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a"]


def test_what_cannot_be_written_is_an_error_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot write to .*: No such file"):
        write_text(tmp_path / "missing" / "a", "")
