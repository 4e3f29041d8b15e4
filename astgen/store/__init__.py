"""Programs on disk. Nothing here imports torch or libcst before it is needed.

`save_artifact` and `load_artifact` are what `Program.save` and `Program.load` call;
whoever keeps blobs of a backend beside a program calls them directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astgen.lazy import lazy
from astgen.store.members import CODE, CONSTANTS, MANIFEST

if TYPE_CHECKING:
    from astgen.store.artifact import Artifact, Opaque, save_artifact
    from astgen.store.codec import (
        DecodePolicy,
        MeshReference,
        Portability,
        register_constant,
    )
    from astgen.store.facts import EnvironmentPolicy, EnvironmentWarning
    from astgen.store.limits import Limits
    from astgen.store.loading import load_artifact

__all__ = [
    "CODE",
    "CONSTANTS",
    "MANIFEST",
    "Artifact",
    "DecodePolicy",
    "EnvironmentPolicy",
    "EnvironmentWarning",
    "Limits",
    "MeshReference",
    "Opaque",
    "Portability",
    "load_artifact",
    "register_constant",
    "save_artifact",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Artifact": "astgen.store.artifact",
        "DecodePolicy": "astgen.store.codec",
        "EnvironmentPolicy": "astgen.store.facts",
        "EnvironmentWarning": "astgen.store.facts",
        "Limits": "astgen.store.limits",
        "MeshReference": "astgen.store.codec",
        "Opaque": "astgen.store.artifact",
        "Portability": "astgen.store.codec",
        "load_artifact": "astgen.store.loading",
        "register_constant": "astgen.store.codec",
        "save_artifact": "astgen.store.artifact",
    },
)
