"""The tables of pieces and of constants."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from astgen.review.report.names import Names, Slot
from astgen.review.report.origins import Origins
from astgen.review.report.parsed import Parsed
from astgen.review.report.visible import Strings, visible
from astgen.structure.spelling import spelled

__all__ = ["constants_data", "pieces_data"]

_WIDEST = 200
_DIGITS = 10


def pieces_data(
    text: Parsed,
    names: Names,
    origins: Origins,
    blobs: Mapping[str, str],
    words: Strings,
) -> list[dict[str, Any]]:
    """A row for each slot of a piece; inlined functions have the number of theirs.

    Args:
        text: The program.
        names: Its names.
        origins: Where its statements come from.
        blobs: For names of pieces the SHA-256 of what is stored of them.
        words: Gets the types.
    """
    given = text.program.submod_names or ()
    inlined = _inlined(text)
    known = _known_calls(names, origins)
    structures = _structures(text)
    types = _Types(text, origins)
    rows: list[dict[str, Any]] = []
    for slot in sorted({*range(len(given)), *names.pieces, *inlined}):
        name = (given[slot] if 0 <= slot < len(given) else None) or ""
        function = inlined.get(slot)
        uses = names.pieces.get(slot, Slot())
        kind = "piece" if uses.calls else "not called"
        if function is not None:
            kind = "inlined"
            uses = names.callers.get(text.functions[function].name, Slot())
            name = name or origins.functions[function].path
        elif name and not uses.calls and inlined and _lists_inlined(text):
            kind = "inlined"
        if kind == "inlined" and name in known:
            uses = known[name]
        row = {"slot": slot, "name": visible(name), "kind": kind, "function": function}
        row |= {"blob": blobs.get(name, ""), "does": visible(structures.get(name, ""))}
        rows.append({**row, **_row(types, uses, words)})
    return rows


def _inlined(text: Parsed) -> dict[int, int]:
    """For slots of inlined functions their functions, by place."""
    found = {}
    for place, function in enumerate(text.functions):
        number = function.name.removeprefix(text.dialect.inlined)
        if text.dialect.is_inlined(function.name) and number.isascii():
            if number.isdigit() and len(number) < _DIGITS:
                found[int(number)] = place
    return found


def _known_calls(names: Names, origins: Origins) -> dict[str, Slot]:
    """The calls of inlined functions by the child that each stands for.

    Children of equal structure share a function; the nodes of their calls differ.
    """
    found: dict[str, Slot] = {}
    for uses in names.callers.values():
        for block, call in uses.calls:
            origin = origins.statements[block]
            if origin is not None:
                found.setdefault(origin.node, Slot()).calls.append((block, call))
    return found


def _structures(text: Parsed) -> dict[str, str]:
    """For pieces, by name, what is equal for those that do the same."""
    known = text.program.provenance
    pieces = known.pieces if known is not None else {}
    return {name: one.structure for name, one in pieces.items()}


def _lists_inlined(text: Parsed) -> bool:
    """Whether slots have names that only children have whose code is in the text."""
    return text.program.profile == "astgen-1"


class _Types:
    """The types of what a text binds."""

    def __init__(self, text: Parsed, origins: Origins) -> None:
        self.text = text
        self.origins = origins
        self.of_names = [
            {name: value.type for name, value in one.parameters.items()}
            for one in origins.functions
        ]
        for place, block in enumerate(text.blocks):
            node = block.node
            if block.statement >= 0 and isinstance(node, ast.Assign):
                for target in node.targets:
                    found = self.of_names[block.function]
                    found.setdefault(_name(target), origins.type_of(place))

    def of(self, block: int, node: ast.expr) -> str:
        """The type of an argument in a block, empty if it is not known."""
        return self.of_names[self.text.blocks[block].function].get(_name(node), "")


def _row(types: _Types, uses: Slot, words: Strings) -> dict[str, Any]:
    """What calls of a piece take and give; types are those of the first one."""
    calls = [block for block, _ in uses.calls]
    row: dict[str, Any] = {"calls": calls, "takes": [], "gives": -1}
    if uses.calls:
        block, call = uses.calls[0]
        row["gives"] = words.add(types.origins.type_of(block))
        row["takes"] = [
            [visible(spelled(one))[:_WIDEST], words.add(types.of(block, one))]
            for one in (*call.args, *(one.value for one in call.keywords))
        ]
    return row


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def constants_data(
    text: Parsed, names: Names, supplied: Sequence[bool] | None
) -> list[dict[str, Any]]:
    """A row for each constant that the file has, or that the text takes.

    Args:
        text: The program.
        names: Its names.
        supplied: For each slot whether the constant is not in the file, so that
            whoever loads it hands it over; None if the file does not say.
    """
    known = text.program.constants or ()
    rows = []
    for slot in sorted({*range(len(known)), *names.constants}):
        one = known[slot] if 0 <= slot < len(known) else None
        state = "not in the file" if one is None else "in the file"
        if supplied is not None and 0 <= slot < len(supplied):
            state = "supplied by whoever loads it" if supplied[slot] else "stored"
        uses = names.constants.get(slot, Slot()).blocks
        rows.append(
            {
                "slot": slot,
                "kind": visible(one.kind) if one else "",
                "value": visible(one.shown) if one else "",
                "state": state,
                "uses": list(dict.fromkeys(uses)),
            }
        )
    return rows
