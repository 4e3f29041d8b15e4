"""Programs on disk. Nothing here imports torch or libcst before it is needed.

`save_artifact` and `load_artifact` are what `Program.save` and `Program.load` call;
whoever keeps blobs of a backend beside a program calls them directly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from astgen.store.members import CODE, CONSTANTS, MANIFEST

if TYPE_CHECKING:
    from astgen.store.artifact import Artifact, Opaque, save_artifact
    from astgen.store.codec import DecodePolicy, register_constant
    from astgen.store.facts import EnvironmentPolicy, EnvironmentWarning
    from astgen.store.loading import load_artifact

__all__ = [
    "CODE",
    "CONSTANTS",
    "MANIFEST",
    "Artifact",
    "DecodePolicy",
    "EnvironmentPolicy",
    "EnvironmentWarning",
    "Opaque",
    "load_artifact",
    "register_constant",
    "save_artifact",
]

_HOMES = {
    "Artifact": "artifact",
    "DecodePolicy": "codec",
    "EnvironmentPolicy": "facts",
    "EnvironmentWarning": "facts",
    "Opaque": "artifact",
    "load_artifact": "loading",
    "register_constant": "codec",
    "save_artifact": "artifact",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'astgen.store' has no attribute {name!r}")
    return getattr(import_module(f"astgen.store.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
