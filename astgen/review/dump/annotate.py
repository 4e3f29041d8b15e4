"""Types, modules and lines of the model, as comments between and behind statements.

Comments change neither what a text does nor, as they are put here, what black would
make of it: behind a statement where one line has room for both, else above it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from unicodedata import east_asian_width

from astgen.provenance.model import (
    FunctionOrigins,
    Origin,
    PieceOrigins,
    Provenance,
    Symbol,
    Value,
)
from astgen.review.dump.plain import comment

__all__ = ["annotated", "sizes_legend"]

_WIDTH = 88
_WIDEST = 200
_ENOUGH = _WIDEST + 1
"""So much of a text tells whether there is room for all of it."""

_ROOM = 16


def annotated(
    text: str, tree: ast.Module, provenance: Provenance, names: Mapping[str, str]
) -> str:
    """Add what is known of the statements of a text.

    Args:
        text: A text that the grammar lets through.
        tree: Its tree.
        provenance: Where its statements come from.
        names: For each short name of the text the long one, which the provenance has.

    Returns:
        The text with comments. A function that has other statements than the
        provenance knows of, since somebody edited it, gets none.
    """
    notes = _Notes(text.split("\n"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            origins = provenance.functions.get(node.name)
            if origins is not None and len(origins.statements) == len(node.body):
                _head(notes, node, origins, names)
                _body(notes, node, origins, provenance.pieces)
    return notes.text()


def sizes_legend(symbols: Mapping[str, Symbol]) -> Iterator[str]:
    """The symbolic sizes that types name, as comments.

    Args:
        symbols: The symbols, by name.
    """
    for name, symbol in symbols.items():
        most = "" if symbol.high is None else f", at most {symbol.high}"
        traced = "" if symbol.hint is None else f", {symbol.hint} when it was traced"
        yield f"# {_cut(_comment(name), _WIDEST)}: at least {symbol.low}{most}{traced}"


class _Notes:
    """The lines of a text, and the comments that go between and behind them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._above: dict[int, list[str]] = {}
        self._behind: dict[int, str] = {}

    def above(self, node: ast.stmt, note: str, widest: int = _WIDEST) -> None:
        """A comment on a line of its own."""
        room = widest - node.col_offset - len("# ")
        line = f"{' ' * node.col_offset}# {_cut(_comment(note), room)}"
        self._above.setdefault(node.lineno - 1, []).append(line)

    def behind(self, number: int, note: str) -> bool:
        """A comment at the end of a line; False if there is no room for it."""
        note = _comment(note)
        room = _WIDTH - _columns(self.lines[number - 1]) - len("  # ")
        if len(note) <= room and number not in self._behind:
            self._behind[number] = note
            return True
        return False

    def text(self) -> str:
        """The lines with the comments."""
        found: list[str] = []
        for place, line in enumerate(self.lines):
            found += self._above.get(place, ())
            note = self._behind.get(place + 1)
            found.append(line if note is None else f"{line}  # {note}")
        return "\n".join(found)


def _head(
    notes: _Notes,
    node: ast.FunctionDef,
    origins: FunctionOrigins,
    names: Mapping[str, str],
) -> None:
    if origins.path:
        notes.above(node, f"of {origins.path}")
    args = node.args
    parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    starred = [one for one in (args.vararg, args.kwarg) if one is not None]
    lines = Counter(one.lineno for one in (*parameters, *starred))
    for one in parameters:
        value = origins.parameters.get(names.get(one.arg, one.arg))
        if value is None:
            continue
        # Behind it, if it has a line of its own.
        alone = lines[one.lineno] == 1 and one.lineno != node.lineno
        if not alone or not notes.behind(one.lineno, value.type):
            notes.above(node, f"{one.arg}: {value.type[:_ENOUGH]}")


def _body(
    notes: _Notes,
    node: ast.FunctionDef,
    origins: FunctionOrigins,
    pieces: Mapping[str, PieceOrigins],
) -> None:
    last: list[str] = []
    for statement, origin in zip(node.body, origins.statements):
        if origin is None:
            continue
        place = _place(origin, pieces.get(origin.node))
        if place and place != last:
            for line in place:
                notes.above(statement, line, _WIDTH)
            last = place
        if origin.value is not None and isinstance(statement, ast.Assign):
            _type(notes, statement, origin.value)


def _type(notes: _Notes, statement: ast.Assign, value: Value) -> None:
    fits = statement.lineno == statement.end_lineno
    if not fits or not notes.behind(statement.lineno, value.type):
        target = statement.targets[0]
        name = target.id if isinstance(target, ast.Name) else "it"
        notes.above(statement, f"{name}: {value.type[:_ENOUGH]}")


def _place(origin: Origin, piece: PieceOrigins | None) -> list[str]:
    """The module of a statement, and the line that made it with its text below."""
    source = origin.source
    parts = [origin.module[:_ENOUGH]]
    text = ""
    if source is not None:
        where = f" in {source.function[:_ENOUGH]}" if source.function else ""
        text = source.text[:_ENOUGH].strip()
        parts.append(f"{source.file[:_ENOUGH]}:{source.line}{where}")
    elif piece is not None:
        span = f", {piece.span[:_ENOUGH]}" if piece.span else ""
        parts.append(f"{piece.operators} operators{span}")
    line = " | ".join(part for part in parts if part)
    return [part for part in (line, f"> {text}" if text else "") if part]


def _comment(text: str) -> str:
    """A text for a comment, which black leaves alone; much of it is never shown."""
    return comment(text[:_ENOUGH].strip()) or "?"


def _columns(line: str) -> int:
    """The columns that black counts: wide characters take two."""
    if line.isascii():
        return len(line)
    return sum(1 + (east_asian_width(one) in "WF") for one in line)


def _cut(text: str, room: int) -> str:
    room = max(room, _ROOM)
    return text if len(text) <= room else f"{text[: room - 3]}..."
