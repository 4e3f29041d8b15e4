"""One program -> the text that people read of it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from astgen.check import Dialect, Finding, scan
from astgen.check.parse import PARSER
from astgen.garbage import paused
from astgen.review.dump.alias import aliased
from astgen.review.dump.annotate import annotated, sizes_legend
from astgen.review.dump.fold import FOLDED, folded
from astgen.review.dump.legend import names_legend, slots_legend
from astgen.review.dump.plain import comment, escaped, plain
from astgen.review.layout import laid_out, lay_out
from astgen.review.programs import ReadProgram

__all__ = ["Dumped", "Options", "dump"]

_MOST = 1000
_UNKNOWN = "# types, modules and lines: not in the source"
_BEYOND_NAMES = re.compile(r"[^\n\t\x20-\x7e\w]")


@dataclass(frozen=True)
class Options:
    """How a program is shown.

    Attributes:
        alias: With short names for long ones.
        fold: With repeated layers once.
        legend: With what is known of the slots in comments.
        annotate: With types, modules and lines of the model in comments, as far as
            the source says them.
        namespaces: Operator namespaces that are allowed beside the usual ones.
    """

    alias: bool = False
    fold: bool = False
    legend: bool = False
    annotate: bool = False
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dumped:
    """A program as it is shown.

    Attributes:
        text: The text, which ends with a newline. It is printable ASCII, except for
            names of a program that may run: those stay, or get short names.
        findings: What the checker says of it, with the lines of this text unless it
            is folded.
    """

    text: str
    findings: tuple[Finding, ...] = ()


@paused()
def dump(program: ReadProgram, options: Options = Options(), title: str = "") -> Dumped:
    """Show a program exactly as it would run, or for reading.

    astgen's own text is shown as it is, other text laid out by black. A text that is
    no generated code is shown as well, with neither short names nor folds.

    Args:
        program: The program.
        options: How it is shown.
        title: A comment above it, such as its place.

    Returns:
        The text, and what the checker says of it.

    Raises:
        SettingsError: Black is needed and not installed.
    """
    dialect = program.dialect(options.namespaces)
    scanned = scan(program.code, dialect=dialect, most=1)
    text = plain(program.code, scanned.tree)
    names: dict[str, str] = {}
    if scanned.in_grammar and options.alias:
        text, names = aliased(text, _tree(text), dialect)
    if scanned.tree is not None:
        # A line that was too long for its names may have room for all of it now.
        text = (lay_out(text, joined=True) or text) if names else laid_out(text)
    if not scanned.in_grammar or _BEYOND_NAMES.search(text):
        text = escaped(text)
    text = text if text.endswith("\n") else f"{text}\n"
    origins = program.provenance if options.annotate else None
    if scanned.in_grammar and origins is not None:
        text = annotated(text, _tree(text), origins, names)
    shown = text
    if scanned.in_grammar and options.fold:
        shown = _folded(text, program, dialect)
    legend = [f"# {comment(title)}"] if title else []
    legend += names_legend(names, shown)
    if options.legend:
        legend += slots_legend(program, dialect)
    if options.annotate:
        legend += [_UNKNOWN] if origins is None else sizes_legend(origins.symbols)
    head = "".join(f"{line}\n" for line in legend)
    first = f"{FOLDED}\n" if shown != text else ""
    findings = _findings(head + text, program, dialect)
    return Dumped(first + head + shown, findings)


def _tree(text: str) -> ast.Module:
    """The tree of a text that has one."""
    with PARSER:
        return ast.parse(text)


def _folded(text: str, program: ReadProgram, dialect: Dialect) -> str:
    tree = _tree(text)
    if _shares_lines(tree):
        text = lay_out(text) or text
        tree = _tree(text)
        if _shares_lines(tree):
            return text
    constants = program.constants
    known = None if constants is None else [one.key for one in constants]
    return folded(text, tree, dialect, known)


def _shares_lines(tree: ast.Module) -> bool:
    """Whether two statements stand on one line."""
    end = 0
    for node in tree.body:
        inside = node.body if isinstance(node, ast.FunctionDef) else []
        for one in (node, *inside):
            if one.lineno <= end:
                return True
            end = one.lineno if one is node and inside else one.end_lineno or 0
    return False


def _findings(text: str, program: ReadProgram, dialect: Dialect) -> tuple[Finding, ...]:
    consts, submods = program.constants, program.submod_names
    return scan(
        text,
        consts=None if consts is None else len(consts),
        submods=None if submods is None else len(submods),
        dialect=dialect,
        most=_MOST,
    ).findings
