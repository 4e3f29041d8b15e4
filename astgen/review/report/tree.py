"""The layer tree of a program."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from astgen.lint.advice.facts import gather
from astgen.lint.advice.shape import shape_of
from astgen.review.report.modules import module_nodes
from astgen.review.report.node import Node, joined, numbered
from astgen.review.report.origins import Origins
from astgen.review.report.parsed import Parsed
from astgen.review.report.rows import row_nodes
from astgen.review.shapes import Shaped, shaped

__all__ = ["tree_data"]


def tree_data(text: Parsed, origins: Origins) -> dict[str, Any]:
    """The layer tree, as a value of JSON.

    Args:
        text: The program.
        origins: Where its statements come from.

    Returns:
        The nodes, and what they were made of: `modules`, `rows`, or `functions` if the
        text has not the shape of generated code.
    """
    nodes: list[Node] = []
    kind = "functions"
    alike = _functions(text)
    if text.in_grammar and text.entry >= 0:
        nodes, kind = _entry(text, origins, alike)
    nodes += _function_nodes(text, alike)
    return {"kind": kind, "nodes": [one.data() for one in nodes]}


def _functions(text: Parsed) -> list[list[int]]:
    """The functions beside the entry, those together that do the same."""
    found: dict[object, list[int]] = {}
    bodies = []
    if text.in_grammar and text.scanned.tree is not None:
        bodies = gather(text.scanned.tree, text.dialect).bodies
    for place in range(len(text.functions)):
        if place != text.entry:
            key = shape_of(bodies[place]) if bodies else place
            found.setdefault(key, []).append(place)
    return list(found.values())


def _entry(
    text: Parsed, origins: Origins, alike: list[list[int]]
) -> tuple[list[Node], str]:
    names = [one.name for one in text.functions]
    first = {names[one]: names[row[0]] for row in alike for one in row}
    constants = text.program.constants
    keys = None if constants is None else [one.key for one in constants]
    entry = text.functions[text.entry]
    statements = _known(shaped(entry, text.dialect, first, keys), text)
    block = text.heads[text.entry] + 1
    paths: list[str] = []
    for node, one in zip(entry.body, origins.statements[block:]):
        # A `del` belongs to what was computed last.
        before = paths[-1] if paths and isinstance(node, ast.Delete) else ""
        paths.append(before if one is None else one.module)
    if any(paths):
        return module_nodes(paths, statements, block), "modules"
    return row_nodes(statements, block), "rows"


def _known(statements: list[Shaped], text: Parsed) -> list[Shaped]:
    """Statements that call pieces which do something else have other shapes, too."""
    provenance, names = text.program.provenance, text.program.submod_names
    if provenance is None or names is None:
        return statements
    structures = {
        f"{text.dialect.submods}[{slot}]": provenance.pieces[name].structure
        for slot, name in enumerate(names)
        if name is not None and name in provenance.pieces
    }
    found = []
    for one in statements:
        does = [structures.get(value.name, "") for value in one.values]
        found.append(replace(one, shape=(one.shape, *filter(None, does))))
    return found


def _function_nodes(text: Parsed, alike: list[list[int]]) -> list[Node]:
    found = []
    most = max(map(len, alike), default=0)
    for row in alike:
        nodes = []
        for place in row:
            head = text.heads[place]
            size = len(text.functions[place].body)
            note = f"{size} statement{'s' * (size != 1)}"
            name = text.functions[place].name
            spans = [(head, head + size + 1)]
            nodes.append(Node(name, spans, note, "function"))
        if len(nodes) == 1:
            nodes[0].is_odd = most > 2
            found += nodes
            continue
        listed = numbered([one.label for one in nodes])
        label = f"{len(nodes)} \u00d7 equal: {listed}"
        note = f"{listed} equal up to names"
        found.append(Node(label, joined(nodes), note, "group", False, nodes))
    return found
