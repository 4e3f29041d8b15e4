"""Many files -> results in order, on several processors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children

from astgen.lint.engine import Job, broken, lint_file
from astgen.lint.report import Result

__all__ = ["spread"]

_MOST_IN_A_BATCH = 16
"""Files that a process is given at once; a few, so that all end together."""

_File = tuple[str, bool]


def spread(files: Sequence[_File], job: Job, jobs: int) -> Iterator[Result]:
    """Look at files in several processes.

    Args:
        files: Each with whether the command line names it.
        job: What is wanted of each.
        jobs: The number of processes.

    Yields:
        A result for each file, in their order.
    """
    size = max(1, min(_MOST_IN_A_BATCH, len(files) // (jobs * 4)))
    batches = [files[i : i + size] for i in range(0, len(files), size)]
    with ProcessPoolExecutor(jobs) as pool:
        started = [pool.submit(_batch, batch, job) for batch in batches]
        try:
            for batch, future in zip(batches, started):
                yield from _results(batch, future, job)
        except BaseException:
            # Nobody wants the others any more, nor what is begun.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
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
