"""A checked tree becomes a function. The only place that executes generated code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from astgen.check.dialect import BUILTINS, Dialect
from astgen.check.parse import PARSER
from astgen.run.sources import file_name, keep_while_alive

__all__ = ["build"]

_BUILTINS: dict[str, Any] = {"range": range, "slice": slice}
_FOR_C_CODE: dict[str, Any] = {"__import__": __import__}
"""What C code takes from the builtins of the frame that called it.

PyTorch imports modules of its own when they are first needed (`torch.full`, the
first CUDA call, tensor subclasses). The text cannot name this: the checker refuses
it, and no import statement is left.
"""


def build(
    tree: ast.Module, text: str, outside: Mapping[str, Any], dialect: Dialect
) -> FunctionType:
    """Compile and execute a program that the checker accepted.

    The import statements are left out, and the text reaches no builtins beyond the
    dialect's.

    Args:
        tree: What the checker parsed from `text` and accepted, with paths and slots
            hoisted.
        text: Shown in tracebacks.
        outside: What the hoisted names mean.
        dialect: Names the entry function.

    Returns:
        The entry function, its pieces not yet bound.

    Raises:
        SyntaxError: The compiler refuses what the parser accepted.
    """
    # The checker lets a function repeat if it is the same; CPython compares the code
    # of each with that of all others.
    functions: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, node)
    source = file_name(text)
    program = ast.Module(body=[*functions.values()], type_ignores=[])
    with PARSER:
        code = compile(program, source, "exec", dont_inherit=True)
    namespace: dict[str, Any] = {
        "__builtins__": _FOR_C_CODE | {name: _BUILTINS[name] for name in BUILTINS},
        "__name__": source,
        **outside,
    }
    exec(code, namespace)
    for name in functions:
        namespace[name] = _apart(namespace[name], namespace)
    function: FunctionType = namespace[dialect.entry]
    # What the functions were before is a cycle with it.
    namespace.clear()
    keep_while_alive(text, source, function)
    return function


def _apart(function: FunctionType, namespace: Mapping[str, Any]) -> FunctionType:
    """The function with globals of its own: what it names, and no more.

    Functions of a text call those above them only. If none is in its own globals,
    there is no cycle, and pieces and constants die with the entry function.
    """
    names = ("__builtins__", "__name__", *function.__code__.co_names)
    own = {name: namespace[name] for name in names if name in namespace}
    made = FunctionType(
        function.__code__, own, function.__name__, function.__defaults__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
