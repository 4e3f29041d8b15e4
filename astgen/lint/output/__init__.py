"""A report -> text: one module a format, each with a `render`.

Formats are imported when they are asked for, so that a run pays for one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import cast

from astgen.lint.output.style import Style
from astgen.lint.output.summary import statistics, summary
from astgen.lint.report import Report

__all__ = ["FORMATS", "Renderer", "Style", "renderer", "statistics", "summary"]

FORMATS: tuple[str, ...] = (
    "full",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
)
"""The formats that a report can be had in, the one for people first."""

Renderer = Callable[[Report, Style], Iterator[str]]
"""Writes a report in chunks of text: the whole of a large one need not be in memory."""


def renderer(name: str) -> Renderer:
    """What writes reports in a format.

    Args:
        name: One of `FORMATS`.

    Returns:
        A function from a report and a style to chunks of text, the last of which
        ends with a newline; a format for people has none if nothing was found.

    Raises:
        ValueError: There is no such format.
    """
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise ValueError(f"{name!r} is no output format; take one of {known}")
    module = import_module(f"astgen.lint.output.{name}")
    return cast(Renderer, module.render)
