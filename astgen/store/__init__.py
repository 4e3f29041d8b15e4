"""Programs on disk. Nothing here imports torch or libcst."""

__all__ = ["CODE", "MANIFEST"]

MANIFEST = "manifest.json"
"""The member of an artifact that lists the others."""

CODE = "execution.py"
"""The member of an artifact that is the program."""
