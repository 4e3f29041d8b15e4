"""One look at a parsed program: what each statement reads, binds, deletes and calls.

The checker has said whether the program may run; the advice needs the same facts for
other questions. They are gathered once, line by line and without recursion, and the
rules only look things up.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from astgen.check.dialect import MAX_SLOTS, Dialect

__all__ = ["Body", "Facts", "Use", "gather", "is_slot"]

_TEMPORARY = re.compile(r"part(_[0-9]+)?\Z")
_MAKERS = frozenset({"slice", "range"})


@dataclass(frozen=True)
class Use:
    """A call of a piece, or of an inlined function.

    Attributes:
        node: The call.
        slot: The slot of the piece, None for a function.
        name: The name of the function, empty for a piece.
    """

    node: ast.Call
    slot: int | None = None
    name: str = ""


@dataclass
class Body:
    """What happens in one function; statements are named by their place in the body.

    Attributes:
        node: The function.
        parameters: Its parameters.
        bound: Where each local is bound first.
        rebound: Names that are bound again, parameters included.
        last: The last statement that reads a name, locals or not.
        whole: Names that are read otherwise than for an item of theirs.
        deleted: Where names are deleted.
        uses: The calls of pieces and functions, in the order of execution.
        lookups: The dotted paths below `torch.ops` that are called.
        running: Statements that run something, ascending.
        parts: Statements that only put together what the next one takes.
    """

    node: ast.FunctionDef
    parameters: dict[str, ast.arg] = field(default_factory=dict)
    bound: dict[str, int] = field(default_factory=dict)
    rebound: list[ast.Name] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    deleted: dict[str, list[int]] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    lookups: list[ast.Attribute] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    parts: set[int] = field(default_factory=set)

    def taker(self, index: int) -> int:
        """A statement; if it only makes a part, the one that takes it."""
        while index in self.parts:
            index += 1
        return index

    def runs_behind(self, index: int) -> bool:
        """Whether something runs behind a statement."""
        return bool(self.running) and index < self.running[-1]


@dataclass
class Facts:
    """What happens in a program.

    Attributes:
        tree: The program.
        dialect: The names that have a meaning of their own.
        imports: The imports above the functions.
        bodies: The functions, in order.
        functions: The first function of each name.
        consts: The constant slots that are read, with the first place of each.
        names: Every name that is read anywhere.
    """

    tree: ast.Module
    dialect: Dialect
    imports: list[ast.Import] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    functions: dict[str, Body] = field(default_factory=dict)
    consts: dict[int, ast.AST] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    @property
    def entry(self) -> Body | None:
        """The entry function."""
        return self.functions.get(self.dialect.entry)

    def pieces(self) -> dict[int, list[ast.AST]]:
        """The slots of pieces that are called, with the calls in the order of the text."""
        found: dict[int, list[ast.AST]] = {}
        for body in self.bodies:
            for use in body.uses:
                if use.slot is not None:
                    found.setdefault(use.slot, []).append(use.node)
        return found


def gather(tree: ast.Module, dialect: Dialect) -> Facts:
    """Gather the facts of a program.

    Args:
        tree: A module that the grammar lets through; of what it would refuse, nothing
            is known.
        dialect: The names that have a meaning of their own.

    Returns:
        The facts.
    """
    facts = Facts(tree, dialect)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            body = _Reader(facts, Body(node)).read()
            facts.bodies.append(body)
            facts.functions.setdefault(node.name, body)
            facts.names.update(body.last)
        elif isinstance(node, ast.Import):
            facts.imports.append(node)
    return facts


class _Reader:
    """Reads one function."""

    def __init__(self, facts: Facts, body: Body) -> None:
        self.facts = facts
        self.body = body
        self.consts = facts.dialect.consts
        self.submods = facts.dialect.submods

    def read(self) -> Body:
        body, spec = self.body, self.body.node.args
        for default in (*spec.defaults, *spec.kw_defaults):
            if default is not None:
                self.expression(default, -1)
        parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        parameters += [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
        body.parameters.update((arg.arg, arg) for arg in parameters)
        for index, statement in enumerate(body.node.body):
            self.statement(statement, index)
        return body

    def statement(self, node: ast.stmt, index: int) -> None:
        body = self.body
        if isinstance(node, ast.Delete):
            for name in _deleted(node):
                body.deleted.setdefault(name.id, []).append(index)
        elif isinstance(node, (ast.Assign, ast.Expr, ast.Return)):
            known = len(body.uses)
            if node.value is not None:
                self.expression(node.value, index)
            if len(body.uses) > known + 1:
                # What stands inside of a call runs before it.
                body.uses[known:] = sorted(body.uses[known:], key=_end)
            if isinstance(node, ast.Assign):
                self.bind(node, index)
            if index not in body.parts and _is_running(node, self.consts):
                body.running.append(index)

    def bind(self, node: ast.Assign, index: int) -> None:
        body = self.body
        for target in node.targets:
            if not isinstance(target, ast.Name):
                continue
            if target.id in body.bound or target.id in body.parameters:
                body.rebound.append(target)
            else:
                body.bound[target.id] = index
            if _TEMPORARY.match(target.id):
                body.parts.add(index)

    def expression(self, root: ast.expr, index: int) -> None:
        last, whole = self.body.last, self.body.whole
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is ast.Name:
                last[node.id] = index  # type: ignore[attr-defined]
                whole.add(node.id)  # type: ignore[attr-defined]
            elif isinstance(node, ast.Call):
                for argument in node.args:
                    # Nearly all arguments are names.
                    if type(argument) is ast.Name:
                        last[argument.id] = index
                        whole.add(argument.id)
                    else:
                        todo.append(argument)
                todo += [keyword.value for keyword in node.keywords]
                todo += self.callee(node, index)
            elif isinstance(node, ast.Subscript):
                todo += self.item(node, index)
            elif kind is not ast.Constant:
                todo += ast.iter_child_nodes(node)

    def callee(self, call: ast.Call, index: int) -> list[ast.AST]:
        """Note what is called; the nodes that are still to be looked at."""
        node: ast.expr = call.func
        if isinstance(node, ast.Attribute):
            attributes: list[str] = []
            while isinstance(node, ast.Attribute):
                attributes.append(node.attr)
                node = node.value
            if attributes[-1] == "ops" and isinstance(node, ast.Name):
                if node.id == "torch" and isinstance(call.func, ast.Attribute):
                    self.body.lookups.append(call.func)
        elif isinstance(node, ast.Name):
            if self.facts.dialect.is_inlined(node.id):
                self.body.uses.append(Use(call, name=node.id))
                # A name that is only called is not read as a value.
                self.facts.names.add(node.id)
                return []
        elif _slot(node, self.submods) is not None:
            self.body.uses.append(Use(call, slot=_slot(node, self.submods)))
        return [node]

    def item(self, node: ast.Subscript, index: int) -> list[ast.AST]:
        owner = node.value
        if not isinstance(owner, ast.Name):
            return [owner, node.slice]
        slot = _slot(node, self.consts)
        if slot is not None:
            self.facts.consts.setdefault(slot, node)
        self.body.last[owner.id] = index
        return [] if isinstance(node.slice, ast.Constant) else [node.slice]


def is_slot(node: ast.expr, slots: str) -> bool:
    """Whether an expression takes an item of `slots` by a literal number."""
    return _slot(node, slots) is not None


def _is_running(node: ast.stmt, consts: str) -> bool:
    """Whether a statement runs something, or only puts together what there is.

    What a return puts together, such as a slice or a record, is put together at the
    very end and does not count.
    """
    value = getattr(node, "value", None)
    if isinstance(node, ast.Return):
        return isinstance(value, ast.Call) and not _is_maker(value, consts)
    if isinstance(value, ast.Subscript):
        return _slot(value, consts) is None
    return isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare))


def _is_maker(call: ast.Call, consts: str) -> bool:
    """Whether a call makes a slice, a range, a `torch.Size` or a record of its parts."""
    callee = call.func
    if isinstance(callee, ast.Name):
        return callee.id in _MAKERS
    if isinstance(callee, ast.Attribute):
        return callee.attr == "Size"
    is_one = len(call.args) == 1 and isinstance(call.args[0], ast.Tuple)
    return is_one and _slot(callee, consts) is not None


def _slot(node: ast.expr, slots: str) -> int | None:
    """The index, if the node takes an item of `slots` by a number that one can have."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    if not isinstance(node.value, ast.Name) or node.value.id != slots:
        return None
    index = node.slice.value
    return index if type(index) is int and index < MAX_SLOTS else None


def _deleted(node: ast.Delete) -> Iterator[ast.Name]:
    for target in node.targets:
        for name in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(name, ast.Name):
                yield name


def _end(use: Use) -> tuple[int, int]:
    return use.node.end_lineno or 0, use.node.end_col_offset or 0
