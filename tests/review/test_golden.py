"""Dumps against what people have read.

`tools/update_golden.py` writes the files after a change that is meant.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.review_texts import GOLDEN

FOLDER = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", GOLDEN)
def test_a_program_is_dumped_as_it_was(name: str) -> None:
    assert GOLDEN[name]().encode() == (FOLDER / name).read_bytes()


def test_nothing_is_kept_that_nothing_writes() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_python_reads_what_is_not_folded_and_nothing_else(name: str) -> None:
    text = (FOLDER / name).read_text("ascii")
    if name.endswith(".py.txt"):
        ast.parse(text)
    else:
        with pytest.raises(SyntaxError) as error:
            ast.parse(text)
        assert error.value.lineno == 1
