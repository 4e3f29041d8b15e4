"""Second half of the oracle: what Python itself says of the names of a program.

A text of the right form is reduced to its skeleton: which names each line reads,
binds and deletes, which functions it calls with how many arguments, which items it
takes of a list of known length. The skeleton is run, with stand-ins for all values;
so the rules of binding, of arguments and of indexes are Python's, not ours.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

from astgen.check.dialect import BUILTINS
from mutate_form import BrokenError, form
from mutate_program import Program

__all__ = ["broken"]

_VALUE = "<value>"
"""What stands for every operator, method, piece and literal."""

_RESULT = "<result>"
"""What stands for a tuple."""


def broken(program: Program, text: str) -> str | None:
    """Why a mutant of a program is structurally broken; None if it is not.

    Args:
        program: The program, for what is known beside its text.
        text: The mutant.

    Returns:
        The reason in a few words.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            compile(text, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return f"it does not compile: {error}"
    try:
        form(tree, program.dialect)
        _run(ast.fix_missing_locations(_Skeleton(program).visit(tree)), program)
    except BrokenError as error:
        return str(error)
    except (NameError, IndexError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


class _Value:
    """Any tensor, number or container; a result has a known number of items."""

    def __init__(self, size: int | None = None) -> None:
        self.size = size

    def __getitem__(self, index: object) -> _Value:
        if self.size is not None and type(index) is int:
            range(self.size)[index]
        return _Value()


def _value(*read: object) -> _Value:
    return _Value()


def _result(size: int, *read: object) -> _Value:
    return _Value(size)


class _Skeleton(ast.NodeTransformer):
    """Everything but names, calls of functions and items becomes a call of `_value`."""

    def __init__(self, program: Program) -> None:
        self.dialect = program.dialect

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr) or isinstance(node, ast.Name):
            return super().visit(node)
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self.generic_visit(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if self.dialect.is_inlined(node.func.id):
                return self.generic_visit(node)
        if isinstance(node, ast.Tuple):
            return self._result(node)
        return self._item(node) or self._reduced(node)

    def _item(self, node: ast.expr) -> ast.expr | None:
        """`value[1]` and `operator.getitem(value, 1)`."""
        if isinstance(node, ast.Subscript) and _is_number(node.slice):
            return ast.Subscript(self.visit(node.value), node.slice, ast.Load())
        if not isinstance(node, ast.Call) or len(node.args) != 2:
            return None
        if ast.unparse(node.func) == "operator.getitem" and _is_number(node.args[1]):
            item = ast.Subscript(self.visit(node.args[0]), node.args[1], ast.Load())
            return ast.Call(
                ast.Name(_VALUE, ast.Load()), [self.visit(node.func), item], []
            )
        return None

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        """A dict that is unpacked into a call of a function stays one."""
        if node.arg is None:
            self.generic_visit(node.value)
        else:
            node.value = self.visit(node.value)
        return node

    def _result(self, node: ast.Tuple) -> ast.Call:
        """How many items a tuple has is part of the skeleton."""
        read = [ast.Constant(len(node.elts)), *map(self.visit, node.elts)]
        return ast.Call(ast.Name(_RESULT, ast.Load()), read, [])

    def _reduced(self, node: ast.expr) -> ast.Call:
        inner = [
            part.value if isinstance(part, ast.keyword) else part
            for part in ast.iter_child_nodes(node)
        ]
        read = [self.visit(part) for part in inner if isinstance(part, ast.expr)]
        return ast.Call(ast.Name(_VALUE, ast.Load()), read, [])


def _is_number(index: ast.expr) -> bool:
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    return isinstance(index, ast.Constant) and type(index.value) is int


def _run(tree: ast.Module, program: Program) -> None:
    """Define the functions in order and call each once.

    Raises:
        BrokenError, NameError, IndexError, TypeError: What a caller would meet.
    """
    known: dict[str, Any] = {
        "__builtins__": dict.fromkeys(BUILTINS, _value),
        program.dialect.consts: [_Value()] * program.consts,
        _VALUE: _value,
        _RESULT: _result,
    }
    for node in tree.body:
        if isinstance(node, ast.Import):
            known.update({alias.name: _Value() for alias in node.names})
        elif isinstance(node, ast.FunctionDef):
            module = ast.Module([node], [])
            exec(compile(module, "skeleton", "exec", dont_inherit=True), known)
            function: FunctionType = known.pop(node.name)
            for name in function.__code__.co_names:
                if name == "__builtins__" or name not in known and name not in BUILTINS:
                    raise NameError(f"{name} is not defined above {node.name}")
            known[node.name] = _callable(function, program)


def _callable(function: FunctionType, program: Program) -> Callable[..., _Value]:
    """Call a function once; what stands for it where other functions call it."""
    signature = inspect.signature(function)
    pieces = [_Value()] * program.submods
    args: list[object] = []
    named: dict[str, object] = {}
    for name, parameter in signature.parameters.items():
        value = pieces if name == program.dialect.submods else _Value()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            args.append(value)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
    result = function(*args, **named)
    size = getattr(result, "size", None)
    plain = set(list(signature.parameters)[: len(args)])

    def call(*args: object, **named: object) -> _Value:
        if plain & set(named):
            raise BrokenError("a plain parameter is given by keyword")
        signature.bind(*args, **named)
        return _Value(size)

    return call
