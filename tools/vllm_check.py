"""vLLM itself on astgen: real starts of vLLM on a CPU, with tiny random models.

    python tools/vllm_check.py            everything, about twenty minutes
    python tools/vllm_check.py --quick    what a change has to pass
    python tools/vllm_check.py --only opt

It takes Linux, g++ and 4 GB of disk. The first time it makes an environment for vLLM,
apart from the project's; where the index has builds of PyTorch for CUDA, put
`PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu` before the command.

Each start of vLLM is compared with one without astgen: tokens and log-probabilities to
the bit, who wrote and who compiled the function that vLLM called, and whether it came
out of the cache. It ends with 0 if all of it is as it has to be, 1 if something is not,
and 2 if it could not be tried.
"""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vllm_cases import Case, alone, chains
from vllm_jobs import Ended, Job, Server, environment
from vllm_judge import Row, judge, oracle_key
from vllm_models import MODELS, write_model
from vllm_setup import SetupError, default_folder, install_astgen, make_environment
from vllm_table import Start, start_of_plugin, table, write_json

__all__ = ["main"]

_SIDE_BY_SIDE = 2


class Check:
    """Runs cases, and keeps what comes of them.

    Args:
        python: The Python of vLLM's environment.
        work: A folder for all that is written.
        limit: How many seconds a start may take.
    """

    def __init__(self, python: Path, work: Path, limit: float) -> None:
        self.ours = work / "astgen"
        self._work = work
        self._limit = limit
        self._ended: list[tuple[Case, Ended]] = []
        self._failed: list[SetupError] = []
        variables = environment(work)
        self._servers = [
            Server(python, variables, work / f"server_{number}.log")
            for number in range(_SIDE_BY_SIDE)
        ]

    def run(self, chains: Sequence[Sequence[Case]], side_by_side: int) -> None:
        """Run chains, so many at a time.

        Raises:
            SetupError: A server is gone.
        """
        waiting: queue.SimpleQueue[tuple[str, Sequence[Case]]] = queue.SimpleQueue()
        for number, chain in enumerate(chains):
            waiting.put((f"{side_by_side}_{number}", chain))
        threads = [
            threading.Thread(target=self._serve, args=(server, waiting), daemon=True)
            for server in self._servers[:side_by_side]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failed:
            raise self._failed[0]

    def rows(self) -> list[Row]:
        """All cases that were run, judged."""
        oracles = {
            oracle_key(case): ended.found
            for case, ended in self._ended
            if case.is_oracle
        }
        rows = [
            judge(case, ended, oracles.get(oracle_key(case), {}))
            for case, ended in self._ended
        ]
        # Those of a chain stay in their order.
        return sorted(rows, key=lambda row: oracle_key(row.case))

    def close(self) -> None:
        """End all processes."""
        for server in self._servers:
            server.close()

    def _serve(self, server: Server, waiting: queue.SimpleQueue[Any]) -> None:
        try:
            server.wait_until_ready()
            while True:
                name, chain = waiting.get_nowait()
                for number, case in enumerate(chain):
                    self._run_case(server, case, self._work / "runs" / name, number)
        except queue.Empty:
            return
        except SetupError as error:
            self._failed.append(error)

    def _run_case(self, server: Server, case: Case, chain: Path, number: int) -> None:
        folder, cache = chain / f"run_{number}", chain / case.cache
        ended = server.run(self._job(case, cache, folder), self._limit)
        ended = replace(
            ended,
            dumped=len(list((folder / "dump").glob("*.py"))),
            # Before a later start uses the cache.
            left=tuple(file.name for file in cache.rglob(f"rank_{case.killed}_*/*")),
        )
        self._ended.append((case, ended))
        said = f"{case.model} {case.pieces}: {case.name} ({ended.seconds:.0f} s)"
        print(said, file=sys.stderr, flush=True)

    def _job(self, case: Case, cache: Path, folder: Path) -> Job:
        variables = {
            "VLLM_CACHE_ROOT": str(cache),
            "VLLM_USE_MEGA_AOT_ARTIFACT": str(int(case.whole)),
            "VLLM_ENABLE_V1_MULTIPROCESSING": str(int(case.ranks > 1)),
        }
        if case.ours:
            variables["ASTGEN_VLLM"] = "1"
        if case.dumped:
            variables["ASTGEN_VLLM_DUMP"] = str(folder / "dump")
        has_ours = case.ours or case.is_installed
        return Job(
            model=str(write_model(case.model, self._work / "models")),
            pieces=case.pieces,
            ranks=case.ranks,
            start=case.start,
            events=str(folder / "events"),
            log=str(folder / "log"),
            result=str(folder / "result.json"),
            paths=(str(self.ours),) if has_ours else (),
            variables=variables,
            kill=case.killed,
            alter=case.alters,
            stubs=str(self.ours) if _is_timed(case) else None,
        )


def _is_timed(case: Case) -> bool:
    return case.is_oracle and case.ranks == 1 and case.pieces == "inductor"


def main(arguments: Sequence[str] | None = None) -> int:
    """Set up, run, and print the table.

    Args:
        arguments: Those of the command line.

    Returns:
        The exit status.
    """
    given = _parser().parse_args(arguments)
    started = time.monotonic()
    try:
        folder = given.venv or default_folder()
        python = make_environment(folder.expanduser().absolute())
        print(f"environment: {time.monotonic() - started:.0f} s", file=sys.stderr)
        rows, plugin = _check(python, given)
    except (SetupError, OSError) as error:
        print(f"vLLM could not be tried: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    for line in table(rows, plugin):
        print(line)
    if given.json:
        write_json(given.json, rows, plugin)
    faulty = sum(bool(row.faults) for row in rows) + bool(plugin.heavy)
    seconds = time.monotonic() - started
    print(
        f"{len(rows)} starts of vLLM, {faulty} not as they have to be, {seconds:.0f} s"
    )
    return int(faulty > 0)


def _check(python: Path, given: argparse.Namespace) -> tuple[list[Row], Start]:
    # Paths of sockets must not get long.
    with tempfile.TemporaryDirectory(prefix="vllm") as work:
        check = Check(python, Path(work), given.limit)
        try:
            install_astgen(python, check.ours)
            check.run(_chosen(chains(given.quick), given.only), _SIDE_BY_SIDE)
            check.run(_chosen(alone(given.quick), given.only), 1)
            return check.rows(), start_of_plugin(python, check.ours)
        finally:
            check.close()


def _chosen(all_chains: Iterable[list[Case]], only: str | None) -> list[list[Case]]:
    return [chain for chain in all_chains if only in (None, chain[0].model)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run vLLM itself on astgen.")
    parser.add_argument("--venv", type=Path, help="vLLM's environment; made if missing")
    parser.add_argument("--quick", action="store_true", help="only the most important")
    parser.add_argument("--only", choices=list(MODELS), help="a single architecture")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a report, too")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of a start")
    return parser


if __name__ == "__main__":
    sys.exit(main())
