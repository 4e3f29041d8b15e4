"""A program as lines that can be compared: what each computes, of what, and for how long.

Of a line remains a frame, which has holes where names, literals, slots and functions
of the text stand. What is in the holes is kept beside it, so that two lines may be
equal in one respect and differ in another. Names are resolved to the line, or the
parameter, that bound them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from astgen.check import Dialect
from astgen.structure.spelling import spelled

__all__ = ["Function", "Hole", "Line", "Parameter", "functions_of"]


@dataclass(frozen=True)
class Hole:
    """What stands in a hole of a frame.

    Attributes:
        kind: `value` (a local or parameter), `literal`, `constant`, `piece` or
            `function`.
        key: A line or parameter, a text, a slot, or a name.
    """

    kind: str
    key: int | str


@dataclass(frozen=True)
class Line:
    """A line that computes something, or returns.

    Attributes:
        node: The statement.
        frame: It with holes.
        callee: What is called, with a hole if it is a slot or a function of the text.
        holes: What is in the holes, in order.
        binds: The name that it binds, empty if none.
    """

    node: ast.stmt
    frame: str
    callee: str
    holes: tuple[Hole, ...]
    binds: str = ""

    @property
    def number(self) -> int:
        """Where it stands in the text, from 1."""
        return self.node.lineno

    @property
    def text(self) -> str:
        """It as it stands there, on one line."""
        return " ".join(spelled(self.node).split())

    @property
    def is_return(self) -> bool:
        """Whether it ends the function."""
        return self.frame.startswith("return")

    def of(self, kind: str) -> list[int | str]:
        """What is in the holes of a kind."""
        return [hole.key for hole in self.holes if hole.kind == kind]


@dataclass(frozen=True)
class Parameter:
    """A parameter.

    Attributes:
        name: Its name.
        kind: `positional`, `*`, `keyword` or `**`.
        default: Its default with holes, empty if there is none.
        holes: What is in the holes, in order.
        text: The default as it stands there.
    """

    name: str
    kind: str
    default: str = ""
    holes: tuple[Hole, ...] = ()
    text: str = ""


@dataclass
class Function:
    """A function of a text.

    Attributes:
        name: Its name.
        number: The line of the text where it begins.
        parameters: Its parameters, the list of pieces left out.
        takes_pieces: How it takes the list of pieces, empty if it does not.
        lines: Its lines, without `del` statements.
        deaths: For each value that is deleted, behind which line it is, and the line
            of the text that says so. Values are lines, or parameters: -1 is the
            first, -2 the second; -1 as a line is the head.
    """

    name: str
    number: int
    parameters: list[Parameter]
    takes_pieces: str = ""
    lines: list[Line] = field(default_factory=list)
    deaths: dict[int, tuple[int, int]] = field(default_factory=dict)

    def holes(self) -> Iterator[Hole]:
        """What is in its holes, defaults first, in the order of the text."""
        for parameter in self.parameters:
            yield from parameter.holes
        for line in self.lines:
            yield from line.holes

    def called(self) -> list[str]:
        """The functions of the text that it calls, in order."""
        return [str(hole.key) for hole in self.holes() if hole.kind == "function"]


def functions_of(tree: ast.Module, dialect: Dialect) -> list[Function]:
    """Take a program apart.

    Args:
        tree: The parsed text; all of it is in the grammar.
        dialect: Its names.

    Returns:
        Its functions in the order of their calls: what is called comes first, and the
        last one of the text is the last one. Where the others stand does not count.
    """
    functions = [
        _Reading(node, dialect).function
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    ]
    by_name = {one.name: one for one in functions}
    order: dict[str, Function] = {}
    # A stack: the last function is looked at first, then those that nobody calls.
    todo = [(one, False) for one in [*functions[-2::-1], *functions[-1:]]]
    while todo:
        function, is_done = todo.pop()
        if is_done:
            order.setdefault(function.name, function)
        elif function.name not in order:
            todo.append((function, True))
            called = [by_name[name] for name in function.called() if name in by_name]
            todo += [(one, False) for one in reversed(called) if one.name not in order]
    last = functions[-1:]
    return [one for one in order.values() if one not in last] + last


class _Reading:
    """Reads one function."""

    def __init__(self, node: ast.FunctionDef, dialect: Dialect) -> None:
        self.dialect = dialect
        self.values: dict[str, int] = {}
        self.holes: list[Hole] = []
        found = list(self.parameters(node.args))
        own = [one for one in found if one.name != dialect.submods]
        kinds = [one.kind for one in found if one.name == dialect.submods]
        self.function = Function(node.name, node.lineno, own, "".join(kinds))
        self.values = {one.name: -1 - place for place, one in enumerate(own)}
        for statement in node.body:
            if isinstance(statement, ast.Delete):
                self.delete(statement)
            else:
                self.line(statement)

    def parameters(self, spec: ast.arguments) -> Iterator[Parameter]:
        positional = [*spec.posonlyargs, *spec.args]
        without: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults))
        for one, default in zip(positional, [*without, *spec.defaults]):
            yield self.parameter(one.arg, "positional", default)
        if spec.vararg is not None:
            yield Parameter(spec.vararg.arg, "*")
        for one, default in zip(spec.kwonlyargs, spec.kw_defaults):
            yield self.parameter(one.arg, "keyword", default)
        if spec.kwarg is not None:
            yield Parameter(spec.kwarg.arg, "**")

    def parameter(self, name: str, kind: str, default: ast.expr | None) -> Parameter:
        if default is None:
            return Parameter(name, kind)
        self.holes = []
        frame = self.framed(default)
        return Parameter(name, kind, frame, tuple(self.holes), spelled(default))

    def delete(self, node: ast.Delete) -> None:
        behind = len(self.function.lines) - 1
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                value = self.values.pop(_name(name), None)
                if value is not None:
                    self.function.deaths[value] = (behind, name.lineno)

    def line(self, node: ast.stmt) -> None:
        self.holes = []
        value = getattr(node, "value", None)
        frame = "" if value is None else self.framed(value)
        callee = ""
        if isinstance(value, ast.Call):
            kept, self.holes = self.holes, []
            callee = self.framed(value.func)
            self.holes = kept
        binds = ""
        if isinstance(node, ast.Return):
            frame = f"return {frame}".strip()
        elif isinstance(node, ast.Assign):
            binds = _name(node.targets[0])
            self.values[binds] = len(self.function.lines)
            frame = f"= {frame}"
        line = Line(node, frame, callee, tuple(self.holes), binds)
        self.function.lines.append(line)

    def framed(self, node: ast.expr) -> str:
        """An expression with holes; what is in them goes to `holes`.

        It recurses: what is nested too deeply for that, the checker refuses.
        """
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Constant):
            return self.hole("literal", spelled(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return self.hole("literal", spelled(node))
        if isinstance(node, ast.Subscript):
            slot = self.slot(node)
            if slot:
                return slot
        if isinstance(node, ast.Attribute):
            return f"{self.framed(node.value)}.{node.attr}"
        if isinstance(node, ast.Call):
            given = [self.framed(one) for one in node.args]
            given += [
                f"{one.arg or '**'}={self.framed(one.value)}" for one in node.keywords
            ]
            return f"{self.framed(node.func)}({', '.join(given)})"
        return self.parts(node)

    def parts(self, value: object) -> str:
        """Anything else, field by field, so that what differs has another frame."""
        if isinstance(value, list):
            return f"[{', '.join(map(self.part, value))}]"
        if not isinstance(value, ast.AST):
            return repr(value)
        fields = [
            self.part(part) for name, part in ast.iter_fields(value) if name != "ctx"
        ]
        return f"{type(value).__name__}({', '.join(fields)})"

    def part(self, value: object) -> str:
        return self.framed(value) if isinstance(value, ast.expr) else self.parts(value)

    def name(self, name: str) -> str:
        if name in self.values:
            return self.hole("value", self.values[name])
        if self.dialect.is_inlined(name):
            return self.hole("function", name)
        return name

    def slot(self, node: ast.Subscript) -> str:
        """The hole of a slot; empty for another item."""
        match node:
            case ast.Subscript(ast.Name(name), ast.Constant(int() as slot)):
                if name == self.dialect.submods:
                    return self.hole("piece", slot)
                if name == self.dialect.consts:
                    return self.hole("constant", slot)
        return ""

    def hole(self, kind: str, key: int | str) -> str:
        self.holes.append(Hole(kind, key))
        return f"<{kind}>"


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
