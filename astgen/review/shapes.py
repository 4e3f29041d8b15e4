"""The statements of a function, up to names and slots.

Statements of equal shape do the same to other values. What the values are is kept
beside the shape: each is told by the statement that bound it, or by its name.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from astgen.check import Dialect

__all__ = ["Shaped", "Value", "shaped"]

_OUTSIDE = -1
_SKIPPED = frozenset({"ctx", "kind", "type_comment"})


@dataclass(frozen=True)
class Value:
    """Something that a statement takes.

    Attributes:
        name: What it is called; a slot is called as the text spells it.
        origin: The statement that bound it, -1 for a parameter or a slot.
    """

    name: str
    origin: int = _OUTSIDE


@dataclass(frozen=True)
class Shaped:
    """A statement.

    Attributes:
        shape: Equal for statements that differ in names and slots only.
        values: What it takes, in the order of the text.
        binds: The name that it binds, empty if none.
        callee: The name of the function or slot that it calls, empty if neither.
    """

    shape: tuple[object, ...]
    values: tuple[Value, ...]
    binds: str = ""
    callee: str = ""


def shaped(
    function: ast.FunctionDef,
    dialect: Dialect,
    functions: Mapping[str, object],
    constants: Sequence[object] | None = None,
) -> list[Shaped]:
    """Take names and slots out of the statements of a function.

    Args:
        function: A function that the grammar lets through.
        dialect: The names that have a meaning of their own.
        functions: What each inlined function does, as something that is equal for
            functions that do the same.
        constants: The constants, likewise; where they are not known, slots of
            constants are values like others.
    """
    maker = _Maker(dialect, functions, constants)
    return [maker.statement(index, one) for index, one in enumerate(function.body)]


class _Maker:
    def __init__(
        self,
        dialect: Dialect,
        functions: Mapping[str, object],
        constants: Sequence[object] | None,
    ) -> None:
        self.dialect = dialect
        self.functions = functions
        self.constants = constants
        self.bound: dict[str, int] = {}

    def statement(self, index: int, node: ast.stmt) -> Shaped:
        shape: list[object] = []
        values: list[Value] = []
        callee = ""
        # A stack and no recursion; what a statement binds comes last, when the other
        # names are resolved.
        todo: list[object] = [node]
        while todo:
            part = todo.pop()
            slot = self._slot(part)
            if slot is not None:
                shape.append(slot[0])
                values += slot[1]
                callee = callee or slot[2]
            elif isinstance(part, ast.Name):
                shape.append(self._name(part, values))
                if part.id in self.functions:
                    callee = callee or part.id
            elif isinstance(part, ast.Constant):
                shape += (type(part.value), repr(part.value))
            elif isinstance(part, ast.AST):
                shape.append(type(part))
                fields = [name for name in part._fields if name not in _SKIPPED]
                todo += [getattr(part, name, None) for name in reversed(fields)]
            elif isinstance(part, list):
                shape.append(len(part))
                todo += reversed(part)
            else:
                shape.append(part)
        binds = _target(node)
        if binds:
            self.bound[binds] = index
        return Shaped(tuple(shape), tuple(values), binds, callee)

    def _name(self, node: ast.Name, values: list[Value]) -> object:
        name = node.id
        if name in self.functions:
            return "function", self.functions[name]
        if name in self.dialect.reserved:
            return name
        if not isinstance(node.ctx, ast.Store):
            values.append(Value(name, self.bound.get(name, _OUTSIDE)))
        return ast.Name

    def _slot(self, node: object) -> tuple[object, list[Value], str] | None:
        """The shape of a slot, its value if it is one, and what it is called."""
        match node:
            case ast.Subscript(
                value=ast.Name(id=pool), slice=ast.Constant(value=int(index))
            ) if pool in (self.dialect.consts, self.dialect.submods):
                known = self.constants
                if pool == self.dialect.submods:
                    return "piece", [Value(f"{pool}[{index}]")], f"{pool}[{index}]"
                if known is not None and 0 <= index < len(known):
                    return ("constant", known[index]), [], ""
                return "constant", [Value(f"{pool}[{index}]")], ""
        return None


def _target(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""
