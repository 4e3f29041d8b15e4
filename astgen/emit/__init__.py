"""`torch.fx.GraphModule` in, libcst module and constants out.

The names are loaded on first use: whoever loads a program, whose constants may be of
this package, does not pay for importing libcst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astgen.lazy import lazy

if TYPE_CHECKING:
    from astgen.emit.arguments import Arguments
    from astgen.emit.constants import Constants
    from astgen.emit.module import Emitted, emit
    from astgen.emit.targets import Targets
    from astgen.emit.trace import Trace

__all__ = ["Arguments", "Constants", "Emitted", "Targets", "Trace", "emit"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Arguments": "astgen.emit.arguments",
        "Constants": "astgen.emit.constants",
        "Emitted": "astgen.emit.module",
        "Targets": "astgen.emit.targets",
        "Trace": "astgen.emit.trace",
        "emit": "astgen.emit.module",
    },
)
