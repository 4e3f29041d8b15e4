"""Problems at nodes become findings at characters.

What walks over the tree reports nodes and names; lines and columns as an editor
counts them are worked out once, at the end, and only if there is a problem.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate

from astgen.check.finding import Edit, Finding, Rule

__all__ = ["Lines", "Problem", "locate", "shown"]

_SHOWN_CHARACTERS = 150
_DEF = re.compile(r"def\s+(\w+)")


@dataclass(frozen=True)
class Problem:
    """A rule that is broken, and where in the tree.

    Attributes:
        rule: The rule.
        node: The node to point at.
        message: What is wrong, with the name that is wrong.
        hint: The way out.
        edits: What mends the text.
    """

    rule: Rule
    node: ast.AST
    message: str
    hint: str
    edits: tuple[Edit, ...] = ()


def shown(name: str) -> str:
    """Quote a name for a message: look-alike letters are visible, long names cut."""
    if len(name) > _SHOWN_CHARACTERS:
        return f"{ascii(name[:_SHOWN_CHARACTERS])[:-1]}...'"
    return ascii(name)


def locate(
    problems: Iterable[Problem], text: str, most: int | None = None
) -> tuple[Finding, ...]:
    """Turn problems into findings.

    Args:
        problems: In any order; equal ones count once.
        text: The text that the nodes were parsed from.
        most: How many problems are turned, the first ones of the text; None for all.

    Returns:
        The findings in the order of the text.
    """
    found = list(problems)
    if most is not None and len(found) > most:
        # A finding costs ten times what it costs to see that it comes later.
        found = nsmallest(most, found, key=_start)
    if not found:
        return ()
    lines = Lines(text)
    findings = {_finding(problem, lines) for problem in found}
    return tuple(sorted(findings, key=_place))


def _start(problem: Problem) -> tuple[int, int]:
    node = problem.node
    return getattr(node, "lineno", 1), getattr(node, "col_offset", 0)


def _place(finding: Finding) -> tuple[int, int, int, int, str, str]:
    return (
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        finding.rule,
        finding.message,
    )


def _finding(problem: Problem, lines: Lines) -> Finding:
    node = problem.node
    line = getattr(node, "lineno", 1)
    column = lines.column(line, getattr(node, "col_offset", 0))
    end_line = getattr(node, "end_lineno", None) or line
    end_column = lines.column(end_line, getattr(node, "end_col_offset", None) or 0)
    if isinstance(node, ast.FunctionDef):
        end_line, (column, end_column) = line, lines.name_behind_def(line, column)
    return Finding(
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        rule=problem.rule.code,
        message=problem.message,
        hint=problem.hint,
        edits=problem.edits,
    )


class Lines:
    """The lines of a text as Python's tokenizer splits them.

    `ast` counts UTF-8 bytes from 0, people count characters from 1.

    Attributes:
        lines: The lines, without what ends them.
    """

    def __init__(self, text: str) -> None:
        # Not `splitlines`: it breaks lines where Python does not, as at form feeds.
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.starts: dict[int, list[int]] = {}

    def column(self, line: int, offset: int) -> int:
        """The column of a byte of a line."""
        if not 0 < line <= len(self.lines) or self.lines[line - 1].isascii():
            return offset + 1
        if line not in self.starts:
            sizes = (len(char.encode()) for char in self.lines[line - 1])
            self.starts[line] = [0, *accumulate(sizes)]
        return bisect_left(self.starts[line], offset) + 1

    def name_behind_def(self, line: int, column: int) -> tuple[int, int]:
        """Where the name of a function begins and ends; `ast` does not say."""
        found = _DEF.match(self.lines[line - 1], column - 1)
        if found is None:
            return column, column + len("def")
        return found.start(1) + 1, found.end(1) + 1
