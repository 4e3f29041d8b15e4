"""Whether a dotted path, an operator or a method is on the lists.

Paths are judged by lists of exact names, never by their shape. The one setting
is the set of foreign operator namespaces, whose operators nobody can list here.
"""

from __future__ import annotations

from astgen.check.dialect import Dialect
from astgen.check.paths import builtin_namespaces, methods, operators, torch_paths

__all__ = ["OPS", "judge_method", "judge_path"]

OPS = "torch.ops."
"""What the path of every operator begins with."""

Verdict = tuple[str, str, str]


def judge_path(path: str, dialect: Dialect) -> Verdict | None:
    """Judge a dotted path that begins with `torch` or `operator`.

    Args:
        path: The whole path, such as `torch.ops.aten.add.Tensor`.
        dialect: Its `namespaces` are allowed beside PyTorch's own.

    Returns:
        None if it is listed, else rule code, message and hint.
    """
    if path.startswith(OPS):
        return _judge_operator(path, dialect)
    if path in torch_paths():
        return None
    return (
        "AG502",
        f"path {path!r} is not on the list",
        "objects that are not listed belong into a constant slot",
    )


def judge_method(name: str) -> Verdict | None:
    """Judge the name of a method that is called on a value.

    Returns:
        None if it is listed, else rule code, message and hint.
    """
    if name in methods():
        return None
    return (
        "AG507",
        f"method {name!r} is not on the list",
        "call it through a constant slot",
    )


def _judge_operator(path: str, dialect: Dialect) -> Verdict | None:
    namespace, *names = path.removeprefix(OPS).split(".")
    if namespace in builtin_namespaces():
        if path.removeprefix(OPS) in operators():
            return None
        return (
            "AG502",
            f"operator {path!r} is not on the list",
            "PyTorch's own operators are listed one by one",
        )
    if len(names) not in (1, 2) or any(name.startswith("__") for name in names):
        return (
            "AG502",
            f"path {path!r} does not name an operator",
            "after torch.ops come a namespace, a name and perhaps an overload",
        )
    if namespace in dialect.namespaces:
        return None
    return (
        "AG506",
        f"operator namespace {namespace!r} is not allowed",
        f"add it to the dialect: Dialect(namespaces={{{namespace!r}, …}})",
    )
