"""`torch.fx.GraphModule` in, libcst module and constants out."""

from __future__ import annotations

from astgen.emit.arguments import Arguments
from astgen.emit.constants import Constants
from astgen.emit.module import Emitted, emit
from astgen.emit.render import render
from astgen.emit.targets import Targets

__all__ = ["Arguments", "Constants", "Emitted", "Targets", "emit", "render"]
