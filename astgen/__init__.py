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
        ConstantError,
        InvalidNameError,
        InvalidProgramError,
        RankError,
        UnsupportedGraphError,
    )
    from astgen.program import Program, generate
    from astgen.store import (
        DecodePolicy,
        EnvironmentPolicy,
        EnvironmentWarning,
        register_constant,
    )

__all__ = [
    "ArtifactError",
    "AstgenError",
    "BackendError",
    "BindError",
    "CaptureError",
    "ConstantError",
    "DecodePolicy",
    "Dialect",
    "EnvironmentPolicy",
    "EnvironmentWarning",
    "Finding",
    "InvalidNameError",
    "InvalidProgramError",
    "Program",
    "RankError",
    "UnsupportedGraphError",
    "__version__",
    "generate",
    "register_constant",
]

__version__ = "0.1.0"

_HOMES = {
    "DecodePolicy": "astgen.store",
    "Dialect": "astgen.check",
    "EnvironmentPolicy": "astgen.store",
    "EnvironmentWarning": "astgen.store",
    "Finding": "astgen.check",
    "Program": "astgen.program",
    "generate": "astgen.program",
    "register_constant": "astgen.store",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'astgen' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "astgen.errors")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
