"""What the code generator of this vLLM looks like, told by its functions.

Up to 0.19, vLLM has no generator: the split graph itself is run. That of 0.20 returns
two values, and writes constants as their `repr`. Since 0.21 it returns three, the
constants last. Versions are shown to people; what decides are the signatures.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, get_args, get_origin

from astgen.errors import AstgenError

__all__ = ["Shape", "UnknownGeneratorError", "find_generator"]

_HOMES = ("vllm.backends.compiler.codegen", "vllm.compilation.codegen")
"""Where the generator lives: the place it moves to, then that up to 0.33."""

_NEEDED = ("generate_execution_code", "compile_execution_fn")
_GRAPH = ("split_gm", "fn_name", "with_submod")
_TEXT = ("code", "submod_callables", "submod_names")
_SIGNATURES: dict[int, dict[str, tuple[str, ...]]] = {
    2: {
        "generate_execution_code": ("split_gm",),
        "compile_execution_fn": _TEXT,
        "generate_execution_code_with_name": _GRAPH,
        "_node_ref": ("arg",),
    },
    3: {
        "generate_execution_code": ("split_gm",),
        "compile_execution_fn": (*_TEXT, "consts"),
        "generate_execution_code_with_name": (*_GRAPH, "consts", "const_index"),
        "_node_ref": ("arg", "consts", "const_index"),
    },
}
"""Parameters by the number of values that generating returns, and by function."""


class UnknownGeneratorError(AstgenError):
    """This vLLM has no code generator, or none that astgen can stand in for."""


@dataclass(frozen=True)
class Shape:
    """A code generator that is known.

    Attributes:
        module: The module that defines it.
        version: The version of vLLM.
        has_constants: Whether it returns constants; else it returns two values.
        functions: Its functions by name, as vLLM wrote them.
    """

    module: ModuleType
    version: str
    has_constants: bool
    functions: Mapping[str, Callable[..., Any]]


def find_generator() -> Shape:
    """Look at the code generator of the vLLM in this process.

    Returns:
        What it is.

    Raises:
        UnknownGeneratorError: There is none, or it is not one of those known.
    """
    module = _module()
    version = _version()
    functions = {
        name: vars(module)[name]
        for name in _SIGNATURES[3]
        if callable(vars(module).get(name))
    }
    missing = [name for name in _NEEDED if name not in functions]
    if missing:
        raise UnknownGeneratorError(
            f"{module.__name__} of vLLM {version} has no {' and no '.join(missing)}"
        )
    found = {name: _signature(function) for name, function in functions.items()}
    values = _values(functions["generate_execution_code"])
    known = _SIGNATURES.get(values, {})
    for name, signature in found.items():
        if signature != known.get(name):
            raise UnknownGeneratorError(
                f"{module.__name__} of vLLM {version} is not known: {name}"
                f"({', '.join(signature)}), and generating returns "
                f"{values or 'an unknown number of'} values"
            )
    return Shape(module, version, values == 3, functions)


def _module() -> ModuleType:
    for home in _HOMES:
        try:
            return import_module(home)
        except ModuleNotFoundError as error:
            # Something that the module itself imports may be what is missing.
            if not f"{home}.".startswith(f"{error.name}."):
                raise
    raise UnknownGeneratorError(
        f"vLLM {_version()} has no code generator ({_HOMES[-1]})"
    )


def _version() -> str:
    return str(getattr(sys.modules.get("vllm"), "__version__", "of unknown version"))


def _signature(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters, with a star before those that are no plain ones."""
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return tuple(
        name if parameter.kind is plain else f"*{name}"
        for name, parameter in inspect.signature(function).parameters.items()
    )


def _values(function: Callable[..., Any]) -> int:
    """How many values a function says that it returns; 0 if it says nothing clear."""
    said = inspect.signature(function).return_annotation
    if isinstance(said, str):
        return _written_values(said)
    items = get_args(said) if get_origin(said) is tuple else ()
    return 0 if Ellipsis in items else len(items)


def _written_values(annotation: str) -> int:
    """The same, of `from __future__ import annotations`, which leaves the text."""
    try:
        tree = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return 0
    if not isinstance(tree, ast.Subscript) or not isinstance(tree.slice, ast.Tuple):
        return 0
    if ast.unparse(tree.value).rpartition(".")[2] not in ("tuple", "Tuple"):
        return 0
    items = tree.slice.elts
    return 0 if any(ast.unparse(item) == "..." for item in items) else len(items)
