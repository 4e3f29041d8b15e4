"""Differences between programs, up to the names and numbers that nobody chose."""

from __future__ import annotations

from astgen.review.diff.classes import classified
from astgen.review.diff.difference import CATEGORIES, Difference, Place
from astgen.review.diff.programs import (
    Comparison,
    compare_programs,
    contents_of,
    structure_hash,
)

__all__ = [
    "CATEGORIES",
    "Comparison",
    "Difference",
    "Place",
    "classified",
    "compare_programs",
    "contents_of",
    "structure_hash",
]
