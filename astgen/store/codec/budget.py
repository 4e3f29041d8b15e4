"""How many bytes a document may make of how many: equal ones are stored once.

Without a bound, a small file that refers to the same bytes again and again would fill
any memory. Writing keeps to it as well, so that what is stored can be loaded.
"""

from __future__ import annotations

__all__ = ["FACTOR", "FREE", "Budget"]

FREE = 64 << 20
"""So many bytes may be made of any number."""

FACTOR = 128
"""How often all that is stored may be made, more than a model has equal layers."""


class Budget:
    """Counts the bytes that are stored, and those that are made of them."""

    def __init__(self, stored: int = 0) -> None:
        """Start with nothing made.

        Args:
            stored: How many bytes are stored.
        """
        self.stored = stored
        self.made = 0

    def spend(self, size: int) -> bool:
        """Count bytes that are made; whether they are not too many by now."""
        self.made += size
        return self.made <= FREE + FACTOR * self.stored
