"""Programs up to names and numbers: what hashes and differences go by."""

from __future__ import annotations

from astgen.structure.hashing import structure_hash

__all__ = ["structure_hash"]
