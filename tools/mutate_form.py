"""First half of the oracle: has a text the form of a stitching function?

Written without a look at how `astgen.check` does it, and on purpose in another
style: no grammar and no walk in order, but conditions on each node and its parent.
Which names are bound where is left to `mutate_run`, which asks Python itself.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from astgen.check.dialect import (
    BUILTINS,
    MAX_INTEGER_BITS,
    MAX_TREE_DEPTH,
    MODULES,
    Dialect,
)
from astgen.check.paths import (
    builtin_namespaces,
    methods,
    operators,
    torch_paths,
    values,
)

__all__ = ["BrokenError", "form"]

_PLAIN = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple),
    *(ast.List, ast.Dict, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call, ast.keyword),
    *(ast.Starred, ast.expr_context, ast.operator, ast.USub, ast.UAdd, ast.Invert),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
_IN_DEFAULTS = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Tuple, ast.List),
    *(ast.UnaryOp, ast.USub, ast.expr_context),
)


class BrokenError(Exception):
    """A text is structurally broken; the message says why."""


def form(tree: ast.Module, dialect: Dialect) -> None:
    """Compare a program with the form of stitching functions.

    Raises:
        BrokenError: It has another one.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    imports = tree.body[: len(tree.body) - len(functions)]
    _need(tree.body == [*imports, *functions], "imports, then functions")
    for line in imports:
        _need(isinstance(line, ast.Import), "only imports and functions")
        for alias in getattr(line, "names", []):
            _need(alias.name in MODULES and not alias.asname, f"import {alias.name}")
    _need(bool(functions), "no function")
    names = [node.name for node in functions]
    _need(names.count(dialect.entry) == 1, "one entry")
    _need(names[-1] == dialect.entry, "the entry is last")
    _need(_depth(tree) <= MAX_TREE_DEPTH, "nested too deeply")
    seen: dict[str, ast.FunctionDef] = {}
    takers: set[str] = set()
    for node in functions:
        is_entry = node.name == dialect.entry
        _need(is_entry or dialect.is_inlined(node.name), f"function {node.name}")
        first = seen.setdefault(node.name, node)
        same = first is node or ast.dump(first) == ast.dump(node)
        _need(same, f"two functions {node.name}")
        if _head(node, dialect, is_entry) and not is_entry:
            takers.add(node.name)
        _Body(node, dialect, takers).judge()


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise BrokenError(reason)


