"""Output formats over reports with awkward content, against what people have read.

`tools/update_golden.py` writes the files after a change that is meant.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lint_reports import GOLDEN, clean, render

from astgen.lint.report import Report

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", GOLDEN)
def test_a_format_writes_what_it_wrote(name: str) -> None:
    assert GOLDEN[name]().encode() == (FOLDER / name).read_bytes()


def test_nothing_is_kept_that_nothing_writes() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", ["full", "concise", "github", "jsonl"])
def test_formats_of_lines_are_empty_without_findings(name: str) -> None:
    assert render(clean(), name) == ""


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab", "junit"])
def test_documents_are_whole_without_files(name: str) -> None:
    text = render(Report((), "1.2.3"), name)
    assert text.endswith(("}\n", "]\n", ">\n"))
    assert "a.py" not in text
