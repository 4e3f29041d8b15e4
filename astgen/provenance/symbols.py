"""Sizes of tensors as PyTorch has them -> sizes as plain data."""

from __future__ import annotations

from typing import Any

import torch

from astgen.provenance.model import Symbol
from astgen.provenance.sizes import DEPTH, MOST_PARTS, Size

__all__ = ["Symbols"]

_MOST = 1 << 62
_NAMES = {
    "Add": "+",
    "Mul": "*",
    "FloorDiv": "//",
    "CleanDiv": "//",
    "Mod": "%",
    "PythonMod": "%",
    "Max": "max",
    "Min": "min",
}
"""Operators of sympy and of `torch.utils._sympy.functions`."""


class Symbols:
    """The symbols that sizes came upon.

    Attributes:
        found: Each of them, by name.
    """

    def __init__(self) -> None:
        self.found: dict[str, Symbol] = {}
        self._room = 0

    def size(self, value: int | torch.SymInt) -> Size | None:
        """A number of elements or bytes; None if it cannot be written down."""
        if isinstance(value, int):
            return value
        # Lengths of ragged dimensions have no expression.
        expr = getattr(value.node, "expr", None)
        self._room = MOST_PARTS
        return None if expr is None else self._size(expr, value.node.shape_env, DEPTH)

    def _size(self, expr: Any, shapes: Any, depth: int) -> Size | None:
        if expr.is_Integer:
            number = int(expr)
            return number if -_MOST < number < _MOST else None
        if expr.is_Symbol:
            return self._symbol(expr, shapes)
        # Powers of powers are short, and long when they are multiplied out.
        self._room -= 1
        if not depth or self._room < 0:
            return None
        if expr.is_Pow:
            power = expr.args[1]
            if not power.is_Integer or not 2 <= int(power) <= 8:
                return None
            operator, parts = "*", [expr.args[0]] * int(power)
        else:
            operator = _NAMES.get(type(expr).__name__, "")
            parts = list(expr.args)
        if not operator or len(parts) < 2:
            return None
        sizes = [self._size(part, shapes, depth - 1) for part in parts]
        return None if None in sizes else (operator, *sizes)

    def _symbol(self, symbol: Any, shapes: Any) -> str | None:
        name = str(symbol)
        if not (name.isidentifier() and name.isascii()):
            return None
        if name not in self.found:
            # Not there in every PyTorch, and symbols without a hint are in none.
            hint = getattr(shapes, "backed_var_to_val", {}).get(symbol)
            low, high = 0, None
            known = getattr(shapes, "var_to_range", {}).get(symbol)
            if known is not None:
                low = _number(known.lower) or 0
                high = _number(known.upper)
            self.found[name] = Symbol(name, _number(hint), low, high)
        return name


def _number(value: Any) -> int | None:
    """A bound that is a number, and not infinite."""
    if not isinstance(value, int) and not getattr(value, "is_Integer", False):
        return None
    number = int(value)
    return number if abs(number) < _MOST else None
