"""The statements of a program, with what ranks may differ in taken apart.

Of a statement remains its structure: targets, how values flow, names of keywords.
Locals are numbered, literals and constants are blanks. The numbers and texts that a
collective is given stay, unless they name a group or are items of a list: ranks may
split unevenly, but all of them reduce in the same way.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload, OpOverloadPacket

from astgen.backend.cache.spelling import Speller
from astgen.backend.metadata import value_of
from astgen.program import Program
from astgen.store.codec import encode
from astgen.errors import ConstantError

__all__ = ["Statement", "collectives", "statements"]

_NAMESPACES = (
    "_c10d_functional",
    "_c10d_functional_autograd",
    "_dtensor",
    "c10d",
    "c10d_functional",
    "symm_mem",
)
_OPS = "torch.ops."
_GROUPS = ("group", "group_name", "group_tag", "process_group", "tag")
_BLANK = "_"


@dataclass(frozen=True)
class Statement:
    """A statement of a program.

    Attributes:
        text: It as it stands there.
        structure: It without names, literals and constants.
        literals: Its literals and constants, as texts.
        is_collective: Whether it calls a collective.
    """

    text: str
    structure: str
    literals: tuple[str, ...]
    is_collective: bool = False

    @property
    def shown(self) -> str:
        """The text, with the constants that it refers to."""
        consts = [one for one in self.literals if one.startswith("constant ")]
        return f"{self.text}  # {', '.join(consts)}" if consts else self.text


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


def collectives(gm: fx.GraphModule) -> list[str]:
    """The collectives of a graph and of the graphs below it, with what they are given.

    Args:
        gm: A graph, such as one that was split.
    """
    return list(_collectives(gm, Speller()))


def _collectives(gm: fx.GraphModule, speller: Speller) -> Iterator[str]:
    for node in gm.graph.nodes:
        if node.op == "call_module":
            child = gm.get_submodule(str(node.target))
            if isinstance(child, fx.GraphModule):
                yield from _collectives(child, speller)
        elif node.op == "call_function":
            name = _collective(node.target)
            if name:
                given = [speller.value(value_of(n)) for n in node.all_input_nodes]
                yield f"{name}({'; '.join(given)}) gives {_result(node, speller)}"


def _result(node: fx.Node, speller: Speller) -> str:
    return speller.value(value_of(node)) or "what is not known"


def _collective(target: Any) -> str:
    """The name of a collective; empty for other targets."""
    if isinstance(target, OpOverload):
        return str(target) if target.namespace in _NAMESPACES else ""
    if isinstance(target, OpOverloadPacket):
        name = target._qualified_op_name
        return name if name.partition("::")[0] in _NAMESPACES else ""
    module = str(getattr(target, "__module__", ""))
    name = str(getattr(target, "__qualname__", ""))
    return f"{module}.{name}" if module.startswith("torch.distributed") else ""


class _Blanks(ast.NodeTransformer):
    """Takes the statements of one function apart."""

    def __init__(self, program: Program, function: ast.FunctionDef) -> None:
        self.dialect = program.dialect
        self.consts = program.consts
        self.literals: list[str] = []
        self.is_collective = False
        args = function.args
        names = [one.arg for one in (*args.posonlyargs, *args.args)]
        names += [one.arg for one in (args.vararg, args.kwarg) if one is not None]
        names += [
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        self.numbers = {name: f"v{i}" for i, name in enumerate(dict.fromkeys(names))}

    def head(self, function: ast.FunctionDef) -> Statement:
        text = f"def {function.name}({ast.unparse(function.args)}):"
        count = len(function.args.posonlyargs) + len(function.args.args)
        defaults = tuple(ast.unparse(one) for one in function.args.defaults)
        return Statement(text, f"def {function.name} of {count}", defaults)

    def statement(self, statement: ast.stmt) -> Statement:
        text = ast.unparse(statement)
        self.literals, self.is_collective = [], False
        structure = ast.unparse(self.visit(statement))
        return Statement(text, structure, tuple(self.literals), self.is_collective)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A local by its number."""
        name = self.numbers.get(node.id, node.id)
        return ast.copy_location(ast.Name(name, node.ctx), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A literal as a blank."""
        return self.blank(ast.unparse(node), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """A sign belongs to its number."""
        if isinstance(node.operand, ast.Constant):
            return self.blank(ast.unparse(node), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A slot of a constant as a blank; the number of a piece stays."""
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            if node.value.id == self.dialect.submods:
                return node
            if node.value.id == self.dialect.consts:
                return self.blank(self.described(node.slice.value), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call, a collective with what has to be the same."""
        groups = self.collective(ast.unparse(node.func))
        if groups is None:
            return self.generic_visit(node)
        self.is_collective = True
        args = [
            (
                arg
                if isinstance(arg, ast.Constant) and groups.get(place) not in _GROUPS
                else self.visit(arg)
            )
            for place, arg in enumerate(node.args)
        ]
        keywords = [
            (
                one
                if isinstance(one.value, ast.Constant) and one.arg not in _GROUPS
                else self.visit(one)
            )
            for one in node.keywords
        ]
        return ast.copy_location(ast.Call(node.func, args, keywords), node)

    def collective(self, path: str) -> Mapping[int, str] | None:
        """The names of a collective's arguments; None for what is no collective."""
        if path.removeprefix(_OPS).partition(".")[0] not in _NAMESPACES or (
            not path.startswith(_OPS)
        ):
            return None
        try:
            found: Any = operator.attrgetter(path.removeprefix(_OPS))(torch.ops)
        except AttributeError:
            return {}
        if isinstance(found, OpOverloadPacket):
            found = getattr(found, found._overload_names[0] or "default")
        return {i: one.name for i, one in enumerate(found._schema.arguments)}

    def described(self, slot: object) -> str:
        if not isinstance(slot, int) or not slot < len(self.consts):
            return "constant"
        try:
            (said,) = encode([self.consts[slot]]).slots
        except ConstantError:
            return f"constant {type(self.consts[slot]).__qualname__}"
        return f"constant {said.shown}"

    def blank(self, text: str, node: ast.AST) -> ast.AST:
        self.literals.append(text)
        return ast.copy_location(ast.Name(_BLANK, ast.Load()), node)
