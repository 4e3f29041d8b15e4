"""What the caller of `decode` allows and supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from astgen.check.dialect import DEFAULT_DIALECT

__all__ = ["DEFAULT_POLICY", "DecodePolicy", "MeshReference"]


@dataclass(frozen=True)
class MeshReference:
    """A device mesh by what identifies it within a job.

    Attributes:
        device_type: What its devices are (`cuda`).
        axes: The names of its dimensions; None if it has none.
        shape: The sizes of its dimensions.
    """

    device_type: str
    axes: tuple[str, ...] | None
    shape: tuple[int, ...]


@dataclass(frozen=True)
class DecodePolicy:
    """What constants may refer to beyond data, and what references mean here.

    Attributes:
        modules: Modules (`"mymodel.ops"`) and single names (`"mymodel.ops:scale"`)
            whose functions and classes may be loaded as what they are; a module that
            is not imported yet is imported. A package does not stand for what is
            below it.
        attributes: Attribute and method names that may be read from values, beside
            the listed ones.
        namespaces: Operator namespaces beside PyTorch's own.
        meshes: Finds a device mesh of this process; None: there are none.
        groups: Finds a process group of this process by name; None: ask
            `torch.distributed`.
        device_map: Other devices for those of the document, by their exact text
            (`{"cuda:0": "cuda:1"}`).
        verified: The bytes of the blobs are known to be those that their names are
            digests of.
    """

    modules: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    namespaces: frozenset[str] = DEFAULT_DIALECT.namespaces
    meshes: Callable[[MeshReference], Any] | None = None
    groups: Callable[[str], Any] | None = None
    device_map: Mapping[str, str] = field(default_factory=dict)
    verified: bool = False

    def allows(self, name: str) -> bool:
        """Whether a function or class was allowed by name, or its module was."""
        return name in self.modules or name.partition(":")[0] in self.modules

    def device(self, text: str) -> str:
        """The device that stands here for one of the document."""
        return self.device_map.get(text, text)


DEFAULT_POLICY = DecodePolicy()
"""Only what is listed: harmless functions, and data."""
