"""Names of parametrised cases: short, and the same in every process."""

from __future__ import annotations

import re

__all__ = ["label"]

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def label(value: object) -> str:
    """A few characters that tell a value from its neighbours."""
    return ascii(_ADDRESS.sub("", str(value)))[1:31]
