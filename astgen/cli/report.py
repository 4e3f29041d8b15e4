"""The report of `astgen compile`, as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from astgen.cli.console import table
from astgen.cli.job import Job
from astgen.cli.recorder import Recorded
from astgen.cli.stitching import StitchingTimes

__all__ = ["report"]

_HEAD = ("graph", "nodes", "pieces", "inlined", "constants", "lines", "source")


def report(
    title: str,
    job: Job,
    times: Sequence[StitchingTimes],
    paths: Sequence[Path],
) -> str:
    """Tell what came out of a job.

    Args:
        title: What was compiled.
        job: The job.
        times: Of the stitching, for each graph.
        paths: The file that was written for each graph.

    Returns:
        Lines, styled for a terminal.
    """
    graphs = job.graphs
    sizes = [_sizes(i, *pair) for i, pair in enumerate(zip(graphs, paths))]
    stages = [
        [str(i), *(f"{value:.1f}" for value in graph.milliseconds.values())]
        for i, graph in enumerate(graphs)
    ]
    stitching = [
        [str(i), f"{t.generated:.2f}", f"{t.fx:.2f}", f"{t.fx / t.generated:.1f}x"]
        for i, t in enumerate(times)
    ]
    return "\n\n".join(
        [
            title,
            table([_HEAD, *sizes], left=[len(_HEAD) - 1]),
            "Milliseconds of each stage\n"
            + table([["graph", *graphs[0].milliseconds], *stages]),
            "Microseconds a call, stitching alone\n"
            + table([["graph", "generated", "torch.fx", "ratio"], *stitching]),
            "Compared with eager mode\n" + _runs(job),
            *(f"Note: {note}" for note in job.notes),
            _verdict(job),
        ]
    )


def _sizes(index: int, graph: Recorded, path: Path) -> list[str]:
    program = graph.compiled.program
    lines = program.code.splitlines()
    functions = sum(line.startswith("def ") for line in lines)
    numbers = (
        index,
        graph.nodes,
        len(graph.compiled.split.pieces),
        functions - 1,
        len(program.consts),
        len(lines),
    )
    return [*map(str, numbers), click.format_filename(path)]


def _runs(job: Job) -> str:
    head = ("run", "values", "inputs", "result")
    well = "within tolerance" if job.tolerances else "equal"
    rows = [
        (str(i), run.values, run.inputs, run.difference or well)
        for i, run in enumerate(job.runs)
    ]
    return table([head, *rows], left=[1, 2, 3])


def _verdict(job: Job) -> str:
    count = len(job.runs)
    different = sum(run.difference is not None for run in job.runs)
    if different:
        return click.style("not equal", fg="red") + f": {different} of {count} runs"
    what, how = "equal", "bit for bit"
    if job.tolerances:
        pairs = (f"{value:g} ({dtype})" for dtype, value in job.tolerances.items())
        what, how = (
            "equal within tolerance",
            f"relative and absolute {', '.join(pairs)}",
        )
    return click.style(what, fg="green") + f": {count} of {count} runs, {how}"
