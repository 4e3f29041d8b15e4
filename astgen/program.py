"""The one value that travels, and the pipeline on one page. Read this first.

    torch.fx graph -> emit -> source text -> check -> build -> bind -> callable

Each stage is a module with one public function: plain values in, plain values
out. The text that is checked is the very text that is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from torch import fx

from astgen.check import DEFAULT_DIALECT, Dialect, Finding, check
from astgen.emit import emit
from astgen.run import load

__all__ = ["Program", "generate"]


@dataclass(frozen=True)
class Program:
    """A generated function with everything that belongs to it.

    Attributes:
        code: The source text.
        submod_names: Names of the pieces, in slot order; inlined ones included.
        consts: The constants, in slot order.
        module: The syntax tree that `code` was rendered from; None if it came as
            text.
        dialect: The names and operator namespaces of the text.
    """

    code: str
    submod_names: tuple[str, ...] = ()
    consts: list[Any] = field(default_factory=list)
    module: cst.Module | None = field(default=None, repr=False, compare=False)
    dialect: Dialect = DEFAULT_DIALECT

    def check(self) -> tuple[Finding, ...]:
        """All findings of the checker; empty for a program that may be run."""
        return check(
            self.code,
            consts=len(self.consts),
            submods=len(self.submod_names),
            dialect=self.dialect,
        )

    def compile(
        self, submod_callables: Mapping[str, Callable[..., Any]] | None = None
    ) -> Callable[..., Any]:
        """Check the program and make it callable.

        Args:
            submod_callables: A callable for each piece that is called by slot.

        Returns:
            A plain function of the graph's inputs.

        Raises:
            InvalidProgramError: The checker refused the text.
            BindError: A piece has no callable, or an operator is missing here.
        """
        return load(
            self.code,
            submod_callables or {},
            self.submod_names,
            self.consts,
            self.dialect,
        )


def generate(
    gm: fx.GraphModule,
    name: str = DEFAULT_DIALECT.entry,
    dialect: Dialect = DEFAULT_DIALECT,
) -> Program:
    """Generate the program of a graph module.

    GraphModule children become functions of the same text; all other modules are
    pieces, called by slot.

    Args:
        gm: The graph module; it is not changed.
        name: The entry function's name.
        dialect: Names and operator namespaces. Namespaces that the graph itself
            uses are added: the graph is the caller's own.

    Returns:
        The program.

    Raises:
        InvalidNameError: The function cannot be called `name`.
        UnsupportedGraphError: The graph cannot be expressed.
    """
    emitted = emit(gm, name, dialect=dialect)
    return Program(
        code=emitted.code,
        submod_names=tuple(emitted.submod_names),
        consts=emitted.consts,
        module=emitted.module,
        dialect=emitted.dialect,
    )
