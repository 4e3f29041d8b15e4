"""astgen: split `torch.fx` graphs in, checked and formatted Python functions out.

The names below are loaded on first use: whoever only checks text, or asks for
the version, does not pay for importing torch and libcst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astgen.lazy import lazy

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
        Portability,
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
    "Portability",
    "Program",
    "RankError",
    "UnsupportedGraphError",
    "__version__",
    "generate",
    "register_constant",
]

__version__ = "0.1.0"

_ERRORS = frozenset(name for name in __all__ if name.endswith("Error"))

__getattr__, __dir__ = lazy(
    __name__,
    {
        **dict.fromkeys(_ERRORS, "astgen.errors"),
        "DecodePolicy": "astgen.store.codec",
        "Dialect": "astgen.check",
        "EnvironmentPolicy": "astgen.store.facts",
        "EnvironmentWarning": "astgen.store.facts",
        "Finding": "astgen.check",
        "Portability": "astgen.store.codec",
        "Program": "astgen.program",
        "generate": "astgen.program",
        "register_constant": "astgen.store.codec",
    },
)
