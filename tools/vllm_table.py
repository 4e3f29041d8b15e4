"""The report: a table for people, JSON for programs, and what the plugin costs when off."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vllm_judge import Row
from vllm_setup import SetupError

__all__ = ["Start", "start_of_plugin", "table", "write_json"]

_TIMES = 7
_LIMIT = 60.0
_HEADS = (
    "model",
    "pieces",
    "start",
    "result",
    "text",
    "compiled",
    "cache",
    "equal",
    "s",
)
_LOAD = """
import json, sys, time
from importlib.metadata import entry_points

[entry] = entry_points(group="vllm.general_plugins", name="astgen")
start = time.perf_counter()
entry.load()()
took = time.perf_counter() - start
heavy = sorted({"torch", "libcst", "black", "click", "vllm"} & set(sys.modules))
print(json.dumps([took * 1e3, heavy]))
"""


@dataclass(frozen=True)
class Start:
    """What the plugin does in a process where it is off.

    Attributes:
        milliseconds: How long loading and calling it takes; the median.
        heavy: What it imports although it has nothing to do.
    """

    milliseconds: float
    heavy: tuple[str, ...]


def start_of_plugin(python: Path, ours: Path) -> Start:
    """Load the plugin in fresh processes that do not have its variable.

    Args:
        python: A Python.
        ours: Where astgen is installed.

    Returns:
        What it took.

    Raises:
        SetupError: It cannot be loaded.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ASTGEN_", "PYTHON"))
    }
    variables["PYTHONPATH"] = str(ours)
    times, heavy = [], set()
    for _ in range(_TIMES):
        done = subprocess.run(
            [str(python), "-c", _LOAD],
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            check=False,
            env=variables,
            # A checkout, where this may be started, has metadata of astgen as well.
            cwd=ours,
        )
        if done.returncode:
            raise SetupError(f"the plugin cannot be loaded:\n{done.stderr[-2000:]}")
        took, imported = json.loads(done.stdout)
        times.append(took)
        heavy |= set(imported)
    return Start(statistics.median(times), tuple(sorted(heavy)))


def table(rows: Sequence[Row], plugin: Start) -> Iterator[str]:
    """What was run and what came of it.

    Args:
        rows: The cases.
        plugin: What the plugin costs when it is off.

    Yields:
        Lines.
    """
    lines = [_HEADS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()
    yield ""
    for row in rows:
        for fault in row.faults:
            yield f"{row.case.model} {row.case.pieces}: {row.case.name}: {fault}"
        if row.log:
            yield "".join(f"  | {line}\n" for line in row.log.splitlines())
    for row in rows:
        if took := row.found.get("stitching"):
            yield f"{row.case.model}: {_stitching(took)}"
    yield f"plugin off: {plugin.milliseconds:.2f} ms of each process{_starts(rows)}"
    if plugin.heavy:
        yield f"plugin off: imports {', '.join(plugin.heavy)}"


def _stitching(took: Mapping[str, Any]) -> str:
    if "error" in took:
        return f"the stitching is not timed: {took['error']}"
    return (
        f"a call with stubs for pieces takes {took['astgen']:.2f} µs, that of vLLM's "
        f"function {took['vllm']:.2f} µs, ratio {took['ratio']:.3f}"
    )


def write_json(path: Path, rows: Sequence[Row], plugin: Start) -> None:
    """Write the same for programs.

    Args:
        path: The file.
        rows: The cases.
        plugin: What the plugin costs when it is off.
    """
    report = {"rows": [asdict(row) for row in rows], "plugin": asdict(plugin)}
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _cells(row: Row) -> tuple[str, ...]:
    equal = {None: "-", True: "yes", False: "NO"}[row.equal]
    return (
        *(row.case.model, row.case.pieces, row.case.name),
        *("FAILED" if row.faults else "ok", row.text, row.compiled, row.state),
        *(equal, f"{row.seconds:.0f}"),
    )


def _starts(rows: Sequence[Row]) -> str:
    """Processor time of starts from a cache, with and without astgen beside vLLM."""
    alone = _engines(rows, is_installed=False)
    beside = _engines(rows, is_installed=True)
    if not alone or not beside:
        return ""
    return (
        f"; an engine from the cache takes {statistics.median(beside):.2f} s of the "
        f"processor with astgen installed and off, {statistics.median(alone):.2f} s "
        "without astgen"
    )


def _engines(rows: Sequence[Row], *, is_installed: bool) -> list[float]:
    return [
        row.found["processor"]
        for row in rows
        if row.case.is_installed is is_installed
        and not (row.case.ours or row.faults)
        and (row.case.ranks, row.case.cache, row.state) == (1, "vllm", "loaded")
    ]
