"""Readers with faults, for the tool that looks for them; they run in other processes."""

from __future__ import annotations

import os
import time
from typing import Any

__all__ = ["dies", "fails", "grows", "hangs"]

Answer = tuple[frozenset[str], str]


def dies(drawn: Any) -> Answer:
    """End the process."""
    os._exit(3)


def fails(drawn: Any) -> Answer:
    """Say that something went wrong."""
    return frozenset(), f"{drawn.kind} went wrong"


def grows(drawn: Any) -> Answer:
    """Take more memory than is allowed."""
    taken = bytearray(1_100_000_000)
    for place in range(0, len(taken), 4096):
        taken[place] = 1
    return frozenset(), ""


def hangs(drawn: Any) -> Answer:
    """Do not come back."""
    time.sleep(600)
    return frozenset(), ""
