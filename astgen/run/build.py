"""A checked tree becomes a function. The only place that executes generated code."""

from __future__ import annotations

import ast
import operator
from types import FunctionType
from typing import Any

import torch

from astgen.check.dialect import BUILTINS, Dialect
from astgen.run.sources import file_name, keep_while_alive

__all__ = ["build"]

_BUILTINS: dict[str, Any] = {"range": range, "slice": slice}


def build(
    tree: ast.Module, text: str, consts: list[Any] | None, dialect: Dialect
) -> FunctionType:
    """Compile and execute a program that the checker accepted.

    The modules are handed in, the import statements are left out, and there are
    no builtins beyond the dialect's.

    Args:
        tree: What the checker parsed from `text` and accepted.
        text: Shown in tracebacks.
        consts: The constant slots; None leaves the name undefined.
        dialect: Names the entry function.

    Returns:
        The entry function, its pieces not yet bound.

    Raises:
        SyntaxError: The compiler refuses what the parser accepted.
    """
    functions = [node for node in tree.body if not isinstance(node, ast.Import)]
    name = file_name(text)
    code = compile(
        ast.Module(body=functions, type_ignores=[]), name, "exec", dont_inherit=True
    )
    namespace: dict[str, Any] = {
        "__builtins__": {builtin: _BUILTINS[builtin] for builtin in BUILTINS},
        "__name__": name,
        "torch": torch,
        "operator": operator,
    }
    if consts is not None:
        namespace[dialect.consts] = consts
    exec(code, namespace)
    function: FunctionType = namespace[dialect.entry]
    keep_while_alive(text, name, function)
    return function
