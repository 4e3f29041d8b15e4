"""One digest for all texts that differ in names and numbers only."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping

from astgen.check import Dialect
from astgen.structure.lines import functions_of
from astgen.structure.meanings import Meanings, digest

__all__ = ["structure_hash"]


def structure_hash(
    tree: ast.Module, dialect: Dialect, constants: Mapping[int, str]
) -> str:
    """Equal for programs that do the same, to the same constants, in the same order.

    Names of locals and positional parameters do not count, nor do the numbers of slots
    and of inlined functions; pieces are told by the order in which they are called.

    Args:
        tree: The text, parsed; all of it is in the grammar, and it has a function.
        dialect: The names of the text.
        constants: For each slot whose constant is known, a text that is equal for
            equal ones.
    """
    functions = functions_of(tree, dialect)
    order: dict[tuple[str, int], str] = {}
    for function in functions:
        for hole in function.holes():
            if hole.kind in ("piece", "constant"):
                slot = hole.kind, int(hole.key)
                order.setdefault(slot, f"number {len(order)}")
    # With the number: it counts whether two lines take the same object.
    meanings = Meanings(
        {
            slot: f"{number} {constants.get(slot, '')}"
            for (kind, slot), number in order.items()
            if kind == "constant"
        },
        {slot: number for (kind, slot), number in order.items() if kind == "piece"},
    )
    for function in functions:
        meanings.functions[function.name] = digest(function, meanings)
    entry = functions[-1].name
    # Functions that nobody calls are differences, too.
    called = {name for function in functions for name in function.called()}
    unused = sorted(
        meanings.functions[one.name] for one in functions[:-1] if one.name not in called
    )
    text = " ".join([entry, meanings.functions[entry], *unused])
    return hashlib.sha256(text.encode()).hexdigest()
