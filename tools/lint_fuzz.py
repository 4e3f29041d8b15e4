"""Look for a file that the linter crashes on, hangs on, or takes too much memory for.

    python tools/lint_fuzz.py --seconds 600 --jobs 2
    python tools/lint_fuzz.py --first 123 --count 1 --save found

Each input is made of a number (``lint_fuzz_inputs.py``) and read by the linter, as
from standard input, in another process, which cannot have more memory than twice
what is allowed. It may take ten seconds of processor time; what does not come back at
all is killed. Its report is written in every output format. Exit code 0: nothing
found; 1: something was.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))

import lint_fuzz_inputs  # noqa: E402

from astgen.lint.engine import Job, lint_bytes  # noqa: E402
from astgen.lint.output import FORMATS, Style, renderer  # noqa: E402
from astgen.lint.report import Report  # noqa: E402

__all__ = ["Found", "Reader", "Tally", "fuzz", "lint", "main"]

SECONDS = 10.0
"""Processor time that one file may take. A clock on the wall would blame the linter
for what else the machine has to do; it only says when to give up waiting."""

_PATIENCE = 4
"""How many times as long somebody waits for a process that does not answer."""

Reader = Callable[[lint_fuzz_inputs.Input], tuple[frozenset[str], str]]

MEMORY = 1_000_000_000
"""How many bytes the process that reads a file may have."""


@dataclass(frozen=True)
class Found:
    """Something that is wrong with the linter.

    Attributes:
        number: The input, as a number.
        what: `crash`, `hang` or `memory`.
        reason: More about it.
    """

    number: int
    what: str
    reason: str


@dataclass
class Tally:
    """What a run saw.

    Attributes:
        inputs: How many inputs of each kind.
        rules: How many inputs with a finding under each rule.
        slowest: Seconds of the slowest input, and its number.
        largest: Bytes of the largest process, and the number it had in hand.
        found: What is wrong.
    """

    inputs: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[int, int] = (0, -1)
    found: list[Found] = field(default_factory=list)


@dataclass(frozen=True)
class _Answer:
    rules: frozenset[str]
    seconds: float
    memory: int
    problem: str


class _Worker:
    """A process that reads one input at a time, and how long it has been at it."""

    def __init__(self, read: Reader) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_work, args=(theirs, read), daemon=True
        )
        self.process.start()
        theirs.close()
        self.number = -1
        self.since = 0.0
        # The first message says that everything is imported.
        self.connection.recv()

    def give(self, number: int) -> None:
        self.number, self.since = number, time.monotonic()
        self.connection.send(number)

    def end(self) -> int | None:
        self.process.kill()
        self.process.join()
        return self.process.exitcode


def _work(connection: Connection, read: Reader) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))
    lint_fuzz_inputs.make(0)
    connection.send(None)
    while True:
        drawn = lint_fuzz_inputs.make(connection.recv())
        started = time.process_time()
        rules, problem = read(drawn)
        seconds = time.process_time() - started
        connection.send(_Answer(rules, seconds, _peak(), problem))


def _peak() -> int:
    """The most bytes that this process ever had.

    `ru_maxrss` begins with what the parent had, which may be a whole test session.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def lint(drawn: lint_fuzz_inputs.Input) -> tuple[frozenset[str], str]:
    """Read an input as from standard input, and report on it in every format.

    Returns:
        The rules of the findings about the input, and what went wrong.
    """
    try:
        result = lint_bytes(
            drawn.data, drawn.name, Job({"severity": "note"}, isolated=True)
        )
        report = Report((result,), "0")
        for name in FORMATS:
            for chunk in renderer(name)(report, Style()):
                chunk.encode()
    except Exception as error:
        return frozenset(), f"{type(error).__name__}: {error}"
    rules = frozenset(finding.rule for finding in result.findings)
    problem = result.findings[0].message if result.failed else ""
    return rules, problem


