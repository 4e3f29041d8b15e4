"""The sweep over damaged artifacts: what it counts, and that there is nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.artifacts import packed

from astgen.store import load_artifact

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from flip_bytes import sweep  # noqa: E402


def test_damage_at_some_places_is_refused() -> None:
    data = packed("blobs")
    assert sweep(data, load_artifact, range(0, len(data), 500)) == 0


def test_what_is_accepted_or_fails_otherwise_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def careless(data: bytes) -> None:
        if len(data) < 3:
            raise KeyError(data)

    assert sweep(b"abc", careless, [0, 2]) == 20
    printed = capsys.readouterr().out.splitlines()
    assert "cut at 2: KeyError: b'ab'" in printed
    assert "byte 0 ^ 0x01: accepted" in printed
