"""How long the values of a program live, and how much memory that takes."""

from __future__ import annotations

from astgen.review.timeline.curve import Curve, curves
from astgen.review.timeline.data import as_data
from astgen.review.timeline.model import Call, Held, Lane, Timeline, Timelines
from astgen.review.timeline.programs import timelines

__all__ = [
    "Call",
    "Curve",
    "Held",
    "Lane",
    "Timeline",
    "Timelines",
    "as_data",
    "curves",
    "timelines",
]
