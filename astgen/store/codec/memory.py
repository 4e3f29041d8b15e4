"""Whose memory is whose: two constants that see each other's writes cannot be kept so.

Only what PyTorch itself shares, one storage of several tensors, is written down. Memory
that is shared behind its back, as `torch.from_numpy(array[1:])` does, would come back
as two copies, and a program that writes to one would go on with other values.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

__all__ = ["Memory"]


class Memory:
    """The ranges of addresses that hold data of constants, and their owners."""

    def __init__(self) -> None:
        self._ranges: dict[str, list[tuple[int, int, int]]] = {}
        self._kept: list[Any] = []

    def claim(
        self, owner: Any, key: int, start: int, size: int, space: str = "cpu"
    ) -> bool:
        """Say that an object owns a range of addresses.

        Args:
            owner: The object; it is kept, so that the range stays its own.
            key: What identifies it.
            start: The first address.
            size: How many bytes there are.
            space: The device that the addresses are of.

        Returns:
            Whether no other object owns a byte of it.
        """
        if not size:
            return True
        ranges, end = self._ranges.setdefault(space, []), start + size
        place = bisect_left(ranges, (start,))
        near = ranges[max(place - 1, 0) : place + 1]
        touched = [one for one in near if one[0] < end and start < one[1]]
        if not touched:
            ranges.insert(place, (start, end, key))
            self._kept.append(owner)
        return all(one[2] == key for one in touched)
