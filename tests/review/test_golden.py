"""Dumps and differences against what people have read.

`tools/update_golden.py` writes the files after a change that is meant.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.review_golden import GOLDEN

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", GOLDEN)
def test_a_program_is_dumped_as_it_was(name: str) -> None:
    assert GOLDEN[name]().encode() == (FOLDER / name).read_bytes()


def test_nothing_is_kept_that_nothing_writes() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.endswith(".py.txt")])
def test_python_reads_what_is_not_folded(name: str) -> None:
    ast.parse((FOLDER / name).read_text("ascii"))


@pytest.mark.parametrize("name", [name for name in GOLDEN if "_fold" in name])
def test_python_reads_no_folded_text(name: str) -> None:
    with pytest.raises(SyntaxError) as error:
        ast.parse((FOLDER / name).read_text("ascii"))
    assert error.value.lineno == 1
