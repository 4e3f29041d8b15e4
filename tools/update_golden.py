"""Write what the output formats of the linter make of awkward reports.

Run it after a change of a format that is meant, and look at the difference:

    python tools/update_golden.py && git diff tests/lint/output/golden
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.lint_reports import GOLDEN  # noqa: E402

__all__ = ["main"]

FOLDER = ROOT / "tests" / "lint" / "output" / "golden"


def main() -> None:
    """Write all files, and remove those that nothing writes any more."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in GOLDEN:
            path.unlink()
    for name, make in GOLDEN.items():
        (FOLDER / name).write_bytes(make().encode("utf-8"))


if __name__ == "__main__":
    main()
