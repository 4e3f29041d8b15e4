"""The names of the members of an artifact that mean something."""

from __future__ import annotations

__all__ = ["CODE", "CONSTANTS", "MANIFEST", "PROVENANCE"]

MANIFEST = "manifest.json"
"""The member that lists the others."""

CODE = "execution.py"
"""The member that is the program."""

CONSTANTS = "consts.json"
"""The member that says how the constants are made."""

PROVENANCE = "provenance.json"
"""The member that says where the statements come from; few artifacts have it."""