def _depth(tree: ast.Module) -> int:
    level: list[ast.AST] = [tree]
    depth = -1
    while level:
        level = [below for node in level for below in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def _head(node: ast.FunctionDef, dialect: Dialect, is_entry: bool) -> bool:
    """Judge the line with `def`; whether the function takes the pieces."""
    spec, pieces = node.args, dialect.submods
    _need(not node.decorator_list and node.returns is None, "decorator or annotation")
    _need(not getattr(node, "type_params", []), "type parameters")
    _need(not spec.posonlyargs, "positional-only parameter")
    stars = [arg for arg in (spec.vararg, spec.kwarg) if arg]
    parameters = [*spec.args, *spec.kwonlyargs, *stars]
    takes = pieces in [arg.arg for arg in parameters]
    if is_entry:
        last = spec.kwonlyargs[-1].arg if spec.kwonlyargs else None
        _need(last == pieces and spec.kw_defaults[-1] is None, "entry without pieces")
    elif takes:
        _need(spec.args[-1:] != [] and spec.args[-1].arg == pieces, "pieces not last")
        _need(not spec.defaults and spec.vararg is None, "pieces not last")
    for arg in parameters:
        _need(arg.annotation is None, "annotated parameter")
        reserved = dialect.is_reserved(arg.arg) and arg.arg != pieces
        _need(not reserved, f"parameter {arg.arg}")
    return takes


class _Body:
    """The statements of one function, each node with the node above it."""

    def __init__(
        self, node: ast.FunctionDef, dialect: Dialect, takers: set[str]
    ) -> None:
        self.node = node
        self.dialect = dialect
        self.takers = takers
        self.has_pieces = node.name == dialect.entry or node.name in takers
        self.above: dict[int, ast.AST] = {}
        for outer in ast.walk(node):
            for inner in ast.iter_child_nodes(outer):
                self.above[id(inner)] = outer

    def judge(self) -> None:
        spec = self.node.args
        for value in (*spec.defaults, *spec.kw_defaults):
            for part in ast.walk(value) if value else ():
                _need(isinstance(part, _IN_DEFAULTS), "not in a default")
                self._part(part)
        *lines, last = self.node.body
        _need(isinstance(last, ast.Return), "no return at the end")
        for line in self.node.body:
            _need(not isinstance(line, ast.Return) or line is last, "early return")
            self._targets(line)
            if value := getattr(line, "value", None):
                for part in ast.walk(value):
                    _need(isinstance(part, _PLAIN), f"{type(part).__name__} inside")
                    self._part(part)

    def _targets(self, line: ast.stmt) -> None:
        """Judge the kind of a statement, and the names that it changes."""
        names: list[ast.expr] = []
        if isinstance(line, ast.Assign):
            names = line.targets
            _need(len(names) == 1, "several targets")
        elif isinstance(line, ast.Delete):
            for target in line.targets:
                names += target.elts if isinstance(target, ast.Tuple) else [target]
            _need(bool(names), "del of nothing")
        elif isinstance(line, ast.Expr):
            _need(isinstance(line.value, ast.Call), "only calls stand alone")
        else:
            _need(isinstance(line, ast.Return), f"a {type(line).__name__}")
        for name in names:
            _need(isinstance(name, ast.Name), "no plain name")
            text = getattr(name, "id", "")
            _need(not self.dialect.is_reserved(text), f"{text} is reserved")

    def _part(self, part: ast.AST) -> None:
        above = self.above[id(part)]
        if isinstance(part, ast.Name):
            self._name(part, above)
        elif isinstance(part, ast.Attribute):
            self._attribute(part, above)
        elif isinstance(part, ast.Call):
            self._call(part)
        elif isinstance(part, ast.Starred):
            _need(isinstance(above, ast.Call), "an unpacking")
        elif isinstance(part, ast.Constant):
            bad = isinstance(part.value, complex) or part.kind is not None
            endless = isinstance(part.value, float) and not math.isfinite(part.value)
            bits = part.value.bit_length() if isinstance(part.value, int) else 0
            fits = bits <= MAX_INTEGER_BITS
            _need(fits and not bad and not endless, "literal")
        elif isinstance(part, ast.Compare):
            _need(len(part.ops) == 1, "chained comparison")
        elif isinstance(part, ast.Dict):
            _need(None not in part.keys, "unpacking in a dict")

    def _name(self, name: ast.Name, above: ast.AST) -> None:
        called = isinstance(above, ast.Call) and above.func is name
        if name.id in MODULES:
            _need(isinstance(above, ast.Attribute), f"module {name.id} as a value")
        elif name.id in BUILTINS:
            _need(called, f"builtin {name.id} as a value")
        elif name.id == self.dialect.consts:
            _need(_literal_index(above, name), "constants without index")
        elif name.id == self.dialect.submods:
            _need(self._right_pieces(name, above), "pieces as a value")
        elif self.dialect.is_inlined(name.id):
            _need(called or name.id not in self.takers, f"{name.id} as a value")
        else:
            used = name.id in (self.dialect.entry, "__debug__")
            _need(not used, f"{name.id} is used")

    def _right_pieces(self, name: ast.Name, above: ast.AST) -> bool:
        if isinstance(above, ast.Call):
            callee = above.func.id if isinstance(above.func, ast.Name) else None
            last = bool(above.args) and above.args[-1] is name
            return self.has_pieces and last and callee in self.takers
        outer = self.above[id(above)]
        called = isinstance(outer, ast.Call) and outer.func is above
        return self.has_pieces and called and _literal_index(above, name)

    def _attribute(self, node: ast.Attribute, above: ast.AST) -> None:
        root, names = _chain(node)
        if isinstance(root, ast.Name) and root.id in MODULES:
            if not isinstance(above, ast.Attribute):
                path = ".".join([root.id, *names])
                called = isinstance(above, ast.Call) and above.func is node
                is_value = not called and path in values()
                _need(is_value or _is_listed(path, self.dialect), f"path {path}")
            return
        _need(isinstance(above, ast.Call) and above.func is node, "attribute of value")
        _need(node.attr in methods(), f"method {node.attr}")

    def _call(self, call: ast.Call) -> None:
        callee = call.func
        if isinstance(callee, ast.Name):
            inlined = self.dialect.is_inlined(callee.id)
            _need(inlined or callee.id in BUILTINS, f"{callee.id} is called")
            if inlined:
                starred = any(isinstance(value, ast.Starred) for value in call.args)
                _need(not starred, "unpacked arguments of a function")
            if callee.id in self.takers:
                last = call.args[-1] if call.args else None
                name = last.id if isinstance(last, ast.Name) else None
                _need(name == self.dialect.submods, "pieces are not passed on")
        elif isinstance(callee, ast.Subscript):
            owner = callee.value.id if isinstance(callee.value, ast.Name) else None
            lists = (self.dialect.consts, self.dialect.submods)
            _need(owner in lists, "an item of a value is called")
        else:
            _need(isinstance(callee, ast.Attribute), "a value is called")
        names = [name for keyword in call.keywords for name in _keywords(keyword)]
        _need(len(set(names)) == len(names), "a keyword stands twice")
        sorts = isinstance(callee, ast.Attribute) and callee.attr == "sort"
        _need(not sorts or "key" not in names, "a key to sort by would be called")


def _keywords(keyword: ast.keyword) -> Iterator[str]:
    if keyword.arg is not None:
        yield keyword.arg
        return
    keys = keyword.value.keys if isinstance(keyword.value, ast.Dict) else [None]
    for key in keys:
        text = key.value if isinstance(key, ast.Constant) else None
        if not isinstance(text, str):
            raise BrokenError("unpacking of no literal dict")
        yield text


def _literal_index(node: ast.AST, owner: ast.Name) -> bool:
    if not isinstance(node, ast.Subscript) or node.value is not owner:
        return False
    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return type(index) is int


def _chain(node: ast.expr) -> tuple[ast.expr, list[str]]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return node, names


def _is_listed(path: str, dialect: Dialect) -> bool:
    if path in dialect.paths:
        return True
    if not path.startswith("torch.ops."):
        return path in torch_paths()
    namespace, *names = path.split(".")[2:]
    if namespace in builtin_namespaces():
        return ".".join([namespace, *names]) in operators()
    private = ("name", "op", "op_overloads", "overloads")
    plain = all(not name.startswith("_") and name not in private for name in names)
    return namespace in dialect.namespaces and len(names) in (1, 2) and plain
