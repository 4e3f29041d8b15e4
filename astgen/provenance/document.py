"""Provenance as a member of an artifact: JSON, with what repeats written once.

    {
      "version": 1,
      "symbols": [["s72", 512, 2, null], ...],             name, hint, low, high
      "storages": [[["*", 4, "s72"], ""], [1024, "w"], ...],        size, owner
      "types": ["f32[s72, 128]", ...],
      "modules": ["layers.0.mlp", ...],
      "sources": [["model.py", 12, "forward", "y = self.up(x)"], ...],
      "functions": {"execution_fn": {
        "path": "",
        "parameters": {"x": [0, [0]]},                 place in types, storages
        "statements": [["mul", [0, [1]], 0, 0], null, ...]
      }},                   node, value or null, places in modules and sources
      "pieces": {"submod_0": [12, [[1024, 0, 3], ...], "5e88…", {
        "code": "import torch…",               operators, intervals, structure, text
        "constants": [["torch.dtype", "torch.float16", "…"], ...],    kind, shown, key
        "functions": {...}
      }]}
    }

A place of -1 says that nothing is known.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from astgen.errors import ArtifactError
from astgen.garbage import paused
from astgen.provenance.model import (
    FunctionOrigins,
    Interval,
    Origin,
    PieceOrigins,
    PieceProgram,
    Provenance,
    Source,
    Storage,
    Symbol,
    Value,
)
from astgen.provenance.sizes import DEPTH, Size, parse_size
from astgen.store.notation import parse_json, write_json

__all__ = ["MOST_BYTES", "read_provenance", "write_provenance"]

MOST_BYTES = 64 << 20
"""How large the document may be."""

_VERSION = 1
_NESTED = 8
_UNKNOWN = -1
_MOST = 1 << 63

T = TypeVar("T")


@paused()
def write_provenance(provenance: Provenance) -> bytes:
    """The document; the same bytes for equal provenances."""
    return _Writer().document(provenance)


def read_provenance(data: bytes) -> Provenance:
    """Read a document that nobody vouches for.

    Args:
        data: Its bytes.

    Raises:
        ArtifactError: It is none, or too large.
    """
    if len(data) > MOST_BYTES:
        reason = f"it has {len(data)} bytes, the limit is {MOST_BYTES}"
        raise ArtifactError(reason, rule="AG005")
    try:
        content = parse_json(data, DEPTH + _NESTED)
        if _field(content, "version", int) != _VERSION:
            raise ValueError("its version is not known here")
        return _Reader(content).provenance()
    except (ValueError, RecursionError) as error:
        reason = f"it does not say where statements come from: {error}"
        raise ArtifactError(reason) from error


class _Table:
    """Values that are written once, and named by their place."""

    def __init__(self) -> None:
        self.places: dict[Hashable, int] = {}

    def place(self, value: Hashable) -> int:
        return self.places.setdefault(value, len(self.places))


class _Writer:
    def __init__(self) -> None:
        self.types, self.modules, self.sources = _Table(), _Table(), _Table()

    def document(self, said: Provenance) -> bytes:
        # Sorted, since a place in a table is that of the first to use it.
        symbols = sorted(said.symbols.values(), key=lambda one: one.name)
        functions = {
            name: self.function(one) for name, one in sorted(said.functions.items())
        }
        content = {
            "version": _VERSION,
            "symbols": [[one.name, one.hint, one.low, one.high] for one in symbols],
            "storages": [[one.size, one.owner] for one in said.storages],
            "functions": functions,
            "pieces": {
                name: self.piece(one) for name, one in sorted(said.pieces.items())
            },
            "types": [*self.types.places],
            "modules": [*self.modules.places],
            "sources": [*self.sources.places],
        }
        return write_json(content)

    def piece(self, said: PieceOrigins) -> list[Any]:
        memory = [[one.size, one.first, one.last] for one in said.memory]
        text = None
        if said.program is not None:
            functions = sorted(said.program.functions.items())
            text = {
                "code": said.program.code,
                "constants": [*map(list, said.program.constants)],
                "functions": {name: self.function(one) for name, one in functions},
            }
        return [said.operators, memory, said.structure, text]

    def function(self, said: FunctionOrigins) -> dict[str, Any]:
        return {
            "path": said.path,
            "parameters": {
                name: self.value(one) for name, one in sorted(said.parameters.items())
            },
            "statements": [
                None if one is None else self.origin(one) for one in said.statements
            ],
        }

    def origin(self, said: Origin) -> list[Any]:
        source = said.source
        line = _UNKNOWN
        if source is not None:
            key = source.file, source.line, source.function, source.text
            line = self.sources.place(key)
        module = self.modules.place(said.module) if said.module else _UNKNOWN
        return [said.node, self.value(said.value), module, line]

    def value(self, said: Value | None) -> list[Any] | None:
        if said is None:
            return None
        return [self.types.place(said.type), list(said.storages)]


class _Reader:
    def __init__(self, content: Any) -> None:
        self.content = content
        self.storages = tuple(map(_storage, _field(content, "storages", list)))
        self.types = [_of(one, str) for one in _field(content, "types", list)]
        self.modules = [_of(one, str) for one in _field(content, "modules", list)]
        self.sources = [_source(one) for one in _field(content, "sources", list)]

    def provenance(self) -> Provenance:
        symbols = [_symbol(one) for one in _field(self.content, "symbols", list)]
        if len({one.name for one in symbols}) < len(symbols):
            raise ValueError("a symbol stands there twice")
        functions = _field(self.content, "functions", dict)
        pieces = _field(self.content, "pieces", dict)
        return Provenance(
            {one.name: one for one in symbols},
            self.storages,
            {name: self.function(one) for name, one in functions.items()},
            {name: self.piece(one) for name, one in pieces.items()},
        )

    def piece(self, said: Any) -> PieceOrigins:
        operators, memory, structure, text = _row(said, int, list, str, object)
        rows = [_row(one, object, int, int) for one in memory]
        if operators < 0 or any(not 0 <= first <= last for _, first, last in rows):
            raise ValueError("a piece ends before it begins")
        intervals = tuple(Interval(_size(s), a, b) for s, a, b in rows)
        program = None if text is None else self.program(text)
        return PieceOrigins(operators, intervals, structure, program)

    def program(self, said: Any) -> PieceProgram:
        constants = _field(said, "constants", list)
        functions = _field(said, "functions", dict)
        return PieceProgram(
            _field(said, "code", str),
            tuple(
                (a, b, c) for a, b, c in (_row(one, str, str, str) for one in constants)
            ),
            {name: self.function(one) for name, one in functions.items()},
        )

    def function(self, said: Any) -> FunctionOrigins:
        parameters = _field(said, "parameters", dict)
        statements = _field(said, "statements", list)
        known = {name: self.value(one) for name, one in parameters.items()}
        return FunctionOrigins(
            _field(said, "path", str),
            {name: value for name, value in known.items() if value is not None},
            tuple(None if one is None else self.origin(one) for one in statements),
        )

    def origin(self, said: Any) -> Origin:
        node, value, module, line = _row(said, str, (list, type(None)), int, int)
        found = self.value(value)
        path = "" if module == _UNKNOWN else _at(self.modules, module)
        source = None if line == _UNKNOWN else _at(self.sources, line)
        return Origin(node, found, path, source)

    def value(self, said: Any) -> Value | None:
        if said is None:
            return None
        place, storages = _row(said, int, list)
        for one in storages:
            _at(self.storages, _of(one, int))
        if len({*storages}) < len(storages):
            raise ValueError("a value lies twice in one storage")
        return Value(_at(self.types, place), tuple(storages))


def _storage(said: Any) -> Storage:
    size, owner = _row(said, object, str)
    return Storage(_size(size), owner)


def _symbol(said: Any) -> Symbol:
    name, hint, low, high = _row(said, str, _OPTIONAL, int, _OPTIONAL)
    if not isinstance(parse_size(name), str):
        raise ValueError("a symbol is no name")
    return Symbol(name, hint, low, high)


def _source(said: Any) -> Source:
    return Source(*_row(said, str, int, str, str))


_OPTIONAL = (int, type(None))


def _size(said: Any) -> Size | None:
    return None if said is None else parse_size(said)


def _row(said: Any, *kinds: type | tuple[type, ...]) -> list[Any]:
    """The parts of a list that has one of each kind."""
    parts: list[Any] = _of(said, list)
    if len(parts) != len(kinds):
        raise ValueError(f"a list has {len(parts)} parts instead of {len(kinds)}")
    for part, kind in zip(parts, kinds):
        _of(part, kind)
    return parts


def _field(said: Any, name: str, kind: type) -> Any:
    content = _of(said, dict)
    if name not in content:
        raise ValueError(f"there is no {name!r}")
    return _of(content[name], kind)


def _of(said: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(said, kind) or (isinstance(said, bool) and kind is not object):
        raise ValueError(f"a {type(said).__name__} stands where none may")
    if isinstance(said, int) and not -_MOST <= said < _MOST:
        raise ValueError("a number has more than 63 bits")
    return said


def _at(table: Sequence[T], place: int) -> T:
    if not 0 <= place < len(table):
        raise ValueError(f"{place} is no place in a table of {len(table)}")
    return table[place]
