"""The statements of a program, with what ranks may differ in taken apart.

Of a statement remains its structure: targets, how values flow, names of keywords.
Locals are numbered, literals and constants are blanks; a constant that is called is a
target. The numbers and texts that a
collective is given stay, unless they name a group or are items of a list: ranks may
split unevenly, but all of them reduce in the same way.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from astgen.backend.collectives import NAMESPACES, arguments_of
from astgen.backend.slots import Constant, Constants
from astgen.program import Program
from astgen.store.hashes import bound_names
from astgen.structure.spelling import spelled

__all__ = ["Statement", "statements"]

_OPS = "torch.ops."
_GROUPS = ("group", "group_name", "group_tag", "process_group", "tag")
_BLANK = "_"


@dataclass(frozen=True)
class Statement:
    """A statement of a program.

    Attributes:
        text: It as it stands there.
        structure: It without names, literals and constants.
        literals: Its literals, as texts, and the keys of its constants.
        constants: Its constants.
        is_collective: Whether it calls a collective.
    """

    text: str
    structure: str
    literals: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    is_collective: bool = False

    @property
    def shown(self) -> str:
        """The text, with the constants that it refers to."""
        return self._with([one.shown for one in self.constants])

    @property
    def exact(self) -> str:
        """The same, with all that tells the constants from others."""
        return self._with([one.exact for one in self.constants])

    def _with(self, constants: Sequence[str]) -> str:
        said = ", ".join(f"constant {one}" for one in constants)
        return f"{self.text}  # {said}" if said else self.text


def statements(program: Program) -> list[Statement]:
    """The statements of all functions of a program, in the order of the text.

    Raises:
        SyntaxError: The text is no Python.
    """
    found: list[Statement] = []
    for function in ast.parse(program.code).body:
        if isinstance(function, ast.FunctionDef):
            blanks = _Blanks(program, function)
            found.append(blanks.head(function))
            found += [blanks.statement(one) for one in function.body]
    return found


class _Blanks(ast.NodeTransformer):
    """Takes the statements of one function apart."""

    def __init__(self, program: Program, function: ast.FunctionDef) -> None:
        self.dialect = program.dialect
        self.pieces = program.submod_names
        self.consts = Constants(program.consts)
        self.start()
        self.numbers = {name: f"v{i}" for i, name in enumerate(bound_names(function))}

    def start(self) -> None:
        """Begin with another statement."""
        self.literals: list[str] = []
        self.constants: list[Constant] = []
        self.is_collective = False

    def done(self, text: str, structure: str) -> Statement:
        found = tuple(self.literals), tuple(self.constants)
        return Statement(text, structure, *found, self.is_collective)

    def head(self, function: ast.FunctionDef) -> Statement:
        self.start()
        args = function.args
        text = f"def {function.name}({spelled(args)}):"
        count = len(args.posonlyargs) + len(args.args)
        parameters = [f"{count} with {len(args.defaults)} defaults"]
        parameters += ["*"] * (args.vararg is not None)
        parameters += [
            one.arg if default is None else f"{one.arg}="
            for one, default in zip(args.kwonlyargs, args.kw_defaults)
        ]
        parameters += ["**"] * (args.kwarg is not None)
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                self.literals.append(spelled(default))
                self.visit(default)
        return self.done(text, f"def {function.name} of {', '.join(parameters)}")

    def statement(self, statement: ast.stmt) -> Statement:
        self.start()
        text = spelled(statement)
        return self.done(text, spelled(self.visit(statement)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A local by its number."""
        name = self.numbers.get(node.id, node.id)
        return ast.copy_location(ast.Name(name, node.ctx), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A literal as a blank."""
        return self.blank(spelled(node), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """A sign belongs to its number."""
        if isinstance(node.operand, ast.Constant):
            return self.blank(spelled(node), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A slot of a constant as a blank; a piece by its name."""
        slot = self.slot(node)
        if slot is not None:
            return self.blank(self.noted(slot), node)
        match node:
            case ast.Subscript(ast.Name(list_name), ast.Constant(int() as place)) if (
                list_name == self.dialect.submods
            ):
                known = 0 <= place < len(self.pieces)
                return _item(node, self.pieces[place] if known else place)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call, a collective with what has to be the same."""
        groups = self.collective(node.func)
        func = self.callee(node.func)
        args = [
            arg if _stays(arg, groups, place) else self.visit(arg)
            for place, arg in enumerate(node.args)
        ]
        keywords = [
            one if _stays(one.value, groups, one.arg) else self.visit(one)
            for one in node.keywords
        ]
        self.is_collective |= groups is not None
        return ast.copy_location(ast.Call(func, args, keywords), node)

    def callee(self, func: ast.expr) -> Any:
        """What is called: a constant is a target here, and no blank."""
        slot = self.slot(func)
        if slot is None or not isinstance(func, ast.Subscript):
            return self.visit(func)
        self.literals.append(self.noted(slot))
        return _item(func, self.consts.target(slot))

    def collective(self, func: ast.expr) -> Mapping[int | str | None, str] | None:
        """The names of a collective's arguments; None for what is no collective."""
        slot = self.slot(func)
        if slot is not None:
            return arguments_of(self.consts.value(slot))
        path = spelled(func)
        if not path.startswith(_OPS):
            return None
        path = path.removeprefix(_OPS)
        if path.partition(".")[0] not in NAMESPACES:
            return None
        try:
            return arguments_of(operator.attrgetter(path)(torch.ops))
        except AttributeError:
            return {}

    def slot(self, node: ast.AST) -> int | None:
        """The slot of a constant that a node names; None for all others."""
        match node:
            case ast.Subscript(
                ast.Name(name), ast.Constant(int() as slot)
            ) if name == self.dialect.consts and self.consts.holds(slot):
                return slot
        return None

    def noted(self, slot: int) -> str:
        """The key of a constant, which the statement now refers to."""
        constant = self.consts.described(slot)
        self.constants.append(constant)
        return constant.key

    def blank(self, text: str, node: ast.AST) -> ast.AST:
        self.literals.append(text)
        return ast.copy_location(ast.Name(_BLANK, ast.Load()), node)


def _stays(
    arg: ast.expr,
    groups: Mapping[int | str | None, str] | None,
    place: int | str | None,
) -> bool:
    """Whether a literal is part of the structure: a collective's, unless of a group."""
    if groups is None or not isinstance(arg, ast.Constant):
        return False
    return groups.get(place, place) not in _GROUPS


def _item(node: ast.Subscript, key: str | int) -> ast.AST:
    """A list with what is in it, in place of the slot."""
    item = ast.Subscript(node.value, ast.Constant(key), ast.Load())
    return ast.copy_location(item, node)
