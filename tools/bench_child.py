"""What a fresh process does for one figure of a large graph.

    python tools/bench_child.py astgen 1000
    python tools/bench_child.py codegen.py 1000

It makes a chain of so many nodes, turns it into a callable, and writes what that took.
Whatever a process does only once, such as reading lists from files, is part of it.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from pathlib import Path

from bench_graphs import chain, piece_stubs
from bench_peers import BenchError, Compiler, load_upstream

__all__ = ["OURS", "main"]

OURS = "astgen"
"""The side that is no file."""

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"


def main(side: str, nodes: int) -> dict[str, float]:
    """Measure in this process.

    Args:
        side: `OURS`, or the path of another generator.
        nodes: How long the chain is.

    Returns:
        `seconds` of the processor from graph to callable; where the system tells,
        `peak` memory in KiB, and how far that is `above` what was in use before.
    """
    compiler = _compiler(side)
    gm = chain(nodes)
    stubs = piece_stubs(gm)
    with contextlib.suppress(OSError):
        # Not everybody may; then the peak of making the graph counts, too.
        _CLEAR.write_text(_FORGET_PEAK)
    before = _memory("VmRSS")
    start = time.process_time()
    code, names, consts = compiler.generate_execution_code(gm)
    compiler.compile_execution_fn(code, stubs, names, consts)
    found = {"seconds": time.process_time() - start}
    peak = _memory("VmHWM")
    if before is not None and peak is not None:
        found |= {"peak": peak, "above": peak - before}
    return found


def _compiler(side: str) -> Compiler:
    if side == OURS:
        # The memory of the other side is to be without it.
        from astgen import codegen

        return codegen
    loaded = load_upstream(Path(side))
    if loaded is None:
        raise BenchError(f"{side} cannot be loaded")
    return loaded[0]


def _memory(what: str) -> float | None:
    """KiB of this process, as the kernel counts them.

    `getrusage` does not do: Linux lets a process begin with the peak of the one that
    started it.
    """
    if not _STATUS.exists():
        return None
    found = re.search(rf"^{what}:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    return float(found[1]) if found else None


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
