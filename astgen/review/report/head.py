"""What stands above a program: where it is from, what it needs, and its hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from astgen import __version__
from astgen.review.diff import structure_hash
from astgen.review.report.parsed import Parsed
from astgen.review.report.visible import visible
from astgen.store.manifest import Manifest

__all__ = ["head_data", "supplied_slots"]

Facts = list[tuple[str, str]]


def head_data(text: Parsed, title: str) -> list[list[Any]]:
    """The facts of a program in groups, as a value of JSON.

    Args:
        text: The program.
        title: What its source is called.
    """
    manifest = text.program.manifest
    groups: list[tuple[str, Facts]] = [("Program", [*_program(text, title)])]
    if manifest is not None:
        groups.append(("Artifact", [*_artifact(manifest)]))
    groups.append(("Hashes", [*_hashes(text)]))
    return [
        [group, [[visible(name), visible(value)] for name, value in facts]]
        for group, facts in groups
    ]


def supplied_slots(manifest: Manifest | None) -> list[bool] | None:
    """For each constant whether it is not in the file, if that is known."""
    if manifest is None or manifest.consts is None:
        return None
    return [one.supplied for one in manifest.consts]


def _program(text: Parsed, title: str) -> Iterator[tuple[str, str]]:
    yield "source", title
    if text.program.place:
        yield "place in it", text.program.place
    yield "generator", text.program.profile
    yield "entry", text.dialect.entry
    yield "lines", f"{len(text.lines):,}"
    yield "reported by", f"astgen {__version__}"


def _artifact(manifest: Manifest) -> Iterator[tuple[str, str]]:
    major, minor = manifest.version
    yield "format", f"astgen {major}.{minor}"
    yield "producer", manifest.producer or "not said"
    yield "size of its members", f"{sum(one.size for one in manifest.members.values()):,}"
    if manifest.namespaces or manifest.paths:
        yield "needs", ", ".join((*manifest.namespaces, *manifest.paths))
    yield from sorted(manifest.environment.items())


def _hashes(text: Parsed) -> Iterator[tuple[str, str]]:
    if text.program.manifest is not None:
        yield from sorted(text.program.manifest.hashes.items())
    if text.in_grammar and text.functions:
        yield "structure", structure_hash(text.program)
    code = text.program.code.encode("utf-8", "surrogatepass")
    yield "text SHA-256", hashlib.sha256(code).hexdigest()
