"""Sources -> the page that shows what is in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from astgen.check import Finding
from astgen.errors import ArtifactError
from astgen.garbage import paused
from astgen.lint.sources.discover import STDIN
from astgen.review.programs import ReadProgram
from astgen.review.report.data import Described, described
from astgen.review.report.page import page
from astgen.review.report.pairs import compared
from astgen.review.report.visible import visible

__all__ = ["Report", "Shown", "report"]


@dataclass(frozen=True)
class Shown:
    """A source as a report shows it.

    Attributes:
        name: The file or folder, or `-`.
        programs: Its programs.
        findings: What cannot be read of it.
    """

    name: str
    programs: Sequence[ReadProgram]
    findings: Sequence[Finding] = ()

    @property
    def title(self) -> str:
        """What it is called on the page: paths differ from machine to machine."""
        if self.name == STDIN:
            return "standard input"
        return visible(os.path.basename(os.path.abspath(self.name)))


@dataclass(frozen=True)
class Report:
    """A report.

    Attributes:
        html: The page.
        refused: How many programs the checker refuses.
    """

    html: str
    refused: int = 0


@paused()
def report(
    source: Shown, other: Shown | None = None, namespaces: tuple[str, ...] = ()
) -> Report:
    """Make a report of a source, or of what two sources differ in.

    Args:
        source: The source.
        other: Another one, which it is compared with, program by program.
        namespaces: Operator namespaces that are allowed beside the usual ones.

    Returns:
        The page. The same sources give the same page.

    Raises:
        ArtifactError: The two sources have not the same number of programs.
        SettingsError: The configuration of the linter is wrong.
    """
    shown = [source] if other is None else [source, other]
    sides = [
        [described(one, side.name, side.title, namespaces) for one in side.programs]
        for side in shown
    ]
    if other is not None:
        data = _compared(source, other, sides)
    else:
        data = [{"sides": [one.data]} for one in sides[0]]
    titles = [one.title for one in shown]
    about = {
        "sources": titles,
        "findings": [[*map(_told, one.findings)] for one in shown],
        "programs": [_summary(one) for one in data],
    }
    refused = sum(one.refused for side in sides for one in side)
    return Report(page(" \u2194 ".join(titles), data, about), refused)


def _compared(
    source: Shown, other: Shown, sides: list[list[Described]]
) -> list[dict[str, Any]]:
    counts = [len(side) for side in sides]
    if counts[0] != counts[1]:
        programs = "1 program" if counts[0] == 1 else f"{counts[0]} programs"
        reason = f"it has {programs}, and {other.name} has {counts[1]}"
        raise ArtifactError(
            reason, path=source.name, hint="name one of each with --member"
        )
    places = [[one.place for one in side.programs] for side in (source, other)]
    right = sides[1]
    if sorted(places[0]) == sorted(places[1]):
        order = [places[1].index(place) for place in places[0]]
        if len({*order}) == len(order):
            right = [sides[1][index] for index in order]
    return [
        {"sides": [one.data, its.data], "diff": compared(one.text, its.text)}
        for one, its in zip(sides[0], right)
    ]


def _told(finding: Finding) -> str:
    where = visible(os.path.basename(finding.path) or finding.path)
    return f"{where}: {finding.rule} {visible(finding.message)}"


def _summary(data: dict[str, Any]) -> dict[str, Any]:
    """What the chooser says of a program, before its data is read."""
    first = data["sides"][0]
    found = {
        "place": first["place"],
        "blocks": len(first["blocks"]["start"]),
        "counts": first["counts"],
        "refused": any(one["refused"] for one in data["sides"]),
    }
    if "diff" in data:
        found["verdict"] = data["diff"]["verdict"]
        found["differences"] = len(data["diff"]["differences"])
    return found
