"""Makes `support` importable, and keeps every generated text for one last look."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support.stored import STORED  # noqa: E402
from support.texts import Texts, watch  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def texts() -> Iterator[Texts]:
    """Every text that this process generates; black and libcst judge all of them."""
    with watch() as texts:
        yield texts
    complaints = texts.complaints()
    assert not complaints, "\n\n".join(complaints)


@pytest.fixture(scope="session", autouse=True)
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every program that is run here is run once more, by a process that loads it."""
    STORED.folder = tmp_path_factory.mktemp("stored")
    yield
    complaints = STORED.complaints()
    assert not complaints, complaints
