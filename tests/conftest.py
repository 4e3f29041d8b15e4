"""Makes `support` importable, and keeps every generated text for one last look."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support.texts import Texts, watch  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def texts() -> Iterator[Texts]:
    """Every text that this process generates; black and libcst judge all of them."""
    with watch() as texts:
        yield texts
    complaints = texts.complaints()
    assert not complaints, "\n\n".join(complaints)
