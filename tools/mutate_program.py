"""A valid program to be mutated: its text, its syntax, and changes of its bytes.

Positions are bytes of the UTF-8 text, as `ast` counts columns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from astgen.check.dialect import DEFAULT_DIALECT, Dialect

__all__ = ["Change", "Edit", "Program", "Source", "bound", "inferred", "loads"]

Edit = tuple[int, int, str]
"""First byte, byte behind the last, and what stands there instead."""

Change = tuple[Edit, ...]
"""The edits that make one mutant."""

_MOST_SLOTS = 10**6


@dataclass(frozen=True)
class Program:
    """A program and what is known beside its text."""

    name: str
    text: str
    consts: int
    submods: int
    dialect: Dialect = DEFAULT_DIALECT


def inferred(name: str, text: str, dialect: Dialect = DEFAULT_DIALECT) -> Program:
    """A program of which only the text is known: it has the slots that it uses.

    Raises:
        SyntaxError: The text is no Python program.
    """
    tree = ast.parse(text)
    found = {dialect.consts: 0, dialect.submods: 0}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            owner, index = node.value.id, getattr(node.slice, "value", None)
            if owner in found and isinstance(index, int) and index < _MOST_SLOTS:
                found[owner] = max(found[owner], index + 1)
    return Program(name, text, found[dialect.consts], found[dialect.submods], dialect)


class Source:
    """A program taken apart for those who make mutants of it.

    Attributes:
        program: The program.
        data: The bytes of its text.
        tree: Its syntax tree.
        functions: The functions of the text in order; the entry comes last.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.dialect = program.dialect
        self.data = program.text.encode()
        self.tree = ast.parse(program.text)
        self.functions = [
            node for node in self.tree.body if isinstance(node, ast.FunctionDef)
        ]
        starts = [0]
        for line in self.data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        self._starts = starts

    def mutant(self, change: Change) -> str:
        """The text with the edits made."""
        data = self.data
        for start, end, new in sorted(change, key=lambda edit: edit[:2], reverse=True):
            data = data[:start] + new.encode() + data[end:]
        # A cut may go through a character.
        return data.decode(errors="ignore")

    # Where things stand

    def at(self, line: int, column: int = 0) -> int:
        """The byte of a position as `ast` gives it."""
        return min(self._starts[line - 1] + column, len(self.data))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The bytes of a node."""
        start = self.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self.at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        return start, end

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        """The bytes of all lines of a statement."""
        return self.at(node.lineno), self.at((node.end_lineno or node.lineno) + 1)

    def text(self, node: ast.AST) -> str:
        """What a node looks like."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def block(self, node: ast.stmt) -> str:
        """The lines of a statement."""
        start, end = self.lines(node)
        return self.data[start:end].decode()

    # Edits

    def put(self, node: ast.AST, new: str) -> Change:
        """Replace a node."""
        return ((*self.span(node), new),)

    def drop(self, node: ast.stmt) -> Change:
        """Remove a statement; a body is never empty."""
        return ((*self.lines(node), ""),)

    def before(self, node: ast.stmt, lines: str) -> Change:
        """Put lines in front of a statement."""
        start, _ = self.lines(node)
        return ((start, start, lines),)

    def after(self, node: ast.stmt, lines: str) -> Change:
        """Put lines behind a statement."""
        _, end = self.lines(node)
        return ((end, end, lines),)

    def swap(self, one: ast.stmt, other: ast.stmt) -> Change:
        """Let two statements change places."""
        return (
            (*self.lines(one), self.block(other)),
            (*self.lines(other), self.block(one)),
        )

    def move(self, node: ast.stmt, place: ast.stmt) -> Change:
        """Put a statement in front of another."""
        return (*self.drop(node), *self.before(place, self.block(node)))

    # What there is

    @cached_property
    def entry(self) -> ast.FunctionDef:
        """The function that callers call."""
        return self.functions[-1]

    @cached_property
    def inlined(self) -> dict[str, ast.FunctionDef]:
        """The other functions, by name."""
        return {node.name: node for node in self.functions[:-1]}

    def parameters(self, function: ast.FunctionDef) -> list[ast.arg]:
        """All parameters, the list of pieces left out."""
        spec = function.args
        stars = [arg for arg in (spec.vararg, spec.kwarg) if arg]
        found = [*spec.args, *spec.kwonlyargs, *stars]
        return [arg for arg in found if arg.arg != self.dialect.submods]

    def locals(self, function: ast.FunctionDef) -> list[str]:
        """The names that a function binds, in order."""
        names = [arg.arg for arg in self.parameters(function)]
        names += [name for line in function.body for name in bound(line)]
        return list(dict.fromkeys(names))

    def uses(self, function: ast.FunctionDef, line: ast.stmt) -> list[ast.Name]:
        """The places where a statement uses a local, `del` left out."""
        return [name for name in loads(line) if name.id in self._locals[function.name]]

    @cached_property
    def _locals(self) -> dict[str, frozenset[str]]:
        return {node.name: frozenset(self.locals(node)) for node in self.functions}

    def bodies(self) -> Iterator[tuple[ast.FunctionDef, ast.stmt]]:
        """Every statement with its function."""
        for function in self.functions:
            for line in function.body:
                yield function, line

    def calls(self) -> Iterator[ast.Call]:
        """Every call."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node

    def inlined_calls(self) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
        """Every call of an inlined function, and the function."""
        for call in self.calls():
            if isinstance(call.func, ast.Name) and call.func.id in self.inlined:
                yield call, self.inlined[call.func.id]

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the bodies, in no order that matters."""
        return [
            node
            for function in self.functions
            for line in function.body
            for node in ast.walk(line)
        ]


def bound(line: ast.stmt) -> list[str]:
    """The names that a statement assigns."""
    targets = line.targets if isinstance(line, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def loads(line: ast.stmt) -> list[ast.Name]:
    """The places where a statement uses a name."""
    return [
        node
        for node in ast.walk(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
