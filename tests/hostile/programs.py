"""All hostile programs; each was written for this list."""

from __future__ import annotations

import sys

from hostile import (
    programs_bombs,
    programs_names,
    programs_operators,
    programs_pieces,
    programs_syntax,
    programs_tunnels,
    programs_values,
)
from hostile.making import CANARY, ENTRY, Hostile, body, text

__all__ = ["CANARY", "HOSTILE", "Hostile"]

HOSTILE = [
    *programs_tunnels.PROGRAMS,
    *programs_operators.PROGRAMS,
    *programs_values.PROGRAMS,
    *programs_syntax.PROGRAMS,
    *programs_names.PROGRAMS,
    *programs_pieces.PROGRAMS,
    *programs_bombs.PROGRAMS,
]

if sys.version_info >= (3, 12):
    HOSTILE += [
        body("type alias", "AG501", "type z = open", "return x"),
        text("type parameter", "AG501", ENTRY.replace("(x", "[T: open](x", 1)),
    ]
if sys.version_info >= (3, 11):
    HOSTILE += [
        body("exception group", "AG501", "try: z = 1", "except* x: z = 2", "return z"),
        body("starred index", "AG508", "x[*y]"),
    ]
if sys.version_info >= (3, 14):
    HOSTILE += [body("t-string", "AG508", "t'{x}'")]
