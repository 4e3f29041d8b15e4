"""What the benchmark writes: the machine, a table for each group, JSON."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from astgen.cli.console import table
from bench_pairs import Row
from bench_peers import BenchError

__all__ = ["check_writable", "machine", "report", "write_json"]

_TITLES = {
    "call": "call: a call, pieces return at once",
    "warm": "warm: text to callable, each side its own text",
    "cold": "cold: graph to text, graph to callable",
    "storage": "storage: from a file; the other side's is a pickle with the same text",
    "check": "check: the checker, against ast.parse and compile",
    "import": "import: start of the command, in fresh processes",
    "scale": "scale: time, in fresh processes",
    "memory": "scale: peak memory, in fresh processes",
    "growth": "scale: time per node, against a smaller graph",
}
_CPUINFO = Path("/proc/cpuinfo")


def machine() -> dict[str, Any]:
    """What the figures depend on beside the code: facts and their names."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "libcst", "astgen")},
        "system": platform.platform(terse=True),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def report(machine: dict[str, Any], rows: Sequence[Row], notes: Sequence[str]) -> str:
    """The machine, a table for each group, and what is missing.

    Args:
        machine: Facts and their names.
        rows: The rows.
        notes: What is left out.

    Returns:
        Lines.
    """
    parts = ["\n".join(f"{name}: {value}" for name, value in machine.items())]
    for group, title in _TITLES.items():
        chosen = [row for row in rows if row.group == group]
        if chosen:
            unit = chosen[0].unit
            head = ["what", "graph", "peer", f"ours ({unit})", f"peer ({unit})"]
            head += ["ratio", "quartiles", "of means"]
            shown = table([head, *map(_cells, chosen)], left=range(3))
            parts.append(f"{title}\n\n{shown}")
    parts += [f"note: {note}" for note in notes]
    return "\n\n".join(parts)


def check_writable(path: Path) -> None:
    """Make sure that there will be a file, before anything is measured.

    Raises:
        BenchError: It cannot be written.
    """
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}") from error


def write_json(
    path: Path, facts: dict[str, Any], rows: Sequence[Row], notes: Sequence[str]
) -> None:
    """Write everything to a file.

    Args:
        path: The file.
        facts: About the machine.
        rows: The rows.
        notes: What is left out.

    Raises:
        BenchError: The file cannot be written.
    """
    everything = {
        "machine": facts,
        "notes": list(notes),
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    try:
        path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}") from error


def _cells(row: Row) -> list[str]:
    found = row.found
    ratio = found.ratio
    return [
        row.what,
        row.graph,
        row.peer,
        _figure(found.ours.median),
        _figure(found.peer.median),
        _ratio(ratio.median),
        f"[{_ratio(ratio.low_quartile)}, {_ratio(ratio.high_quartile)}]",
        _ratio(found.ratio_of_means),
    ]


def _figure(value: float) -> str:
    """Four digits, or all that stand before the point."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if 0.1 <= value < 100 else f"{value:.3g}"


def _processor() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
