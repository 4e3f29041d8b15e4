"""What an artifact may cost, before anything of it is believed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMAT_BYTES", "FORMAT_MEMBERS", "Limits"]

FORMAT_BYTES = (1 << 32) - 1
"""How large a zip archive can be without the extension for larger ones."""

FORMAT_MEMBERS = (1 << 16) - 2
"""How many members it can have."""


@dataclass(frozen=True)
class Limits:
    """How much an artifact may hold; writing keeps to the defaults.

    A program of 100,000 nodes has a text of about 12 MB.

    Attributes:
        file_bytes: Bytes of the file.
        manifest_bytes: Bytes of the manifest.
        code_bytes: Bytes of the program's text.
        members: Members beside the manifest.
        depth: How deep values of the manifest may be nested.
    """

    file_bytes: int = FORMAT_BYTES
    manifest_bytes: int = 4 << 20
    code_bytes: int = 64 << 20
    members: int = 10_000
    depth: int = 32
