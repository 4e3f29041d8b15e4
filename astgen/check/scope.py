"""The ordered walk over a program: what is defined, used, called and deleted.

The second pass of the checker. Bodies are straight-line, so one look at each
statement in order knows exactly which names are alive. Paths and methods are
judged on the way by `astgen.check.judge`.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Literal

from astgen.check.dialect import BUILTINS, MODULES, VALUE_CONSTRUCTORS, Dialect
from astgen.check.judge import judge_method, judge_path

__all__ = ["Names", "Problem", "walk"]

Problem = tuple[str, ast.AST, str, str]
"""Rule code, node to point at, message, hint."""

_BUILTIN_NAMES = frozenset(dir(builtins))


@dataclass(frozen=True)
class Names:
    """What the walk found.

    Attributes:
        problems: In no particular order.
        paths: Dotted paths from an imported module.
        pieces: Slots of pieces that are called.
    """

    problems: list[Problem]
    paths: set[str]
    pieces: set[int]


def walk(
    tree: ast.Module,
    *,
    refused: frozenset[int],
    consts: int | None,
    submods: int | None,
    dialect: Dialect,
) -> Names:
    """Follow the names through a program.

    Args:
        tree: The parsed program.
        refused: `id`s of nodes that the grammar refused; nothing below is read.
        consts: Number of constant slots, None if unknown.
        submods: Number of piece slots, None if unknown.
        dialect: The names that the program may use.

    Returns:
        The problems, and what the program needs from outside.
    """
    walker = _Walker(refused, consts, submods, dialect)
    walker.module(tree)
    return Names(walker.problems, walker.paths, walker.pieces)


@dataclass
class _Signature:
    """How an inlined function may be called: by position only."""

    least: int
    most: int | None
    keywords: bool
    takes_submods: bool


@dataclass
class _Walker:
    refused: frozenset[int]
    consts: int | None
    submods: int | None
    dialect: Dialect
    problems: list[Problem] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    pieces: set[int] = field(default_factory=set)
    imported: set[str] = field(default_factory=set)
    functions: dict[str, _Signature] = field(default_factory=dict)
    names: dict[str, Literal["alive", "deleted"]] = field(default_factory=dict)
    in_default: bool = False

    def report(self, rule: str, node: ast.AST, message: str, hint: str) -> None:
        self.problems.append((rule, node, message, hint))

    # Module and functions

    def module(self, tree: ast.Module) -> None:
        functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
        for node in tree.body:
            if isinstance(node, ast.Import):
                self.imports(node, late=bool(self.functions))
            elif isinstance(node, ast.FunctionDef):
                self.function(node, last=node is functions[-1])
        if self.dialect.entry not in self.functions:
            at = functions[-1] if functions else tree
            hint = "the entry function comes last"
            self.report("AG405", at, f"there is no {self.dialect.entry!r}", hint)

    def imports(self, node: ast.Import, late: bool) -> None:
        if id(node) in self.refused:
            return
        if late:
            hint = "imports come first"
            self.report("AG501", node, "an import after a function", hint)
        for alias in node.names:
            if alias.name in MODULES:
                self.imported.add(alias.name)
            elif id(alias) not in self.refused:
                hint = f"only {' and '.join(MODULES)} are imported"
                self.report("AG102", alias, f"import of {alias.name!r}", hint)

    def function(self, node: ast.FunctionDef, last: bool) -> None:
        self.names = {}
        is_entry = node.name == self.dialect.entry
        self.definition(node, is_entry, last)
        signature = self.parameters(node, is_entry)
        returned = False
        for statement in node.body:
            if returned:
                hint = "nothing follows return"
                self.report("AG501", statement, "a statement after return", hint)
            if id(statement) not in self.refused:
                self.statement(statement)
            returned = returned or isinstance(statement, ast.Return)
        self.functions.setdefault(node.name, signature)

    def definition(self, node: ast.FunctionDef, is_entry: bool, last: bool) -> None:
        if node.name in self.functions:
            hint = "each function is defined once"
            self.report("AG105", node, f"{node.name!r} is defined twice", hint)
        elif is_entry != last:
            hint = "the entry function, and only it, comes last"
            self.report("AG405", node, f"{node.name!r} is out of place", hint)
        if not is_entry and not self.dialect.is_inlined(node.name):
            rule = "AG104" if self.dialect.is_reserved(node.name) else "AG405"
            hint = f"functions are {self.dialect.entry!r} and {self.dialect.inlined!r}N"
            self.report(rule, node, f"{node.name!r} is no name for a function", hint)

    def parameters(self, node: ast.FunctionDef, is_entry: bool) -> _Signature:
        spec = node.args
        for default in (*spec.defaults, *filter(None, spec.kw_defaults)):
            self.in_default = True
            self.expression(default)
            self.in_default = False
        positional = [*spec.posonlyargs, *spec.args]
        stars = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
        keyword_only = list(zip(spec.kwonlyargs, spec.kw_defaults))
        takes_submods = False
        if is_entry:
            last = [arg for arg, default in keyword_only if default is None]
            takes_submods = bool(last) and last[-1].arg == self.dialect.submods
            if not takes_submods:
                hint = f"its last parameter is the keyword {self.dialect.submods!r}"
                self.report("AG405", node, "the entry does not take the pieces", hint)
        elif positional and positional[-1].arg == self.dialect.submods:
            takes_submods = not spec.defaults
        for arg in [*positional, *(arg for arg, _ in keyword_only), *stars]:
            if arg.arg == self.dialect.submods and takes_submods:
                self.names[arg.arg] = "alive"
            else:
                self.parameter(arg)
        most = None if spec.vararg else len(positional)
        least = len(positional) - len(spec.defaults)
        return _Signature(least, most, spec.kwarg is not None, takes_submods)

    def parameter(self, arg: ast.arg) -> None:
        if arg.arg in self.names:
            hint = "each parameter has a name of its own"
            self.report("AG105", arg, f"parameter {arg.arg!r} stands twice", hint)
        self.bind(arg.arg, arg)

    # Statements

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self.expression(node.value)
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.bind(target.id, target)
        elif isinstance(node, ast.Expr):
            self.expression(node.value)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self.expression(node.value)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                for name in names:
                    if isinstance(name, ast.Name):
                        self.delete(name)

    def bind(self, name: str, node: ast.AST) -> None:
        if self.dialect.is_reserved(name) or name == "__debug__":
            hint = "rename it; the name has a meaning in the dialect"
            self.report("AG104", node, f"{name!r} is reserved", hint)
        else:
            self.names[name] = "alive"

    def delete(self, node: ast.Name) -> None:
        state = self.names.get(node.id)
        if self.dialect.is_reserved(node.id):
            hint = "the name has a meaning in the dialect"
            self.report("AG104", node, f"del of {node.id!r}, which is reserved", hint)
        elif state == "alive":
            self.names[node.id] = "deleted"
        else:
            what = "is deleted twice" if state else "is deleted but never bound"
            hint = "delete a name once, after its last use"
            self.report("AG202", node, f"{node.id!r} {what}", hint)

    # Expressions

    def expression(self, node: ast.AST) -> None:
        if id(node) in self.refused:
            return
        if isinstance(node, ast.Name):
            self.name(node)
        elif isinstance(node, ast.Attribute):
            self.attribute(node, called=False)
        elif isinstance(node, ast.Subscript):
            self.subscript(node, called=False)
        elif isinstance(node, ast.Call):
            self.call(node)
        else:
            for child in ast.iter_child_nodes(node):
                self.expression(child)

    def name(self, node: ast.Name) -> None:
        name, state = node.id, self.names.get(node.id)
        if name in (self.dialect.consts, self.dialect.submods):
            hint = "take one slot by its index"
            self.report("AG303", node, f"{name!r} is used as a value", hint)
        elif state == "deleted":
            hint = "move the del behind its last use"
            self.report("AG201", node, f"{name!r} is used after its del", hint)
        elif state is None and name not in self.functions:
            self.undefined(node)
        elif name == self.dialect.entry:
            self.report("AG503", node, f"{name!r} is used as a value", "call a piece")

    def undefined(self, node: ast.Name) -> None:
        name = node.id
        if self.dialect.is_inlined(name):
            hint = "functions are defined before they are used"
            self.report("AG404", node, f"{name!r} is not defined here", hint)
        elif name in self.imported:
            self.report("AG502", node, f"module {name!r} is used as a value", "")
        elif name in _BUILTIN_NAMES and name not in MODULES:
            hint = f"the builtins are {' and '.join(BUILTINS)}, called"
            self.report("AG103", node, f"builtin {name!r} is not allowed here", hint)
        else:
            hint = "objects that are no literals belong into a constant slot"
            self.report("AG101", node, f"{name!r} is not defined", hint)

    def attribute(self, node: ast.Attribute, called: bool) -> None:
        path = self.path(node)
        if path is None:
            if called:
                verdict = judge_method(node.attr)
            else:
                hint = "attributes are read through a constant slot"
                verdict = ("AG502", f"attribute {node.attr!r} of a value", hint)
            self.expression(node.value)
        else:
            verdict = judge_path(path, self.dialect)
            self.paths.add(path)
        if verdict is not None:
            self.report(verdict[0], node, *verdict[1:])

    def path(self, node: ast.Attribute) -> str | None:
        """The dotted path, if it starts at an imported module."""
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name) or value.id not in self.imported:
            return None
        return ".".join([value.id, *reversed(parts)])

    def subscript(self, node: ast.Subscript, called: bool) -> None:
        owner = node.value.id if isinstance(node.value, ast.Name) else None
        if owner == self.dialect.consts:
            self.slot(node, "AG301", self.consts)
        elif owner == self.dialect.submods:
            if owner not in self.names:
                self.undefined(node.value)
            elif called:
                self.slot(node, "AG401", self.submods)
            else:
                self.report("AG303", node, "a piece is used as a value", "call it")
        elif called:
            hint = "callees are listed paths and methods, slots and functions"
            self.report("AG503", node, "an item of a value is called", hint)
        else:
            self.expression(node.value)
            self.expression(node.slice)

    def slot(self, node: ast.Subscript, rule: str, count: int | None) -> None:
        index = node.slice
        value = index.value if isinstance(index, ast.Constant) else None
        if type(value) is not int:
            hint = "slots are taken by a literal index"
            self.report(rule, node, "the index of a slot is no literal", hint)
        elif count is not None and value >= count:
            hint = "code and slots do not belong together"
            self.report(rule, node, f"slot {value} of {count}", hint)
        elif rule == "AG401":
            self.pieces.add(value)

    def call(self, node: ast.Call) -> None:
        callee = node.func
        arguments = node.args
        if id(callee) in self.refused:
            pass
        elif isinstance(callee, ast.Name):
            arguments = self.named_call(node, callee)
        elif isinstance(callee, ast.Attribute):
            self.attribute(callee, called=True)
        elif isinstance(callee, ast.Subscript):
            self.subscript(callee, called=True)
        if self.in_default and ast.unparse(callee) not in VALUE_CONSTRUCTORS:
            hint = "defaults are literals, slots and containers"
            self.report("AG503", callee, "a call in a parameter's default", hint)
        for argument in arguments:
            self.expression(argument)
        self.keywords(node)

    def named_call(self, node: ast.Call, callee: ast.Name) -> list[ast.expr]:
        """Check a call by name; the arguments that are still to be looked at."""
        name = callee.id
        if name in self.names:
            self.name(callee)
            if self.names[name] == "alive":
                hint = "call a slot instead"
                self.report("AG503", callee, f"the local {name!r} is called", hint)
        elif self.dialect.is_inlined(name) and name in self.functions:
            return self.inlined_call(node, self.functions[name])
        elif name not in BUILTINS:
            self.name(callee)
        return node.args

    def inlined_call(self, node: ast.Call, callee: _Signature) -> list[ast.expr]:
        given = node.args
        starred = any(isinstance(argument, ast.Starred) for argument in given)
        too_many = callee.most is not None and len(given) > callee.most
        if starred or too_many or len(given) < callee.least:
            wanted = (
                f"{callee.least} to {'any' if callee.most is None else callee.most}"
            )
            hint = "arguments are given by position"
            message = f"{len(given)} arguments where {wanted} are taken"
            self.report("AG406", node, message, hint)
        elif node.keywords and not callee.keywords:
            hint = "arguments are given by position"
            self.report("AG406", node, "keywords that the function lacks", hint)
        if callee.takes_submods and given and self.is_submods(given[-1]):
            return given[:-1]
        return given

    def is_submods(self, node: ast.expr) -> bool:
        name = node.id if isinstance(node, ast.Name) else None
        return name == self.dialect.submods and name in self.names

    def keywords(self, node: ast.Call) -> None:
        seen: set[str] = set()
        for keyword in node.keywords:
            if id(keyword) in self.refused:
                continue
            name = keyword.arg
            if name is None and not _is_text_dict(keyword.value):
                hint = "names that are no identifiers go through **{'name': value}"
                self.report("AG508", keyword, "unpacking of something else", hint)
            elif name is not None and (name in seen or name == "__debug__"):
                hint = "each keyword stands once"
                self.report("AG508", keyword, f"keyword {name!r} is not valid", hint)
            if name is not None:
                seen.add(name)
            self.expression(keyword.value)


def _is_text_dict(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and all(
        isinstance(key, ast.Constant) and isinstance(key.value, str)
        for key in node.keys
    )
