"""How long the values of a program live, as plain values.

A sample is what is alive after a statement ran and before the next one does; the
sample of a return is what is alive when it returns. So the samples of a function have
the numbers of its statements, and a life is a span of samples: the first one that has
it, and the first one behind that has it no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from astgen.provenance.model import PieceOrigins, Symbol
from astgen.provenance.sizes import Size

__all__ = ["Call", "Held", "Kind", "Lane", "Span", "Timeline", "Timelines", "Unit"]

Kind: TypeAlias = Literal["parameter", "input", "value"]
Unit: TypeAlias = Literal["bytes", "values"]
Span: TypeAlias = tuple[int, int]
"""A first sample, and the one behind the last."""


@dataclass(frozen=True)
class Lane:
    """The life of one value under one name.

    Attributes:
        name: What it is called.
        kind: `parameter` if the model owns it, `input` for what else comes in, and
            `value` for what a statement binds.
        first: The statement that binds it, -1 if it comes in.
        last_use: The last statement that reads it; `first` if none does.
        end: The first sample that it is not in: that of its `del`, or of the statement
            that binds the name again; the number of statements if it lives to the end.
        type: What it is, empty if that is not known.
        storages: Where its tensors lie, as places in `Timelines.storages`.
        is_known: Whether its storages are known; without, it has none.
        is_late: Whether something runs between its last use and its `del`.
        is_missing: Whether something runs behind its last use, and it has no `del`.
        needless: If it is late or missing, those of its storages that it holds at a
            time when nothing needs them. What two such values share, both name.
    """

    name: str
    kind: Kind
    first: int
    last_use: int
    end: int
    type: str = ""
    storages: tuple[int, ...] = ()
    is_known: bool = False
    is_late: bool = False
    is_missing: bool = False
    needless: tuple[int, ...] = ()

    @property
    def span(self) -> Span:
        """The samples that it is in."""
        return max(self.first, 0), self.end


@dataclass(frozen=True)
class Held:
    """When a storage is reachable from the values of a function.

    Attributes:
        storage: Its place in `Timelines.storages`.
        size: Its bytes; None if they are not known.
        owner: The placeholder that brings it in, if the model owns it.
        is_given: Whether a parameter of the function brings it in.
        spans: The samples that have it, ascending and apart.
    """

    storage: int
    size: Size | None
    owner: str
    is_given: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Call:
    """A call of a piece, or of an inlined function.

    Attributes:
        statement: The statement that it is in.
        kind: Which of the two it is.
        name: What the piece or the function is called; empty if the file does not say.
    """

    statement: int
    kind: Literal["piece", "function"]
    name: str


@dataclass(frozen=True)
class Timeline:
    """The lives of the values of one function.

    Attributes:
        name: The function.
        lines: For each statement its first and its last line in the text.
        lanes: The values, parameters first, then in the order of the statements that
            bind them.
        unit: What a curve of it counts: bytes, or values if their storages are not
            known.
        held: The storages of its values, in the order in which they come up; those
            of the model among them.
        calls: What is called, in the order of execution.
    """

    name: str
    lines: tuple[tuple[int, int], ...]
    lanes: tuple[Lane, ...]
    unit: Unit = "values"
    held: tuple[Held, ...] = ()
    calls: tuple[Call, ...] = ()

    @property
    def statements(self) -> int:
        """How many statements it has, and so how many samples."""
        return len(self.lines)


@dataclass(frozen=True)
class Timelines:
    """The timelines of a program.

    Attributes:
        functions: By name, in the order of the text: what is called comes first.
        symbols: The symbolic sizes.
        storages: The size and the owner of each storage.
        pieces: What is known of pieces, by name.
    """

    functions: Mapping[str, Timeline]
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    storages: tuple[tuple[Size | None, str], ...] = ()
    pieces: Mapping[str, PieceOrigins] = field(default_factory=dict)
