"""What is measured in fresh processes: starting the command, and large graphs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import astgen
from bench_child import OURS
from bench_pairs import Row, compare, in_turns
from bench_peers import BenchError

__all__ = ["scaling", "starting"]

# Whatever astgen this process has, the others have, too.
_ROOT = Path(astgen.__file__).parents[1]
_CHILD = Path(__file__).with_name("bench_child.py")
_FIGURES = {
    "seconds": ("scale", "graph to callable", 1e3, "ms"),
    "peak": ("memory", "peak", 1 / 1024, "MiB"),
    "above": ("memory", "peak above the start", 1 / 1024, "MiB"),
}
_MOST_PAIRS = 3


def starting(text: str, pairs: int) -> Iterator[Row]:
    """The command, against a Python that does nothing.

    Args:
        text: A generated program to lint.
        pairs: How many times each.

    Yields:
        A row for each way to start.

    Raises:
        BenchError: A process fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "execution.py")
        path.write_text(text, encoding="utf-8")
        linted = f"{len(text.splitlines())} lines"
        nothing = partial(_time_process, ["-c", "pass"], folder)
        for what, graph, arguments in (
            ("astgen --version", "", ["--version"]),
            ("astgen lint", linted, ["lint", path.name]),
        ):
            command = partial(_time_process, ["-m", "astgen", *arguments], folder)
            command()
            nothing()
            found = compare(*in_turns(command, nothing, pairs))
            yield Row("import", what, graph, "python -c pass", "ms", found)


def scaling(
    sizes: Sequence[int],
    upstream: Path | None,
    pairs: int,
    progress: Callable[[str], None],
) -> Iterator[Row]:
    """Large graphs: time and memory, and how the time of a node grows.

    Args:
        sizes: Numbers of nodes.
        upstream: The file of the other side; without one, astgen is measured
            against itself, so that its own figures are there.
        pairs: How many processes of each side and size, three at most.
        progress: Told what begins.

    Yields:
        Three rows a size, and one for each size against the one before.

    Raises:
        BenchError: A process fails.
    """
    against = OURS if upstream is None else str(upstream.resolve())
    name = OURS if upstream is None else "upstream"
    smaller: tuple[int, list[list[float]]] | None = None
    for nodes in sorted(set(sizes)):
        graph = f"chain:{nodes}"
        progress(graph)
        sides = in_turns(
            partial(_measured, OURS, nodes),
            partial(_measured, against, nodes),
            min(pairs, _MOST_PAIRS),
        )
        for key, (group, what, factor, unit) in _FIGURES.items():
            ours, peer = (
                [one.get(key, 0.0) * factor for one in side] for side in sides
            )
            # A small graph may not need more than was there, and only Linux tells.
            if all(ours) and all(peer):
                yield Row(group, what, graph, name, unit, compare(ours, peer))
        costs = [[one["seconds"] / nodes for one in side] for side in sides]
        if smaller is not None:
            ours, peer = (
                [one / other for one, other in zip(*side)]
                for side in zip(costs, smaller[1])
            )
            what = f"time per node, over that of chain:{smaller[0]}"
            yield Row("growth", what, graph, name, "times", compare(ours, peer))
        smaller = nodes, costs


def _time_process(arguments: Sequence[str], folder: str) -> float:
    start = time.perf_counter()
    _run(arguments, folder)
    return (time.perf_counter() - start) * 1e3


def _measured(side: str, nodes: int) -> Mapping[str, float]:
    figures: Mapping[str, float] = json.loads(
        _run([str(_CHILD), side, str(nodes)], str(_ROOT))
    )
    return figures


def _run(arguments: Sequence[str], folder: str) -> str:
    environment = dict(os.environ)
    # Compiled modules are there in real life, too.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    paths = [str(_ROOT), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        why = "".join(last) or f"it ended with {done.returncode}"
        raise BenchError(f"python {' '.join(arguments)} failed: {why}")
    return done.stdout
