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
