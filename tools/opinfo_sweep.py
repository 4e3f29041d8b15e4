"""Run PyTorch's own operator database through astgen.

Each sample of an operator is traced with `make_fx`, generated, checked, compiled and
compared with `torch.fx.Interpreter` bit by bit (`opinfo_cases.py`, `graph_runs.py`).

    python tools/opinfo_sweep.py
    python tools/opinfo_sweep.py --op index_put --samples 5

Exit status: 0 where every sample that can be traced is equal, 1 where one is not,
2 where the sweep could not run. The database needs the package `expecttest`.
"""

from __future__ import annotations

import importlib.metadata
import json
import multiprocessing
import os
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import click
import torch

from opinfo_cases import Verdict, operators, verdicts

__all__ = ["main", "sweep"]

FAILURES = {
    "different": "different",
    "refused": "generation refused",
    "findings": "checker findings",
    "error": "errors",
    "crashed": "crashed",
}
REASONS = {
    "untraceable": "not traceable",
    "no sample": "no sample",
    "no reference": "interpreter raises",
}
HEADINGS = {"equal": "equal", **FAILURES, **REASONS}

TIMEOUT = 300
"""Seconds after which an operator that says nothing is given up."""

# The database takes seconds to import, and PyTorch has run nothing before the fork.
_PROCESSES = multiprocessing.get_context("fork")


class _Worker:
    """A process that runs operators one at a time; its death is a verdict."""

    def __init__(self, samples: int) -> None:
        self.pipe, other = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(
            target=_serve, args=(other, self.pipe, samples), daemon=True
        )
        self._process.start()
        other.close()

    def start(self, name: str) -> None:
        self.name = name
        self.found: list[Verdict] = []
        self.deadline = time.monotonic() + TIMEOUT
        self.pipe.send(name)

    def receive(self) -> bool:
        """Take one message; True when the operator is done.

        Raises:
            EOFError: The process is gone.
        """
        message = self.pipe.recv()
        if message is None:
            return True
        self.found.append(message)
        self.deadline = time.monotonic() + TIMEOUT
        return False

    def bury(self) -> None:
        """Note the crash after the last sample that was finished."""
        self._process.join(timeout=1)
        code = self._process.exitcode
        reason = f"no answer for {TIMEOUT} s"
        if code is not None:
            reason = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        last = self.found[-1] if self.found else None
        detail, sample = f"{reason}, at once", 0
        if last is not None:
            sample = last.sample + 1
            detail = f"{reason}, after sample {last.sample} ({last.variant})"
        self.found.append(Verdict(self.name, sample, "function", "crashed", detail))
        self.stop()

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def sweep(names: list[str], samples: int, jobs: int) -> Iterator[list[Verdict]]:
    """Run operators in other processes.

    Args:
        names: Operators by full name.
        samples: How many samples of each.
        jobs: How many processes.

    Returns:
        The verdicts of one operator after the other, as they are done.
    """
    left = iter(names)
    busy: dict[Connection, _Worker] = {}

    def give(worker: _Worker) -> None:
        name = next(left, None)
        if name is None:
            worker.stop()
            return
        worker.start(name)
        busy[worker.pipe] = worker

    try:
        for _ in range(min(jobs, len(names))):
            give(_Worker(samples))
        while busy:
            ready = set(wait(list(busy), timeout=1))
            for pipe, worker in list(busy.items()):
                late = time.monotonic() > worker.deadline
                try:
                    done = pipe in ready and worker.receive()
                except EOFError:
                    late = True
                    done = False
                if done or late:
                    del busy[pipe]
                    if late:
                        worker.bury()
                    yield worker.found
                    give(_Worker(samples) if late else worker)
    finally:
        for worker in busy.values():
            worker.stop()


def _serve(pipe: Connection, far_end: Connection, samples: int) -> None:
    # A copy, which would keep this process waiting after the end of its parent.
    far_end.close()
    torch.set_num_threads(1)
    # Operators warn from C++, past what Python can silence.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    while True:
        for verdict in verdicts(pipe.recv(), samples):
            pipe.send(verdict)
        pipe.send(None)


def _chosen(wanted: tuple[str, ...]) -> list[str]:
    """Names that are wanted exactly, else those that contain what is wanted."""
    known = list(operators())
    if not wanted:
        return known
    chosen: set[str] = set()
    for part in wanted:
        found = [part] if part in known else [name for name in known if part in name]
        if not found:
            raise click.UsageError(f"no operator's name contains {part!r}")
        chosen.update(found)
    return [name for name in known if name in chosen]


