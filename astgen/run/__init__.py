"""Text in, callable out; nothing is executed that the checker did not accept."""

from __future__ import annotations

from astgen.run.load import load, require_text

__all__ = ["load", "require_text"]
