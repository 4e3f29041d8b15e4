"""What the functions of one program share while they are emitted."""

from __future__ import annotations

from dataclasses import dataclass

from astgen.check import Dialect
from astgen.emit.children import Children
from astgen.emit.constants import Constants
from astgen.emit.targets import Targets
from astgen.emit.trace import Trace

__all__ = ["ProgramState"]


@dataclass(frozen=True)
class ProgramState:
    """The slots, the children and the names of one program.

    Attributes:
        dialect: Names and limits.
        constants: Constant slots.
        targets: Spells call targets.
        children: Pieces and inlined functions.
        trace: Gets the node of each line; None if nobody asks.
    """

    dialect: Dialect
    constants: Constants
    targets: Targets
    children: Children
    trace: Trace | None = None
