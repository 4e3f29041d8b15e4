"""What stands behind names and slots, as comments above a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from astgen.check import Dialect
from astgen.review.dump.plain import comment
from astgen.review.programs import ReadProgram

__all__ = ["names_legend", "slots_legend"]

_WORD = re.compile(r"\w+", re.ASCII)
_WIDEST = 200
_DIGITS = 8


def names_legend(names: Mapping[str, str], text: str) -> Iterator[str]:
    """The long names behind the short ones that a text still has.

    Args:
        names: For each short name the long one.
        text: The text.
    """
    left = {*_WORD.findall(text)}
    shown = [
        f"#   {one} = {comment(name)}" for one, name in names.items() if one in left
    ]
    if shown:
        yield "# short names, for reading; the entry is called by position:"
        yield from shown


def slots_legend(program: ReadProgram, dialect: Dialect) -> Iterator[str]:
    """What is in the slots, as far as the source says it.

    Args:
        program: The program.
        dialect: What its slots are called.
    """
    names = program.submod_names
    if names is None:
        yield f"# {dialect.submods}: not in the source"
    for slot, name in enumerate(names or ()):
        shown = "no name" if name is None else _cut(_piece(program, name))
        yield f"# {dialect.submods}[{slot}] = {shown}"
    constants = program.constants
    if constants is None:
        yield f"# {dialect.consts}: not in the source"
    for slot, constant in enumerate(constants or ()):
        yield f"# {dialect.consts}[{slot}] = {_cut(constant.shown)}"


def _piece(program: ReadProgram, name: str) -> str:
    """The name of a piece, and what is known of it."""
    known = None if program.provenance is None else program.provenance.pieces.get(name)
    if known is None:
        return name
    count = f"{known.operators} operator{'s' * (known.operators != 1)}"
    graph = f"graph {known.structure[:_DIGITS]}" if known.structure else ""
    return ", ".join(part for part in (name, count, known.span, graph) if part)


def _cut(text: str) -> str:
    shown = comment(text)
    return shown if len(shown) <= _WIDEST else f"{shown[:_WIDEST]}..."
