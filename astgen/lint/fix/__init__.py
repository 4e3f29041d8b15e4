"""Findings -> a mended text: edits that change no meaning, and the layout of black."""

from __future__ import annotations

from astgen.lint.fix.apply import Fixed, fix
from astgen.lint.fix.difference import diff
from astgen.lint.fix.mend import mend

__all__ = ["Fixed", "diff", "fix", "mend"]
