"""A graph module becomes a libcst module and its constants: the emitter's page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import libcst as cst
from torch import fx

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.check.dialect import MODULES
from astgen.emit.arguments import type_name
from astgen.emit.children import Children
from astgen.emit.constants import Constants
from astgen.emit.function import Request, build_function
from astgen.emit.layout import laid_out
from astgen.emit.names import check_function_name
from astgen.emit.nodes import slot_of, statement
from astgen.emit.render import render
from astgen.emit.state import ProgramState
from astgen.emit.structure import Structures
from astgen.emit.targets import Targets
from astgen.emit.trace import Trace
from astgen.errors import UnsupportedGraphError
from astgen.garbage import paused

__all__ = ["Emitted", "emit"]


@dataclass(frozen=True)
class Emitted:
    """What the emitter makes of a graph module.

    Attributes:
        module: The functions, and the imports if they were asked for.
        code: The text of the module.
        submod_names: Paths of the children that are called, in slot order.
        consts: The constants, in slot order.
        dialect: The dialect of the text: the entry's name, and beside the
            caller's operator namespaces those that the graph uses.
    """

    module: cst.Module
    code: str
    submod_names: list[str]
    consts: list[Any]
    dialect: Dialect


@paused()
def emit(
    gm: fx.GraphModule,
    name: str | None = None,
    *,
    dialect: Dialect = DEFAULT_DIALECT,
    constants: Constants | None = None,
    entry: bool = True,
    imports: bool = True,
    trace: Trace | None = None,
) -> Emitted:
    """Emit the source of a graph module.

    Args:
        gm: The graph module; it is not changed.
        name: The function's name; that of the dialect's entry if it is not given.
        dialect: Names and limits.
        constants: Slots that are already there.
        entry: Whether the function takes the pieces; else they are refused.
        imports: Whether the text begins with the imports.
        trace: Gets the node of each line.

    Returns:
        The laid-out module and what belongs to it.

    Raises:
        InvalidNameError: The function cannot be called `name`.
        UnsupportedGraphError: The graph cannot be expressed.
    """
    if not isinstance(gm, fx.GraphModule):
        raise UnsupportedGraphError(
            f"a torch.fx.GraphModule is wanted, not a {type_name(gm)}; "
            "torch.fx.symbolic_trace and torch.compile make one of a module"
        )
    if name is None:
        name = dialect.entry
    elif name != dialect.entry:
        check_function_name(name, dialect, entry=entry)
    dialect = replace(dialect, entry=name)
    constants = Constants() if constants is None else constants
    targets = Targets(constants, lambda index: slot_of(dialect.consts, index))
    children = Children(dialect.inlined, render, Structures(constants, targets))
    state = ProgramState(dialect, constants, targets, children, trace)
    request = Request(gm, "", name, entry=entry, with_pieces=entry)
    try:
        function = build_function(state, request).function
    except RecursionError:
        raise UnsupportedGraphError(
            "the graph's children are nested too deeply, or contain themselves; flatten "
            "them"
        ) from None
    head = [_import(module) for module in MODULES] if imports else []
    flat = cst.Module(body=[*head, *state.children.functions, function])
    module, code = laid_out(flat)
    return Emitted(
        module,
        code,
        state.children.names,
        constants.values,
        replace(dialect, namespaces=dialect.namespaces | state.targets.namespaces),
    )


def _import(name: str) -> cst.SimpleStatementLine:
    return statement(cst.Import(names=[cst.ImportAlias(name=cst.Name(name))]))
