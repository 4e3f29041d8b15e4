"""A hundred thousand findings are written piece by piece."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.lint_reports import many, stand_ins

from astgen.lint.output import FORMATS, Style, renderer, summary
from astgen.lint.report import Report

COUNT = 100_000
LARGEST = 20_000


@pytest.fixture(scope="module")
def large() -> Iterator[Report]:
    with stand_ins():
        yield many(COUNT)


@pytest.mark.parametrize("name", FORMATS)
def test_no_chunk_holds_more_than_one_finding(name: str, large: Report) -> None:
    chunks = sizes = 0
    for chunk in renderer(name)(large, Style()):
        assert len(chunk) < LARGEST
        assert chunk.count("is broken") <= 2
        chunks += 1
        sizes += len(chunk)
    assert chunks >= COUNT
    assert sizes > 30 * COUNT


@pytest.mark.parametrize("name", FORMATS)
def test_the_first_chunk_is_there_before_the_last_finding_is_drawn(
    name: str, large: Report
) -> None:
    chunks = renderer(name)(large, Style())
    assert iter(chunks) is chunks
    assert next(chunks)


def test_the_summary_counts_all(large: Report) -> None:
    expected = "Found 100,000 errors in 100 of 100 files (100 programs)."
    assert summary(large) == expected
