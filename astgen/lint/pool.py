"""Many files -> results in order, on several processors where that pays."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence

from astgen.lint.engine import Job, lint_file
from astgen.lint.report import Result

__all__ = ["lint_files"]

_WORTH_A_POOL = 8
"""Files below which starting processes costs more than it brings."""


def lint_files(
    files: Sequence[tuple[str, bool]], job: Job, jobs: int
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
    # What starts processes takes longer to import than a file to look at.
    from astgen.lint.processes import spread

    yield from spread(files, job, jobs)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
