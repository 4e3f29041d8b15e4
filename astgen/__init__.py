"""astgen: split `torch.fx` graphs in, checked and formatted Python functions out.

The names below are loaded on first use: whoever only checks text, or asks for
the version, does not pay for importing torch and libcst.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from astgen.check import Dialect, Finding
    from astgen.errors import (
        ArtifactError,
        AstgenError,
        BackendError,
        BindError,
        CaptureError,
        InvalidNameError,
        InvalidProgramError,
        UnsupportedGraphError,
    )
    from astgen.program import Program, generate

__all__ = [
    "ArtifactError",
    "AstgenError",
    "BackendError",
    "BindError",
    "CaptureError",
    "Dialect",
    "Finding",
    "InvalidNameError",
    "InvalidProgramError",
    "Program",
    "UnsupportedGraphError",
    "__version__",
    "generate",
]

__version__ = "0.1.0"

_HOMES = {
    "Dialect": "astgen.check",
    "Finding": "astgen.check",
    "Program": "astgen.program",
    "generate": "astgen.program",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'astgen' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "astgen.errors")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
