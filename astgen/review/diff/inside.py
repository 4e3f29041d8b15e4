"""What differs in two pieces that are called at the same place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from astgen.errors import InvalidProgramError
from astgen.lint.sources.limits import Limits, within
from astgen.lint.subject import Constant, Contents, Subject
from astgen.provenance.model import Origin, Provenance
from astgen.review.diff.difference import Difference, Place
from astgen.review.programs import ReadProgram

__all__ = ["inside"]

_TOLD = 4

Compare = Callable[[ReadProgram, ReadProgram], "tuple[Difference, ...]"]


def inside(
    left: ReadProgram, right: ReadProgram, slots: tuple[int, int], compare: Compare
) -> tuple[str, ...]:
    """Say what differs in two pieces.

    Args:
        left: The program that calls the one.
        right: The program that calls the other.
        slots: Their slots.
        compare: Compares two programs.

    Returns:
        A line for each of the first differences; none if the sources do not have the
        texts of the pieces.
    """
    pieces = _piece(left, slots[0]), _piece(right, slots[1])
    if pieces[0] is None or pieces[1] is None:
        return ()
    try:
        found = compare(pieces[0], pieces[1])
    except InvalidProgramError:
        return ()
    lines = [
        line for one in found[:_TOLD] for line in _lines(one, pieces[0], pieces[1])
    ]
    more = len(found) - _TOLD
    return (*lines, *([f"and {more} more"] if more > 0 else []))


def _piece(program: ReadProgram, slot: int) -> ReadProgram | None:
    """The text that a piece would be, as a program."""
    names, provenance = program.submod_names, program.provenance
    if names is None or provenance is None or slot >= len(names):
        return None
    known = provenance.pieces.get(names[slot] or "")
    if known is None or known.program is None:
        return None
    if not within(Contents([Subject(known.program.code)]), Limits()).subjects:
        # As texts of files, it may be made to cost minutes and gigabytes.
        return None
    constants = tuple(Constant(*one) for one in known.program.constants)
    origins = Provenance(functions=known.program.functions)
    return ReadProgram(known.program.code, None, constants, provenance=origins)


def _lines(one: Difference, left: ReadProgram, right: ReadProgram) -> Iterator[str]:
    """A difference in pieces: what, where in the model, and the statements."""
    where = _where(right, one.right) or _where(left, one.left)
    yield f"{one.category}{f' in {where}' if where else ''}"
    if one.left is not None:
        yield f"  - {one.left.text}"
    if one.right is not None:
        yield f"  + {one.right.text}"


def _where(program: ReadProgram, place: Place | None) -> str:
    """The module and the line of the model that a statement comes from."""
    origin = None if place is None else _origin(program, place)
    if origin is None:
        return ""
    parts = [origin.module] if origin.module else []
    if origin.source is not None:
        source = origin.source
        where = f" in {source.function}" if source.function else ""
        text = f": {source.text}" if source.text else ""
        parts.append(f"{source.file}:{source.line}{where}{text}")
    return ", ".join(parts)


def _origin(program: ReadProgram, place: Place) -> Origin | None:
    """Where a statement comes from."""
    provenance = program.provenance
    if provenance is None or place.function not in provenance.functions:
        return None
    statements = provenance.functions[place.function].statements
    for node in ast.parse(program.code).body:
        if isinstance(node, ast.FunctionDef) and node.name == place.function:
            for one, origin in zip(node.body, statements):
                if one.lineno == place.line:
                    return origin
    return None