def fuzz(
    numbers: Iterator[int], jobs: int, read: Reader = lint, seconds: float = SECONDS
) -> Tally:
    """Give every number to the linter.

    Args:
        numbers: The inputs; how long it takes is up to them.
        jobs: The number of processes.
        read: What reads an input, in another process.
        seconds: How much processor time that may take.

    Returns:
        What was seen.
    """
    tally = Tally()
    busy: list[_Worker] = []
    idle = [_Worker(read) for _ in range(jobs)]
    more = True
    while more or busy:
        while more and idle:
            number = next(numbers, None)
            if number is None:
                more = False
            else:
                idle[-1].give(number)
                busy.append(idle.pop())
        wait([worker.connection for worker in busy], 0.2)
        for worker in [*busy]:
            if _look(worker, tally, seconds):
                busy.remove(worker)
                idle.append(worker if worker.process.is_alive() else _Worker(read))
    for worker in idle:
        worker.end()
    return tally


def _look(worker: _Worker, tally: Tally, seconds: float) -> bool:
    """Note what a worker has to say; whether it is done with its input."""
    number = worker.number
    try:
        if worker.connection.poll():
            _note(worker.connection.recv(), worker, tally, seconds)
            return True
    except (EOFError, ConnectionError):
        reason = f"the process ended with {worker.end()}"
        tally.found.append(Found(number, "crash", reason))
        return True
    if time.monotonic() - worker.since > _PATIENCE * seconds:
        worker.end()
        tally.found.append(
            Found(number, "hang", f"killed after {_PATIENCE * seconds:.1f} s")
        )
        return True
    return False


def _note(answer: _Answer, worker: _Worker, tally: Tally, seconds: float) -> None:
    number = worker.number
    tally.inputs[lint_fuzz_inputs.kind(number)] += 1
    tally.rules.update(answer.rules)
    tally.slowest = max(tally.slowest, (answer.seconds, number))
    tally.largest = max(tally.largest, (answer.memory, number))
    if answer.problem:
        tally.found.append(Found(number, "crash", answer.problem))
    elif answer.seconds > seconds:
        tally.found.append(Found(number, "hang", f"{answer.seconds:.1f} s"))
    elif answer.memory > MEMORY:
        megabytes = answer.memory // 1_000_000
        tally.found.append(Found(number, "memory", f"{megabytes:,} MB"))
    if answer.memory > MEMORY // 2:
        # What one input took would be laid to the next.
        worker.end()


def _numbers(first: int, count: int | None, seconds: float) -> Iterator[int]:
    end = time.monotonic() + seconds
    number = first
    while number - first != count and (count is not None or time.monotonic() < end):
        yield number
        number += 1


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="How long to look.")
@click.option("--count", type=int, help="How many inputs to read, however long.")
@click.option("--first", "--seed", default=0, show_default=True, help="First number.")
@click.option("--jobs", default=1, show_default=True, help="Number of processes.")
@click.option(
    "--save", type=click.Path(path_type=Path), help="Folder for inputs that do harm."
)
def main(
    seconds: float, count: int | None, first: int, jobs: int, save: Path | None
) -> None:
    """Look for files that the linter does not survive."""
    tally = fuzz(_numbers(first, count, seconds), jobs)
    for found in tally.found:
        click.echo(f"{found.what} on {found.number}: {found.reason[:300]}")
        if save is not None:
            save.mkdir(parents=True, exist_ok=True)
            drawn = lint_fuzz_inputs.make(found.number)
            (save / f"{found.what}-{found.number}-{drawn.name}").write_bytes(drawn.data)
    click.echo(_summary(tally))
    sys.exit(1 if tally.found else 0)


def _summary(tally: Tally) -> str:
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(tally.inputs.items()))
    rules = ", ".join(f"{rule} {n:,}" for rule, n in sorted(tally.rules.items()))
    return (
        f"{tally.inputs.total():,} inputs ({kinds})\n"
        f"inputs with findings: {rules}\n"
        f"slowest {tally.slowest[0]:.2f} s (input {tally.slowest[1]}), largest "
        f"{tally.largest[0] // 1_000_000:,} MB (input {tally.largest[1]})\n"
        f"{len(tally.found)} found"
    )


if __name__ == "__main__":
    main()
