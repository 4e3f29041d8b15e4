"""The operators of a program against the PyTorch of this process: `--resolve-ops`.

The only module of the linter that imports torch, and imported only when asked for.
It looks names up and reads schemas. Nothing of the program is run, and no name is
looked up that the checker would refuse.
"""

from __future__ import annotations

import ast
import importlib
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from astgen.check.access import dotted
from astgen.check.dialect import MODULES, Dialect
from astgen.check.judge import OPS, judge_value
from astgen.check.paths import builtin_namespaces
from astgen.check.report import Problem, shown
from astgen.lint.rules.operators import OP_SCHEMA, OP_UNRESOLVED
from astgen.lint.schema import fault

__all__ = ["judge_operators"]

_ROOTS: dict[str, Any] = {"torch": torch, "operator": operator}
_OPERATORS = (HigherOrderOperator, OpOverload, OpOverloadPacket)
_REGISTERING = (
    "torch._dynamo",
    "torch._higher_order_ops",
    "torch.ao.quantization.fx._decomposed",
    "torch.distributed._functional_collectives",
    "torch.distributed.fsdp",
)
"""What of PyTorch registers operators that `import torch` alone does not."""

_MOST_NAMES = 10
"""Overloads that a hint names."""


def judge_operators(tree: ast.Module) -> list[Problem]:
    """Look up every path of a program, and hold calls of operators against schemas.

    Args:
        tree: A parsed program; it need not be a valid one.

    Returns:
        What leads nowhere, once a path, and the calls that PyTorch would refuse.
    """
    found = _Found()
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            # The walk goes from the outside in: the whole path comes first.
            inner.add(id(node.value))
            if id(node) not in inner:
                found.path(node)
        elif isinstance(node, ast.Call):
            found.call(node)
    return found.problems


@dataclass
class _Found:
    """What is known so far: problems, and what each path leads to."""

    problems: list[Problem] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def path(self, node: ast.Attribute) -> None:
        """Look a path up, and report it the first time that it leads nowhere."""
        path = dotted(node)
        if path is None or path in self.values or not _may_be_looked_up(path):
            return
        self.values[path] = value = _value(path)
        if value is None:
            hint = "use the torch version that the text is from"
            if path.startswith(OPS) and _namespace(path) not in builtin_namespaces():
                hint = (
                    "a library registers it when it is imported; call "
                    "astgen.cli.main from Python after importing that library"
                )
            message = f"{shown(path)} does not exist in this process"
            self.problems.append(Problem(OP_UNRESOLVED, node, message, hint))

    def call(self, node: ast.Call) -> None:
        """Hold the arguments of an operator against its schemas."""
        if not isinstance(node.func, ast.Attribute):
            return
        self.path(node.func)
        path = dotted(node.func) or ""
        schemas = list(_schemas(self.values.get(path)))
        faults = [fault(node, schema) for schema in schemas]
        found = [wrong for wrong in faults if wrong is not None]
        if not found or len(found) < len(faults):
            return
        if len(found) == 1:
            (where, reason), hint = found[0], f"the schema is {schemas[0]}"
        else:
            where, reason = node.func, "no overload takes these arguments"
            names = [schema.overload_name or "default" for schema in schemas]
            more = ", ..." if len(names) > _MOST_NAMES else ""
            hint = f"there are {', '.join(names[:_MOST_NAMES])}{more}"
        message = f"call of {shown(path)}: {reason}"
        self.problems.append(Problem(OP_SCHEMA, where, message, hint))


def _may_be_looked_up(path: str) -> bool:
    """Whether a path is listed, or names an operator of any foreign namespace."""
    if path.partition(".")[0] not in MODULES:
        return False
    return judge_value(path, Dialect(namespaces=frozenset({_namespace(path)}))) is None


def _namespace(path: str) -> str:
    return path.removeprefix(OPS).partition(".")[0] if path.startswith(OPS) else ""


def _value(path: str) -> Any:
    """What a path leads to; None if it leads nowhere, or not to an operator."""
    value = _looked_up(path)
    if value is None and _namespace(path) in builtin_namespaces():
        _register()
        value = _looked_up(path)
    return value


def _looked_up(path: str) -> Any:
    root, _, rest = path.partition(".")
    try:
        value = operator.attrgetter(rest)(_ROOTS[root])
    except (AttributeError, RuntimeError):
        return None
    if path.startswith(OPS) and not isinstance(value, _OPERATORS):
        return None
    return value


@cache
def _register() -> None:
    for name in _REGISTERING:
        try:
            importlib.import_module(name)
        except (ImportError, AttributeError):
            # Not every build of PyTorch has every part.
            continue


def _schemas(value: Any) -> Iterator[Any]:
    """The schemas that a call may fit; none for what has no schema."""
    if isinstance(value, OpOverload):
        yield value._schema
    elif isinstance(value, OpOverloadPacket):
        packet: Any = value
        for name in packet.overloads():
            yield getattr(packet, name)._schema
