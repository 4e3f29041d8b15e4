"""What is in the slots of a program, in a form that ranks can compare.

Two constants are the same if they would be stored as the same bytes. What is shown of
them is shorter, and may be the same for two that differ.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from astgen.errors import ConstantError
from astgen.store.codec import dumps, encode

__all__ = ["Constant", "Constants"]

_DIGITS = 16


@dataclass(frozen=True)
class Constant:
    """One constant.

    Attributes:
        shown: A short text for people.
        key: The same for constants with the same content.
    """

    shown: str
    key: str

    @property
    def exact(self) -> str:
        """The text, with as much of the key as tells it from others."""
        return f"{self.shown} ({self.key[:_DIGITS]})"


class Constants:
    """The constants of one program; each is looked at once."""

    def __init__(self, values: Sequence[Any]) -> None:
        """Take the constants, in slot order."""
        self._values = values
        self._seen: dict[int, Constant] = {}

    def holds(self, slot: object) -> bool:
        """Whether there is such a slot."""
        return type(slot) is int and 0 <= slot < len(self._values)

    def value(self, slot: int) -> Any:
        """The constant in a slot."""
        return self._values[slot]

    def described(self, slot: int) -> Constant:
        """What is in a slot."""
        if slot not in self._seen:
            self._seen[slot] = _described(self._values[slot])
        return self._seen[slot]

    def target(self, slot: int) -> str:
        """What a slot calls; what a `functools.partial` gives it does not count."""
        value = self._values[slot]
        if not isinstance(value, functools.partial):
            return self.described(slot).exact
        while isinstance(value, functools.partial):
            value = value.func
        return f"partial of {_described(value).exact}"


def _described(value: Any) -> Constant:
    try:
        encoded = encode([value])
    except ConstantError:
        # What has a name is told by it, wherever it comes from.
        named = value if hasattr(value, "__qualname__") else type(value)
        shown = f"{named.__module__}.{named.__qualname__}"
        content = shown.encode("utf-8", "backslashreplace")
    else:
        shown, content = encoded.slots[0].shown, dumps(encoded.document)
    return Constant(shown, hashlib.sha256(content).hexdigest())
