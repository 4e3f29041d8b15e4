"""Many files -> results in order, on several processors where that pays."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from astgen.lint.engine import Job, broken, lint_file
from astgen.lint.report import Result

__all__ = ["lint_files"]

_WORTH_A_POOL = 8
"""Files below which starting processes costs more than it brings."""

_MOST_IN_A_BATCH = 16
"""Files that a process is given at once; a few, so that all end together."""

_File = tuple[str, bool]


def lint_files(
    files: Sequence[_File], job: Job, jobs: int
) -> Generator[Result, None, None]:
    """Look at files.

    Args:
        files: Each with whether the command line names it.
        job: What is wanted of each.
        jobs: The number of processes; 0 for as many as there are processors.

    Yields:
        A result for each file, in their order, as soon as it is there.

    Raises:
        SettingsError: A file of configuration is wrong.
    """
    jobs = min(jobs or _processors(), len(files))
    if jobs <= 1 or len(files) < _WORTH_A_POOL:
        for path, explicit in files:
            yield lint_file(path, explicit, job)
        return
    size = max(1, min(_MOST_IN_A_BATCH, len(files) // (jobs * 4)))
    batches = [files[i : i + size] for i in range(0, len(files), size)]
    with ProcessPoolExecutor(jobs) as pool:
        started = [pool.submit(_batch, batch, job) for batch in batches]
        try:
            for batch, future in zip(batches, started):
                yield from _results(batch, future, job)
        except BaseException:
            # Nobody wants the others any more.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _results(
    batch: Sequence[_File], future: Future[list[Result]], job: Job
) -> list[Result]:
    try:
        return future.result()
    except BrokenProcessPool:
        # A process died, and all that it and the others had in hand is lost. Each
        # file gets a process of its own, so that one is blamed and the rest judged.
        return [_alone(file, job) for file in batch]


def _batch(batch: Sequence[_File], job: Job) -> list[Result]:
    return [lint_file(path, explicit, job) for path, explicit in batch]


def _alone(file: _File, job: Job) -> Result:
    path, explicit = file
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(lint_file, path, explicit, job).result()
        except BrokenProcessPool:
            return broken(path, "its process was killed, by lack of memory perhaps")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
