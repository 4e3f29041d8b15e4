"""The errors that astgen raises on purpose; each carries what it is about.

Every message names the thing, says why it was refused and ends with a way out.
This module imports nothing of the package that needs torch or libcst, so the
checker can use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astgen.check.finding import Finding

__all__ = [
    "ArtifactError",
    "AstgenError",
    "BackendError",
    "BindError",
    "CaptureError",
    "ConstantError",
    "InvalidNameError",
    "InvalidProgramError",
    "RankError",
    "SettingsError",
    "UnsupportedGraphError",
]

_SHOWN_FINDINGS = 5


class AstgenError(Exception):
    """The root of all errors raised by astgen itself."""


class UnsupportedGraphError(AstgenError, RuntimeError):
    """The graph cannot be expressed as source.

    A `RuntimeError` too, because vLLM's generator raises one in its place.

    Attributes:
        node: The `torch.fx.Node` that cannot be expressed, or None when the
            graph as a whole cannot.
        argument: Where in the node's arguments it goes wrong, as Python would
            write it (`kwargs['dim'][0]`); empty if no argument is to blame.
    """

    def __init__(self, message: str, node: Any = None, argument: str = "") -> None:
        super().__init__(message + _origin(node, argument))
        self.node = node
        self.argument = argument


class InvalidNameError(AstgenError, ValueError):
    """A generated function cannot be called what it was asked to be called.

    Attributes:
        name: The name.
    """

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


class InvalidProgramError(AstgenError):
    """The source text did not pass the checker, so nothing of it was executed.

    Attributes:
        findings: All findings, in the order of the text.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        shown = [f"  {finding}" for finding in self.findings[:_SHOWN_FINDINGS]]
        if len(self.findings) > _SHOWN_FINDINGS:
            shown.append(f"  … and {len(self.findings) - _SHOWN_FINDINGS} more")
        count = len(self.findings)
        super().__init__(
            f"the program was refused with {count} finding{'s' * (count != 1)}, "
            "nothing was executed:\n" + "\n".join(shown)
        )


class BindError(AstgenError):
    """Slots of the program and the objects handed over do not match.

    Attributes:
        missing: Names of the pieces without a callable, in slot order.
    """

    def __init__(self, message: str, missing: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.missing = tuple(missing)


class BackendError(AstgenError):
    """Options of the `torch.compile` backend are unknown or do not fit."""


class RankError(AstgenError):
    """The ranks of a distributed job do not run the same program.

    Attributes:
        texts: Where they first differ, the statement of each rank.
    """

    def __init__(self, message: str, texts: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.texts = tuple(texts)


class CaptureError(AstgenError):
    """A model given to the command line could not be loaded or captured."""


class SettingsError(AstgenError):
    """What the linter goes by, configuration or a baseline, cannot be used."""


class ArtifactError(AstgenError):
    """A stored program is damaged, incomplete, or of a format that is not known.

    Attributes:
        reason: What is wrong with it.
        path: The file, or the member of it.
        field: Where in the file it goes wrong (`members['execution.py']`), empty if
            the file as a whole does.
        rule: The code of the linter's rule that it breaks.
        hint: The way out.
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str = "",
        field: str = "",
        rule: str = "AG601",
        hint: str = "save the program again, or load it with the version of astgen "
        "that wrote it",
    ) -> None:
        where = ": ".join(part for part in (path, field) if part)
        super().__init__(f"{where or 'the artifact'}: {reason}; {hint}")
        self.reason = reason
        self.path = path
        self.field = field
        self.rule = rule
        self.hint = hint


class ConstantError(AstgenError):
    """A constant of a program is nothing that can be stored.

    Attributes:
        slot: Which constant, -1 if none is to blame.
        field: Where inside it, as Python would write it (`[0].left`); empty if the
            constant itself is to blame.
        type_name: The type of what cannot be stored.
        reason: Why not.
        way_out: What to do instead.
        use: The node that uses the constant, and as which argument; empty if that is
            not known.
    """

    def __init__(
        self,
        reason: str,
        way_out: str,
        *,
        slot: int,
        field: str,
        type_name: str,
        use: str = "",
    ) -> None:
        where = f" ({use})" if use else ""
        super().__init__(
            f"constant {slot}{field}{where}: a {type_name} cannot be stored: {reason}; "
            f"{way_out}"
        )
        self.slot = slot
        self.field = field
        self.type_name = type_name
        self.reason = reason
        self.way_out = way_out
        self.use = use


def _origin(node: Any, argument: str) -> str:
    """Where in the user's model `node` comes from, as far as the node knows."""
    if node is None:
        return ""
    try:
        shown = node.format_node() or node.name
    except Exception:
        # What is wrong with the node may be that it cannot be shown.
        shown = node.name
    lines = [f"\n  node: {shown}"]
    if argument:
        lines.append(f"  argument: {argument}")
    modules = node.meta.get("nn_module_stack")
    if isinstance(modules, dict) and modules:
        lines.append(f"  module: {list(modules.values())[-1][0] or '(root)'}")
    trace = node.meta.get("stack_trace")
    if isinstance(trace, str) and trace.strip():
        lines.append("  traced at:")
        # The innermost frame, without the carets that Python 3.11 puts below it.
        shown = [line.strip() for line in trace.strip().splitlines()]
        files = [i for i, line in enumerate(shown) if line.startswith("File ")]
        start = files[-1] if files else -2
        lines += [f"    {line}" for line in shown[start:][:2]]
    return "\n".join(lines)
