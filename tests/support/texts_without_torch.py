"""Texts for tests that run where torch is not installed."""

from __future__ import annotations

from pathlib import Path

__all__ = ["DECODER"]

DECODER = Path(__file__).resolve().parent.parent / "review" / "data" / "decoder.txt"
"""What `astgen compile` wrote for the built-in model."""
