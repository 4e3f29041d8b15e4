"""Whether a dotted path, an operator or a method is on the lists.

Paths are judged by lists of exact names, never by their shape. The one setting
is the set of foreign operator namespaces, whose operators nobody can list here.
"""

from __future__ import annotations

from dataclasses import dataclass

from astgen.check.dialect import PACKET_ATTRIBUTES, Dialect
from astgen.check.finding import Rule
from astgen.check.paths import (
    builtin_namespaces,
    methods,
    operators,
    torch_paths,
    values,
)
from astgen.check.report import shown
from astgen.check.rules.syntax import ATTRIBUTE_PATH, CALL_TARGET, METHOD, OP_NAMESPACE

__all__ = ["OPS", "Verdict", "judge_method", "judge_path", "judge_value"]

OPS = "torch.ops."
"""What the path of every operator begins with."""


@dataclass(frozen=True)
class Verdict:
    """Why a name is refused."""

    rule: Rule
    message: str
    hint: str


def judge_path(path: str, dialect: Dialect) -> Verdict | None:
    """Judge a dotted path that begins with `torch` or `operator`.

    Args:
        path: The whole path, such as `torch.ops.aten.add.Tensor`.
        dialect: Its `namespaces` are allowed beside PyTorch's own, its `paths`
            beside the listed ones.

    Returns:
        None if it may be called, else why it is refused.
    """
    if path in dialect.paths:
        return None
    if path.startswith(OPS):
        return _judge_operator(path, dialect)
    if path in torch_paths():
        return None
    if path in values():
        hint = "callees are listed paths and methods, slots and functions"
        return Verdict(CALL_TARGET, f"the value {shown(path)} is called", hint)
    hint = "objects that are not listed belong into a constant slot"
    return Verdict(ATTRIBUTE_PATH, f"path {shown(path)} is not on the list", hint)


def judge_value(path: str, dialect: Dialect) -> Verdict | None:
    """Judge a path that is not called: what may be called is a value, too.

    Args:
        path: As for `judge_path`.
        dialect: As for `judge_path`.

    Returns:
        None if it is listed, else why it is refused.
    """
    return None if path in values() else judge_path(path, dialect)


def judge_method(name: str) -> Verdict | None:
    """Judge the name of a method that is called on a value.

    Returns:
        None if it is listed, else why it is refused.
    """
    if name in methods():
        return None
    hint = "call it through a constant slot"
    return Verdict(METHOD, f"method {shown(name)} is not on the list", hint)


def _judge_operator(path: str, dialect: Dialect) -> Verdict | None:
    operator = path.removeprefix(OPS)
    namespace, *names = operator.split(".")
    if namespace in builtin_namespaces():
        if operator in operators():
            return None
        hint = "PyTorch's own operators are listed one by one"
        message = f"operator {shown(path)} is not on the list"
        return Verdict(ATTRIBUTE_PATH, message, hint)
    if len(names) not in (1, 2) or not all(map(_is_operator_name, names)):
        hint = "after torch.ops come a namespace, a name and perhaps an overload"
        message = f"path {shown(path)} does not name an operator"
        return Verdict(ATTRIBUTE_PATH, message, hint)
    if namespace in dialect.namespaces:
        return None
    hint = (
        "if you trust it, allow it: Dialect(namespaces=...) in Python, namespaces in "
        "[tool.astgen.lint]"
    )
    message = f"operator namespace {shown(namespace)} is not allowed"
    return Verdict(OP_NAMESPACE, message, hint)


def _is_operator_name(name: str) -> bool:
    return not name.startswith("_") and name not in PACKET_ATTRIBUTES
