"""What the tests of the caches share: small graphs, and processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import fx

__all__ = ["environment", "graph_of", "run_process"]

_TESTS = Path(__file__).resolve().parents[1]


def environment(seed: str) -> dict[str, str]:
    """That of a process which finds the tests, under a hash seed."""
    path = os.pathsep.join([str(_TESTS), str(_TESTS.parent)])
    return {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed}


def run_process(cwd: Path, seed: str, **said: Any) -> dict[str, Any]:
    """What `support.cached_model` says to a specification, in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "support.cached_model", json.dumps(said)],
        cwd=cwd,
        env=environment(seed),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def graph_of(
    build: Callable[[fx.Graph, fx.Node], Any], **attributes: Any
) -> fx.GraphModule:
    """A graph of one input by hand; `build(graph, x)` returns its result."""
    graph = fx.Graph()
    graph.output((build(graph, graph.placeholder("x")),))
    root = torch.nn.Module()
    for name, value in attributes.items():
        setattr(root, name, value)
    return fx.GraphModule(root, graph)
