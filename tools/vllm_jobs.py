"""Jobs, and the process that runs them: vLLM is imported once and forked for each."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vllm_setup import SetupError

__all__ = ["Ended", "Job", "Server", "environment"]

_TOOLS = Path(__file__).resolve().parent
_START = 300.0
_GRACE = 30.0
_FREEING = 3.0
_MEMORY = Path("/dev/shm")
_SHOWN = 4000
_DROPPED = ("VLLM_", "ASTGEN_", "TORCH", "PYTHON", "TRITON_", "HF_", "OMP_", "LD_PRE")
_SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
    # Sums are only equal to the bit where they are added in the same order.
    "OMP_NUM_THREADS": "1",
    # It pays for more kernels than a tiny model has.
    "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
}
_METADATA = "Metadata-Version: 2.1\nName: vllm-watch\nVersion: 0\n"
_ENTRY = "[vllm.general_plugins]\nvllm_watch = vllm_watch:register\n"


@dataclass(frozen=True)
class Job:
    """What one run of vLLM is to do.

    Attributes:
        model: The model's folder.
        pieces: What compiles the pieces, `eager` or `inductor`.
        ranks: How many processes share the model.
        start: How workers start, `fork` or `spawn`.
        events: A folder for what its processes see.
        log: A file for what they print.
        result: A file for what comes out.
        paths: Folders on the path of this run only.
        variables: The environment of this run only.
        kill: The rank that is killed while it saves its artifact, if any.
        alter: Whether the text in the artifact is one that imports a module.
        stubs: Where astgen is, if the stitching is to be measured.
    """

    model: str
    pieces: str
    ranks: int
    start: str
    events: str
    log: str
    result: str
    paths: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    kill: int | None = None
    alter: bool = False
    stubs: str | None = None


@dataclass(frozen=True)
class Ended:
    """How a job ended.

    Attributes:
        status: The exit status; negative for a signal, None if it took too long.
        seconds: How long it took.
        found: What came out, if anything.
        events: What its processes saw, in no order among processes.
        log: What they printed.
        dumped: How many generated functions they wrote.
        left: The files in the folder of the rank that was to be killed.
    """

    status: int | None
    seconds: float
    found: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    log: str
    dumped: int = 0
    left: tuple[str, ...] = ()


def environment(work: Path) -> dict[str, str]:
    """The environment of vLLM: its own settings, and files only where they are removed.

    Args:
        work: A folder for whatever it writes.

    Returns:
        All variables.
    """
    watch = work / "watch" / "vllm_watch-0.dist-info"
    watch.mkdir(parents=True, exist_ok=True)
    (watch / "METADATA").write_text(_METADATA)
    (watch / "entry_points.txt").write_text(_ENTRY)
    temporary = work / "tmp"
    temporary.mkdir(exist_ok=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_DROPPED)
    }
    return {
        **kept,
        **_SETTINGS,
        "PYTHONPATH": os.pathsep.join([str(_TOOLS), str(watch.parent)]),
        "TMPDIR": str(temporary),
        "XDG_CACHE_HOME": str(work / "cache"),
        "HF_HOME": str(work / "hub"),
        "TORCHINDUCTOR_CACHE_DIR": str(work / "inductor"),
    }


class Server:
    """A process that has vLLM imported and runs jobs, one at a time."""

    def __init__(self, python: Path, variables: dict[str, str], log: Path) -> None:
        self._log = log
        self._text = b""
        self._job: int | None = None
        self._is_ready = False
        with open(log, "wb") as output:
            self._process = subprocess.Popen(
                [str(python), str(_TOOLS / "vllm_run.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=variables,
                bufsize=0,
                # What it starts may look for packages in its folder: in none of ours.
                cwd=log.parent,
            )

    def wait_until_ready(self) -> None:
        """Wait until vLLM is imported.

        Raises:
            SetupError: It cannot be imported.
        """
        if not self._is_ready:
            self._line(_START)
            self._is_ready = True

    def run(self, job: Job, limit: float) -> Ended:
        """Run a job.

        Args:
            job: The job.
            limit: After so many seconds, it is killed.

        Returns:
            How it ended.

        Raises:
            SetupError: The server itself is gone.
        """
        Path(job.events).mkdir(parents=True)
        started = time.monotonic()
        if self._process.stdin is None:
            raise SetupError("the server has no input")
        self._process.stdin.write(f"{json.dumps(asdict(job))}\n".encode())
        self._job = int(self._line(_GRACE) or 0)
        line = self._line(limit, late=True)
        self._end_job()
        if line is None:
            self._line(_GRACE)
        seconds = time.monotonic() - started
        events = [
            json.loads(text)
            for file in sorted(Path(job.events).glob("*.jsonl"))
            for text in file.read_text().splitlines()
        ]
        _free([event["name"] for event in events if event["what"] == "memory"])
        log = Path(job.log)
        return Ended(
            None if line is None else int(line),
            seconds,
            _read(Path(job.result)),
            tuple(events),
            log.read_text(errors="replace") if log.exists() else "",
        )

    def close(self) -> None:
        """End the server and what it runs."""
        self._end_job()
        self._process.kill()
        self._process.wait()

    def _end_job(self) -> None:
        """Kill what is left of a job: a worker may outlive its engine."""
        job, self._job = self._job, None
        if not job:
            return
        with contextlib.suppress(ProcessLookupError):
            # What frees the memory that processes shared outlives this signal.
            os.killpg(job, signal.SIGTERM)
            deadline = time.monotonic() + _FREEING
            while time.monotonic() < deadline:
                os.killpg(job, 0)
                time.sleep(0.05)
            os.killpg(job, signal.SIGKILL)

    def _line(self, limit: float, *, late: bool = False) -> str | None:
        """The next line of the server; None if it comes too late, where it may."""
        output = self._process.stdout
        if output is None:
            raise SetupError("the server has no output")
        deadline = time.monotonic() + limit
        while b"\n" not in self._text:
            left = max(deadline - time.monotonic(), 0.0)
            if not select.select([output], [], [], left)[0]:
                if late:
                    return None
                raise SetupError(f"vLLM is silent for {limit:.0f} s\n{self._tail()}")
            got = os.read(output.fileno(), 4096)
            if not got:
                raise SetupError(f"the process with vLLM ended\n{self._tail()}")
            self._text += got
        line, _, self._text = self._text.partition(b"\n")
        return line.decode()

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-_SHOWN:]


def _free(memory: Iterable[str]) -> None:
    """Remove memory that processes shared; they are gone."""
    for name in memory:
        for file in _MEMORY.glob(f"{name}-*"):
            file.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text())
    return found
