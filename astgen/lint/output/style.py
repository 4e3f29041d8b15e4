"""How a report is written down: colour, width, and what its paths are relative to.

The formats for people read colour and width, those for machines the folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath

__all__ = ["Style", "paint"]

_ANSI = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "frame": "1;34",
    "strong": "1",
    "mendable": "36",
}


@dataclass(frozen=True)
class Style:
    """How a report is written down.

    Attributes:
        color: Whether the output is a terminal that shows ANSI colours.
        width: The columns of that terminal; longer lines of code are cut.
        root: The folder that paths are relative to where a format wants that.
    """

    color: bool = False
    width: int = 100
    root: PurePath = field(default_factory=Path.cwd)


def paint(text: str, tone: str, style: Style) -> str:
    """Colour a text, if the style has colour.

    Args:
        text: A text without control characters.
        tone: A severity, `frame`, `strong` or `mendable`.
        style: The style.

    Returns:
        The text, between ANSI sequences or as it is.
    """
    return f"\x1b[{_ANSI[tone]}m{text}\x1b[0m" if style.color and text else text