def _worst(found: list[Verdict]) -> str:
    """The category of an operator: what failed, else equal, else why nothing ran."""
    kinds = {verdict.kind for verdict in found}
    order = [*FAILURES, "equal", *REASONS]
    return min(kinds, key=order.index)


def _echo_counts(results: list[list[Verdict]]) -> None:
    by_operator = Counter(map(_worst, results))
    by_sample = Counter(verdict.kind for found in results for verdict in found)
    click.echo(f"{'':20}{'operators':>10}{'calls':>10}")
    for kind, heading in HEADINGS.items():
        click.echo(f"{heading:20}{by_operator[kind]:>10}{by_sample[kind]:>10}")
    click.echo(f"{'total':20}{len(results):>10}{by_sample.total():>10}")
    modes = Counter(verdict.mode for found in results for verdict in found)
    del modes[""]
    click.echo("traced: " + ", ".join(f"{mode} {n}" for mode, n in modes.items()))


def _echo_reasons(results: list[list[Verdict]]) -> None:
    """What could not be compared, or not to the last bit, with the operators."""
    groups: dict[tuple[str, str], dict[str, list[int]]] = {}
    for verdict in (verdict for found in results for verdict in found):
        if verdict.kind in REASONS or verdict.kind == "equal" and verdict.detail:
            group = groups.setdefault((HEADINGS[verdict.kind], verdict.detail), {})
            form = " in place" if verdict.variant == "in place" else ""
            group.setdefault(verdict.operator + form, []).append(verdict.sample)
    for (heading, detail), group in sorted(groups.items()):
        calls = sum(map(len, group.values()))
        click.echo(f"\n{heading}, {calls} call{'s' * (calls != 1)}: {detail}")
        for name, numbers in group.items():
            shown = " ".join(map(str, numbers))
            click.echo(f"    {name}: sample{'s' * (len(numbers) != 1)} {shown}")


def _echo_failures(results: list[list[Verdict]]) -> None:
    failed = [v for found in results for v in found if v.kind in FAILURES]
    if not failed:
        return
    width = max(len(verdict.operator) for verdict in failed)
    click.echo(f"\n{'failed':{width}}  sample  variant   what")
    for verdict in failed:
        head = f"{verdict.operator:{width}}  {verdict.sample:<6}  {verdict.variant:8}"
        what = verdict.detail.replace("\n", f"\n{'':{width + 20}}")
        click.echo(f"{head}  {HEADINGS[verdict.kind]}: {what}")
        command = ["python", "tools/opinfo_sweep.py", "--op", verdict.operator]
        command += ["--samples", str(verdict.sample + 1)]
        click.echo(f"{'':{width}}  {shlex.join(command)}")


def _report(results: list[list[Verdict]], seconds: float) -> dict[str, Any]:
    packages = ("torch", "libcst", "expecttest")
    return {
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "seconds": round(seconds, 1),
        "operators": {found[0].operator: _worst(found) for found in results},
        "calls": [asdict(verdict) for found in results for verdict in found],
    }


@click.command()
@click.option("--op", multiple=True, help="Name, or part of names; may be repeated.")
@click.option("--samples", default=3, type=click.IntRange(1), show_default=True)
@click.option("--jobs", default=1, type=click.IntRange(1), show_default=True)
@click.option("--json", "output", type=click.Path(dir_okay=False, path_type=Path))
def main(op: tuple[str, ...], samples: int, jobs: int, output: Path | None) -> None:
    """Run PyTorch's own operator database through astgen."""
    started = time.monotonic()
    try:
        names = _chosen(op)
    except ModuleNotFoundError as error:
        name = error.name
        click.echo(
            f"PyTorch's operator database needs {name!r}: pip install {name}", err=True
        )
        sys.exit(2)
    results: list[list[Verdict]] = []
    with click.progressbar(
        length=len(names), file=sys.stderr, item_show_func=str
    ) as progress:
        for found in sweep(names, samples, jobs):
            results.append(found)
            progress.update(1, found[0].operator)
    results.sort(key=lambda found: names.index(found[0].operator))
    seconds = time.monotonic() - started
    _echo_counts(results)
    _echo_reasons(results)
    _echo_failures(results)
    click.echo(f"\n{seconds:.0f} s")
    if output is not None:
        output.write_text(json.dumps(_report(results, seconds), indent=1))
    failed = any(_worst(found) in FAILURES for found in results)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
