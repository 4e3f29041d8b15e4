"""Every byte of artifacts flipped, every truncation: each must be an `ArtifactError`.

    python tools/flip_bytes.py             all artifacts, every byte
    python tools/flip_bytes.py --every 7   every seventh byte
    python tools/flip_bytes.py FILE...     of these files

The artifacts are those of the tests: a plain one, one with tensors, one with blobs. A
byte is flipped in each of its bits, and in all of them at once. It ends with 1 if
anything was not refused.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.artifacts import KINDS, packed  # noqa: E402

from astgen.errors import ArtifactError  # noqa: E402
from astgen.store import load_artifact  # noqa: E402
from astgen.store.container import read  # noqa: E402

__all__ = ["sweep"]

_PATTERNS = [1 << bit for bit in range(8)] + [0xFF]


def sweep(data: bytes, load: Callable[[bytes], Any], places: Iterable[int]) -> int:
    """Damage bytes, and count what is not refused as it should be.

    Args:
        data: An artifact.
        load: What reads it.
        places: Which bytes are flipped, and at which the file is cut.

    Returns:
        How often something else happened than an `ArtifactError`.
    """
    load(data)
    faults = 0
    for place in places:
        damaged = bytearray(data)
        for pattern in _PATTERNS:
            damaged[place] = data[place] ^ pattern
            faults += _fault(load, bytes(damaged), f"byte {place} ^ {pattern:#04x}")
        faults += _fault(load, data[:place], f"cut at {place}")
    return faults


def _fault(load: Callable[[bytes], Any], data: bytes, what: str) -> bool:
    try:
        load(data)
    except ArtifactError:
        return False
    except Exception as error:
        print(f"{what}: {type(error).__name__}: {error}")
    else:
        print(f"{what}: accepted")
    return True


def main() -> int:
    """Run the sweep."""
    parser = argparse.ArgumentParser(description="Damage artifacts byte by byte.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--container", action="store_true", help="do not decode")
    given = parser.parse_args()
    artifacts = {str(path): path.read_bytes() for path in given.files}
    if not artifacts:
        artifacts = {kind: packed(kind) for kind in KINDS}
    load = read if given.container else load_artifact
    faults = 0
    for name, data in artifacts.items():
        started = time.perf_counter()
        found = sweep(data, load, range(0, len(data), given.every))
        count = len(range(0, len(data), given.every)) * (len(_PATTERNS) + 1)
        seconds = time.perf_counter() - started
        print(
            f"{name}: {len(data)} bytes, {count} files, {found} faults, {seconds:.0f} s"
        )
        faults += found
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
