"""What names mean at one point of a program: bound, deleted, defined, excused.

The walk (`astgen.check.walk`) goes through a program in order and keeps this up
to date; what looks at expressions asks it. A name is excused when the reason why
it is not bound was already reported, so that one broken place gives one finding.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

from astgen.check.bound import bound_names
from astgen.check.dialect import BUILTINS, MAX_SLOTS, MODULES, Dialect
from astgen.check.finding import Rule
from astgen.check.report import Problem, shown
from astgen.check.rules.liveness import BAD_DEL, USE_AFTER_DEL
from astgen.check.rules.namespace import (
    BUILTIN_USE,
    RESERVED_SHADOWED,
    UNDEFINED_NAME,
)
from astgen.check.rules.pieces import INLINED_MISSING
from astgen.check.rules.slots import SLOT_ESCAPE
from astgen.check.rules.syntax import ATTRIBUTE_PATH, CALL_TARGET
from astgen.check.signature import Signature

__all__ = ["Function", "Reference", "Scope"]

_BUILTIN_NAMES = frozenset({*dir(builtins), "__builtins__"})


@dataclass(frozen=True)
class Function:
    """A function of the program that was defined above.

    Attributes:
        node: Its definition.
        signature: How it may be called.
        result: Number of items that it returns, None if that is not plain to see.
    """

    node: ast.FunctionDef
    signature: Signature
    result: int | None


class Reference(NamedTuple):
    """A place where a program names something from outside.

    Attributes:
        node: The whole path, or the item of a list of slots.
        name: What it spells: `torch.ops.aten.add.Tensor`, `__vllm_consts__[0]`.
        called: Whether it is called there.
    """

    node: ast.Attribute | ast.Subscript
    name: str
    called: bool


@dataclass
class Scope:
    """The names of a program, and of the function that is being walked.

    Attributes:
        dialect: The names that have a meaning of their own.
        consts: Number of constant slots, None if unknown.
        submods: Number of piece slots, None if unknown.
        refused: `id`s of nodes that the grammar refused; nothing below is read.
        problems: What was reported so far.
        paths: Listed paths that were named so far.
        callees: Those of them that were called; others may be values only.
        pieces: Slots of pieces that were called so far.
        references: Where paths and slots were named so far.
        imported: Modules that were imported.
        functions: Functions that were defined above.
        all_functions: Names of all functions of the text.
        excused: Names of the module whose problem is known.
        reserved: Names that nothing may bind, inlined functions aside.
        has_submods: Whether the function takes the list of pieces.
        body: The statements of the function.
        alive: Names that are bound here.
        bound: Names that are, or were, bound.
        reported: Names of which a wrong use was reported.
        forgiven: Names of the function whose problem is known.
        sizes: Number of items of names of which it is plain to see.
    """

    dialect: Dialect
    consts: int | None
    submods: int | None
    refused: set[int] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    callees: set[str] = field(default_factory=set)
    pieces: set[int] = field(default_factory=set)
    references: list[Reference] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)
    functions: dict[str, Function] = field(default_factory=dict)
    all_functions: frozenset[str] = frozenset()
    excused: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.reserved = self.dialect.reserved | {"__debug__"}
        self.enter([])

    def enter(self, body: list[ast.stmt]) -> None:
        """Begin a function: none of its names is bound yet."""
        self.has_submods = False
        self.body = body
        self._assigned: frozenset[str] | None = None
        self.alive: set[str] = set()
        self.bound: set[str] = set()
        self.reported: set[str] = set()
        self.forgiven: set[str] = set()
        self.sizes: dict[str, int] = {}

    def report(self, rule: Rule, node: ast.AST, message: str, hint: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(rule, node, message, hint))

    def forgive(self, node: ast.AST) -> None:
        """Excuse the names that a refused statement or expression would bind."""
        self.forgiven.update(bound_names(node))

    def is_excused(self, name: str) -> bool:
        """Whether the problem with a name was reported where it belongs."""
        return name in self.forgiven or name in self.excused

    @property
    def is_clean(self) -> bool:
        """Whether nothing was reported, refused or excused so far."""
        return not (self.problems or self.refused or self.forgiven or self.excused)

    def is_bound(self, name: str) -> bool:
        """Whether a name is, or was, a parameter or local of the function."""
        return name in self.bound

    def is_assigned(self, name: str) -> bool:
        """Whether a name is assigned somewhere in the function."""
        if self._assigned is None:
            self._assigned = frozenset(
                target.id
                for statement in self.body
                if isinstance(statement, ast.Assign)
                for target in statement.targets
                if isinstance(target, ast.Name)
            )
        return name in self._assigned

    def is_reserved(self, name: str) -> bool:
        """Whether nothing may bind a name."""
        return name in self.reserved or name.startswith(self.dialect.inlined)

    def has_slot(self, name: str, index: int) -> bool:
        """Whether a list of slots, `name`, may be asked for an index."""
        count = self.consts if name == self.dialect.consts else self.submods
        return index < (MAX_SLOTS if count is None else count)

    def size(self, value: ast.expr) -> int | None:
        """How many items a value has, None if that is not plain to see."""
        if isinstance(value, ast.Name):
            return self.sizes.get(value.id)
        if isinstance(value, ast.Tuple):
            unpacks = any(isinstance(item, ast.Starred) for item in value.elts)
            return None if unpacks else len(value.elts)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            function = self.functions.get(value.func.id)
            return function.result if function is not None else None
        return None

    # What happens to names

    def bind(self, name: str, node: ast.AST) -> None:
        """A parameter or an assignment binds a name."""
        if self.is_reserved(name):
            hint = "rename it; the name has a meaning of its own"
            self.report(RESERVED_SHADOWED, node, f"{shown(name)} is reserved", hint)
            self.forgiven.add(name)
        else:
            self.rebind(name, None)

    def rebind(self, name: str, size: int | None) -> None:
        """A name that may be bound is bound to a value of so many items."""
        self.alive.add(name)
        self.bound.add(name)
        if size is not None:
            self.sizes[name] = size
        elif self.sizes:
            self.sizes.pop(name, None)

    def unbind(self, names: Set[str]) -> None:
        """Names that are bound are deleted."""
        self.alive -= names
        if self.sizes:
            for name in names & self.sizes.keys():
                del self.sizes[name]

    def bind_all(self, names: Set[str]) -> bool:
        """Bind names that are not bound yet; not at all if one must not be bound."""
        if not self.reserved.isdisjoint(names):
            return False
        prefix = self.dialect.inlined
        # One look at all of them; hardly any text has this in a parameter.
        if prefix in "\n".join(names) and any(map(self.is_reserved, names)):
            return False
        self.alive |= names
        self.bound |= names
        return True

    def delete(self, node: ast.Name) -> None:
        """A `del` statement names a name."""
        name = node.id
        if self.is_excused(name):
            return
        if self.is_reserved(name):
            hint = "remove it; the name has a meaning of its own"
            message = f"del of {shown(name)}, which is reserved"
            self.report(RESERVED_SHADOWED, node, message, hint)
        elif name in self.alive:
            self.unbind({name})
        elif name not in self.reported:
            what = "twice" if name in self.bound else "but not bound"
            hint = "delete a name once, after its last use"
            self.report(BAD_DEL, node, f"{shown(name)} is deleted {what}", hint)

    def read(self, node: ast.Name) -> None:
        """An expression uses a name as a value."""
        name = node.id
        if name in self.alive or self.is_excused(name):
            return
        if name in self.bound:
            hint = "move the del behind the last use"
            message = f"{shown(name)} is used after its del"
            self.report(USE_AFTER_DEL, node, message, hint)
            self.reported.add(name)
        elif name in self.functions:
            if self.functions[name].signature.takes_submods:
                hint = "only functions that take no pieces are passed on"
                message = f"{shown(name)} takes the pieces and is used as a value"
                self.report(SLOT_ESCAPE, node, message, hint)
        elif name == self.dialect.consts or name == self.dialect.submods:
            self._list_of_slots(node)
        else:
            self.undefined(node)

    def undefined(self, node: ast.Name) -> None:
        """Report a name that is neither bound nor excused."""
        self.problems.append(self._undefined(node))
        self.reported.add(node.id)

    def needs_import(self, node: ast.Name) -> None:
        """A path begins with a module; that its import lacks is reported once."""
        if node.id not in self.imported:
            self.imported.add(node.id)
            hint = f"begin the text with 'import {node.id}'"
            message = f"module {shown(node.id)} is not imported"
            self.report(UNDEFINED_NAME, node, message, hint)

    def _list_of_slots(self, node: ast.Name) -> None:
        name = node.id
        if name == self.dialect.submods and not self.has_submods:
            hint = "make it the last parameter, and pass it on"
            message = f"{shown(name)} is no parameter of this function"
            self.report(UNDEFINED_NAME, node, message, hint)
        else:
            hint = "take one slot by its index"
            self.report(SLOT_ESCAPE, node, f"{shown(name)} is used as a value", hint)

    def _undefined(self, node: ast.Name) -> Problem:
        name, quoted = node.id, shown(node.id)
        if self.dialect.is_inlined(name):
            what = "not defined above" if name in self.all_functions else "not defined"
            hint = "functions are defined before they are used, and not recursive"
            return Problem(INLINED_MISSING, node, f"{quoted} is {what}", hint)
        if name == self.dialect.entry:
            hint = "only who loads the program calls its entry"
            return Problem(CALL_TARGET, node, f"the entry {quoted} is used", hint)
        if name in MODULES:
            hint = "name a function of it, or use a constant slot"
            message = f"module {quoted} is used as a value"
            return Problem(ATTRIBUTE_PATH, node, message, hint)
        if self.is_assigned(name):
            hint = "move the assignment before the first use"
            message = f"{quoted} is used before its assignment"
            return Problem(UNDEFINED_NAME, node, message, hint)
        if name in _BUILTIN_NAMES:
            hint = f"the builtins are {' and '.join(BUILTINS)}, and they are called"
            return Problem(BUILTIN_USE, node, f"builtin {quoted} is not allowed", hint)
        hint = "objects that are no literals belong into a constant slot"
        return Problem(UNDEFINED_NAME, node, f"{quoted} is not defined", hint)
