"""`astgen lint --watch`: again after each change, until interrupted."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

CLEAN = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"
BROKEN = CLEAN.replace("return x", "return inf")
PATIENCE_SECONDS = 60


@pytest.mark.skipif(os.name != "posix", reason="interrupted by a signal")
def test_a_change_is_seen_and_an_interrupt_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(CLEAN)
    command = [sys.executable, "-u", "-m", "astgen", "lint", str(path), "--watch"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line)

    threading.Thread(target=read, daemon=True).start()

    def wait_for(words: str) -> None:
        while words not in lines.get(timeout=PATIENCE_SECONDS):
            pass

    try:
        wait_for("All clean")
        wait_for("Watching for changes")
        path.write_text(BROKEN)
        wait_for("AG101")
        wait_for("Watching for changes")
        path.write_text(CLEAN + "\n")
        wait_for("All clean")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 130
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name != "posix", reason="interrupted by a signal")
def test_a_run_on_several_processes_is_interrupted_at_once(tmp_path: Path) -> None:
    body = "".join(f"    y{i} = __vllm_submods__[{i}](x)\n" for i in range(3000))
    text = CLEAN.replace("    return", body + "    return")
    for number in range(400):
        (tmp_path / f"{number}.py").write_text(text)
    command = [sys.executable, "-m", "astgen", "lint", str(tmp_path), "-j", "2", "-q"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors == "astgen: error: interrupted\n"
