"""One of many processes of one cache: `python -m support.cache_race FOLDER SECONDS`.

It waits for the file `go` beside the folder, then compiles the same graphs again and
again, each time as if it had not before, removes an entry now and then, and says what
it saw.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import warnings
from pathlib import Path

import torch
from support.cache_runs import graph_of
from torch._dynamo.utils import counters

from astgen.backend import astgen_backend

__all__ = ["main"]


def main(folder: Path, seconds: float) -> dict[str, int]:
    """Compile, and count."""
    warnings.simplefilter("error", UserWarning)
    values = [float(value) for value in range(2, 5)]
    graphs = [
        graph_of(lambda g, x: g.call_function(torch.mul, (x, value)))
        for value in values
    ]
    (folder.parent / f"ready{os.getpid()}").touch()
    while not (folder.parent / "go").exists():
        time.sleep(0.01)
    end = time.monotonic() + seconds
    wrong = 0
    x = torch.ones(3)
    while time.monotonic() < end:
        for gm, value in zip(graphs, values):
            function = astgen_backend(gm, (), options={"cache_dir": folder})
            wrong += not torch.equal(function(x)[0], x * value)
        if random.random() < 0.2:
            for path in folder.glob("*.astgen"):
                path.unlink(missing_ok=True)
    return {"wrong": wrong, **counters["astgen"]}


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(main(Path(sys.argv[1]), float(sys.argv[2]))))
