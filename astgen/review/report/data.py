"""All that a page has of one program, as a value of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from astgen.check import Finding
from astgen.review.dump.alias import aliased
from astgen.review.programs import ReadProgram
from astgen.review.report.findings import counted, findings_data, lint
from astgen.review.report.head import head_data, supplied_slots
from astgen.review.report.names import names_of
from astgen.review.report.origins import origins_of
from astgen.review.report.parsed import Parsed, parsed
from astgen.review.report.slots import constants_data, pieces_data
from astgen.review.report.tokens import marked_lines
from astgen.review.report.tree import tree_data
from astgen.review.report.visible import Strings, visible
from astgen.review.timeline import as_data, timelines

__all__ = ["Described", "described"]


@dataclass(frozen=True)
class Described:
    """A program as a page has it.

    Attributes:
        data: The value of JSON.
        text: The program taken apart.
        findings: What the linter says of it.
        refused: Whether the checker refuses it.
    """

    data: dict[str, Any]
    text: Parsed
    findings: tuple[Finding, ...]
    refused: bool


def described(
    program: ReadProgram, source: str, title: str, namespaces: tuple[str, ...] = ()
) -> Described:
    """Describe a program.

    Args:
        program: The program.
        source: The file or folder that it is in, or `-`.
        title: What that is called on the page.
        namespaces: Operator namespaces that are allowed beside the usual ones.
    """
    text = parsed(program, namespaces)
    findings = lint(program, source, namespaces)
    data = _data(text, title, findings)
    return Described(data, text, tuple(findings), bool(text.scanned.findings))


def _data(text: Parsed, title: str, findings: list[Finding]) -> dict[str, Any]:
    program = text.program
    words = Strings()
    names = names_of(text)
    origins = origins_of(text, program.provenance)
    lines, marks = marked_lines(text.text.removesuffix("\n"), names.marks)
    data: dict[str, Any] = {
        "place": visible(program.place),
        "head": head_data(text, title),
        "lines": lines,
        "marks": marks,
        "short": _short(text),
        "functions": [
            [visible(one.name), head] for one, head in zip(text.functions, text.heads)
        ],
        "entry": text.entry,
        "blocks": {
            "start": [one.start for one in text.blocks],
            "line": [one.line for one in text.blocks],
            "function": [one.function for one in text.blocks],
            "statement": [one.statement for one in text.blocks],
        },
        "names": names.data(),
        "origins": origins.data(words),
        "is_traced": origins.is_known,
        "tree": tree_data(text, origins),
        "pieces": pieces_data(text, names, origins, program.blobs, words),
        "constants": constants_data(text, names, supplied_slots(program.manifest)),
        "findings": findings_data(findings, text),
        "counts": counted(findings),
        "refused": bool(text.scanned.findings),
        "timeline": _timeline(text),
    }
    data["words"] = words.all()
    return data


def _short(text: Parsed) -> dict[str, str]:
    """For long names the short ones that are shown instead."""
    if not text.in_grammar or text.scanned.tree is None:
        return {}
    short = aliased(text.text, text.scanned.tree, text.dialect)[1]
    return {visible(name): alias for alias, name in short.items()}


def _timeline(text: Parsed) -> dict[str, Any] | None:
    if not text.in_grammar:
        return None
    found: dict[str, Any] = _seen(as_data(timelines(text.program)))
    return found


def _seen(value: Any) -> Any:
    """A value of JSON whose texts are made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): _seen(one) for name, one in value.items()}
    return [*map(_seen, value)] if isinstance(value, list) else value
