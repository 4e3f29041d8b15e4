"""Programs as texts that people like to read: laid out, with short names, folded."""

from __future__ import annotations

from astgen.review.dump.dump import Dumped, Options, dump

__all__ = ["Dumped", "Options", "dump"]
