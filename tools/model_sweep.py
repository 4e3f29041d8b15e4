"""Hold generated functions against `torch.fx.Interpreter` on graphs of real models.

    python tools/model_sweep.py                              # everything, in minutes
    python tools/model_sweep.py --arch llama --level aten --dynamic
    python tools/model_sweep.py --jobs 4 --json sweep.json
    python tools/model_sweep.py --upstream codegen.py        # another generator beside

Each architecture of `model_zoo.py` is captured at Dynamo level and at aten level, with
static and with dynamic shapes; `model_judge.py` judges each graph whole and split.
Exit code 0: all equal; 1: something is not; 2: the sweep could not be run.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import logging
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click
import torch

from astgen.cli.console import table
from model_graphs import LEVELS, Capture, Level, capture
from model_judge import CUTS
from model_zoo import ARCHITECTURES

__all__ = ["Task", "main", "report", "run"]

DIFFERENT = 1
FAILED = 2

_HEAD = ("architecture", "family", "level", "shapes", "graphs", "breaks", "nodes")
_SHOWN_PROBLEMS = 3


@dataclasses.dataclass(frozen=True)
class Task:
    """One capture to be made.

    Attributes:
        architecture: Its name in `model_zoo`.
        level: Whether AOTAutograd lowers the graphs.
        dynamic: Whether sizes are symbols.
        upstream: A file with another generator to judge beside.
    """

    architecture: str
    level: Level
    dynamic: bool
    upstream: Path | None = None

    @property
    def command(self) -> str:
        """What runs this task alone."""
        shapes = "dynamic" if self.dynamic else "static"
        return (
            f"python tools/model_sweep.py --arch {self.architecture} "
            f"--level {self.level} --{shapes}"
        )


def run(task: Task) -> Capture:
    """Run one task, with a single thread and without the warnings of the libraries.

    Args:
        task: The task.

    Returns:
        What came of it.

    Raises:
        ImportError: transformers is not installed.
    """
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.getLogger("transformers").setLevel(logging.ERROR)
    upstream = None if task.upstream is None else _load(task.upstream)
    return capture(task.architecture, task.level, task.dynamic, upstream)


@click.command()
@click.option(
    "--arch",
    "architectures",
    multiple=True,
    type=click.Choice(sorted(ARCHITECTURES)),
    metavar="NAME",
    help="An architecture; repeat for more. Default: all.",
)
@click.option(
    "--level",
    type=click.Choice([*LEVELS, "all"]),
    default="all",
    help="What the graphs are made of.  [default: all]",
)
@click.option(
    "--static/--dynamic", "static", default=None, help="Only these.  [default: both]"
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    help="Processes at a time.  [default: 1]",
)
@click.option(
    "--json", "out", type=click.File("w"), help="Write all details to a file."
)
@click.option(
    "--upstream",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="Judge a file with vLLM's two functions as well.",
)
def main(
    architectures: Sequence[str],
    level: str,
    static: bool | None,
    jobs: int,
    out: TextIO | None,
    upstream: Path | None,
) -> None:
    """Run the graphs of small transformers models through astgen and compare."""
    if importlib.util.find_spec("transformers") is None:
        _stop(
            "transformers is not installed; install it with: pip install astgen[models]"
        )
    tasks = [
        Task(name, chosen, dynamic, upstream)
        for name in architectures or ARCHITECTURES
        for chosen in (
            LEVELS if level == "all" else [one for one in LEVELS if one == level]
        )
        for dynamic in ([False, True] if static is None else [not static])
    ]
    start = time.perf_counter()
    captures = dict(_progress(tasks, jobs))
    ordered = [(task, captures[task]) for task in tasks]
    if out is not None:
        json.dump([dataclasses.asdict(one) for _, one in ordered], out, indent=1)
        out.write("\n")
    click.echo(report(ordered))
    minutes, seconds = divmod(round(time.perf_counter() - start), 60)
    click.echo(f"in {minutes} min {seconds} s")
    sys.exit(0 if all(one.is_good for _, one in ordered) else DIFFERENT)


def report(captures: Sequence[tuple[Task, Capture]]) -> str:
    """The table, the problems with the commands that show them, and the sum of it.

    Args:
        captures: The tasks, each with what came of it.

    Returns:
        Lines.
    """
    with_upstream = any(task.upstream for task, _ in captures)
    head = [*_HEAD, *CUTS, "pieces", "constants", "lines", "seconds"]
    rows = [_row(one) for _, one in captures]
    if with_upstream:
        head.append("upstream")
        rows = [[*row, _upstream_cell(one)] for row, (_, one) in zip(rows, captures)]
    parts = [table([head, *rows], left=range(4))]
    parts += [_problems(task, one) for task, one in captures if not one.is_good]
    if with_upstream:
        parts.append(_upstream_summary([one for _, one in captures]))
    parts.append(_summary([one for _, one in captures]))
    return "\n\n".join(parts)


def _row(one: Capture) -> list[str]:
    graphs = one.graphs
    return [
        one.architecture,
        ARCHITECTURES[one.architecture].family,
        one.level,
        "dynamic" if one.dynamic else "static",
        str(len(graphs)) if one.error is None else f"{len(graphs)} (failed)",
        str(one.breaks),
        str(sum(graph.nodes for graph in graphs)),
        *(f"{sum(g.equal[cut] for g in graphs)}/{len(graphs)}" for cut in CUTS),
        str(sum(graph.pieces for graph in graphs)),
        str(sum(graph.constants.get("whole", 0) for graph in graphs)),
        str(sum(graph.lines.get("whole", 0) for graph in graphs)),
        f"{one.seconds:.1f}",
    ]


def _problems(task: Task, one: Capture) -> str:
    lines = [f"{one.architecture}: {task.command}"]
    if one.error is not None:
        lines.append(f"  {one.error}")
    for index, graph in enumerate(one.graphs):
        shown = graph.problems[:_SHOWN_PROBLEMS]
        lines += [f"  graph {index}, {p.cut}, {p.kind}: {p.text}" for p in shown]
        if len(graph.problems) > len(shown):
            more = len(graph.problems) - len(shown)
            lines.append(f"  graph {index}: {more} more; --json has all of them")
    return "\n".join(lines)


def _summary(captures: Sequence[Capture]) -> str:
    graphs = [graph for one in captures for graph in one.graphs]
    verdicts = [verdict for graph in graphs for verdict in graph.equal.values()]
    names = {one.architecture for one in captures}
    failed = sum(one.error is not None for one in captures)
    return (
        f"{len(names)} architectures, {len(captures)} captures ({failed} failed), "
        f"{len(graphs)} graphs, {sum(graph.nodes for graph in graphs)} nodes: "
        f"{sum(verdicts)} of {len(verdicts)} programs equal"
    )


def _upstream_cell(one: Capture) -> str:
    verdicts = [verdict for graph in one.graphs for verdict in graph.upstream.values()]
    return f"{verdicts.count('equal')}/{len(verdicts)}"


def _upstream_summary(captures: Sequence[Capture]) -> str:
    """Why the other generator fails, the most frequent reason first."""
    reasons = Counter(
        verdict.partition(": %")[0]
        for one in captures
        for graph in one.graphs
        for verdict in graph.upstream.values()
    )
    return "Upstream\n" + "\n".join(
        f"  {n}  {reason}" for reason, n in reasons.most_common()
    )


def _progress(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Capture]]:
    for done, (task, one) in enumerate(_captures(tasks, jobs), 1):
        verdict = "equal" if one.is_good else "NOT EQUAL"
        shapes = "dynamic" if task.dynamic else "static"
        click.echo(
            f"[{done}/{len(tasks)}] {task.architecture} {task.level} {shapes}: "
            f"{verdict} ({one.seconds:.1f} s)",
            err=True,
        )
        yield task, one


def _captures(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Capture]]:
    if jobs == 1:
        yield from ((task, run(task)) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context) as pool:
        futures = {pool.submit(run, task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], _outcome(future, futures[future])


def _outcome(future: Future[Capture], task: Task) -> Capture:
    """What a process returned; a process that died takes its tasks along."""
    try:
        return future.result()
    except Exception as error:
        lost = Capture(task.architecture, task.level, task.dynamic)
        lost.error = f"the process did not return: {error}"
        return lost


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("upstream_codegen", path)
    if spec is None or spec.loader is None:
        _stop(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _stop(message: str) -> NoReturn:
    click.echo(f"model_sweep: error: {message}", err=True)
    sys.exit(FAILED)


if __name__ == "__main__":
    main()
