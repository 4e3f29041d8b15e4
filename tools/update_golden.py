"""Write what the linter's formats make of awkward reports, and how programs are dumped.

Run it after a change of a format that is meant, and look at the difference:

    python tools/update_golden.py && git diff 'tests/**/golden'
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.lint_reports import GOLDEN as REPORTS  # noqa: E402
from support.review_golden import GOLDEN as DUMPS  # noqa: E402

__all__ = ["main"]

TESTS = ROOT / "tests"
FOLDERS = {
    TESTS / "lint" / "output" / "golden": REPORTS,
    TESTS / "review" / "golden": DUMPS,
}


def main() -> None:
    """Write all files, and remove those that nothing writes any more."""
    for folder, golden in FOLDERS.items():
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.name not in golden:
                path.unlink()
        for name, make in golden.items():
            (folder / name).write_bytes(make().encode("utf-8"))


if __name__ == "__main__":
    main()
