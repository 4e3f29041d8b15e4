"""What the linter says of a program, as `astgen lint` would."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from astgen.check import Finding
from astgen.lint.engine import Job, settings_for
from astgen.lint.program import judge
from astgen.lint.rules import ALL_RULES
from astgen.lint.select import selected
from astgen.lint.sources.limits import Limits
from astgen.lint.subject import Subject
from astgen.lint.suppress import suppressions
from astgen.review.programs import ReadProgram
from astgen.review.report.parsed import Parsed
from astgen.review.report.visible import visible

__all__ = ["counted", "findings_data", "lint"]


def lint(
    program: ReadProgram, source: str, namespaces: tuple[str, ...] = ()
) -> list[Finding]:
    """Look at a program with the linter, with the configuration of its source.

    Args:
        program: The program.
        source: The file or folder that it is in, or `-`.
        namespaces: Operator namespaces that are allowed beside the usual ones.

    Raises:
        SettingsError: A file of configuration is wrong.
    """
    given = {"namespaces": namespaces} if namespaces else {}
    inside = os.path.join(source, program.place) if program.place else source
    # What is shipped in a cache does not decide how it is judged.
    is_file = not program.place or os.path.isfile(inside)
    file = inside if is_file else source
    settings = settings_for(file, Job(given=given))
    active = selected(
        settings.select,
        settings.ignore,
        settings.extend_select,
        settings.ignored_in(file),
    )
    subject = Subject(
        program.code,
        profile=program.profile,
        submod_names=program.submod_names,
        consts=program.constants,
        entry=program.entry,
    )
    found = list(judge(subject, settings, active, most=Limits().findings))
    if is_file:
        found = list(suppressions(program.code, "").apply(found, active)[0])
    return [one for one in found if settings.reports(one.rule)]


def counted(findings: list[Finding]) -> dict[str, int]:
    """How many findings there are, by severity."""
    found = Counter(ALL_RULES[one.rule].severity for one in findings)
    return {name: found[name] for name in ("error", "warning", "note")}


def findings_data(findings: list[Finding], text: Parsed) -> list[dict[str, Any]]:
    """Findings as values of JSON, in the order of the text."""
    return [
        {
            "block": text.block_of(one.line),
            "line": one.line - 1,
            "from": one.column - 1,
            "to": one.end_column - 1 if one.end_line == one.line else None,
            "rule": one.rule,
            "name": ALL_RULES[one.rule].name,
            "severity": ALL_RULES[one.rule].severity,
            "message": visible(one.message),
            "hint": visible(one.hint),
        }
        for one in sorted(findings)
    ]
