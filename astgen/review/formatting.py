"""Files of generated code -> the same code in black's layout."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass

from astgen.check import DEFAULT_DIALECT, Finding
from astgen.check.parse import parse
from astgen.errors import ArtifactError
from astgen.lint.engine import stamp
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read, read_bytes
from astgen.lint.sources.refusal import display
from astgen.lint.subject import Contents
from astgen.review.layout import lay_out
from astgen.store import CODE, MANIFEST

__all__ = ["Formatted", "format_bytes", "format_file"]

_ENTRIES = frozenset({DEFAULT_DIALECT.entry, DEFAULT_DIALECT.submods})
_TEXT = ".py"


@dataclass(frozen=True)
class Formatted:
    """A file of generated code.

    Attributes:
        path: The file.
        before: Its text.
        after: The same in black's layout; the trees are equal.
        stamp: What changes when the file does.
    """

    path: str
    before: str
    after: str
    stamp: tuple[int, ...] = ()


def format_file(path: str, *, explicit: bool) -> Formatted | None:
    """Lay out the code of a file; the file is not written.

    Args:
        path: The file.
        explicit: Whether somebody names it, rather than a folder above it.

    Returns:
        Its text before and after; None if it was found in a folder and is no text of
        generated code.

    Raises:
        ArtifactError: It is none, cannot be read, or black cannot lay it out without
            changing what it means.
    """
    known = stamp(path)
    contents = read(path, Limits(), explicit=explicit)
    text = _text(contents, display(path), explicit or path.endswith(_TEXT))
    if text is None:
        return None
    if os.path.basename(path) == CODE:
        manifest = os.path.join(os.path.dirname(path), MANIFEST)
        if os.path.lexists(manifest):
            reason = "it belongs to an artifact, whose digest it has to fit"
            raise _refused(display(path), reason, "dump it, and lay out the dump")
    if not _is_generated(text):
        if not explicit:
            return None
        reason = "it is no generated code, or not only that"
        raise _refused(display(path), reason, "use black")
    return Formatted(path, text, _after(text, display(path)), known)


def format_bytes(data: bytes, path: str) -> Formatted:
    """Lay out code that comes from elsewhere, such as standard input.

    Args:
        data: Its bytes.
        path: What they are called.

    Raises:
        ArtifactError: See `format_file`.
    """
    text = _text(read_bytes(data, path, Limits()), path, True)
    if text is None or not _is_generated(text):
        reason = "it is no generated code, or not only that"
        raise _refused(path, reason, "use black")
    return Formatted(path, text, _after(text, path))


def _text(contents: Contents, shown: str, wanted: bool) -> str | None:
    """The text that a file is; None if it is something else and nobody wants it."""
    if [subject.member for subject in contents.subjects] == [""]:
        return contents.subjects[0].text
    if contents.passed or not wanted:
        return None
    if contents.findings and not contents.subjects:
        raise _broken(contents.findings[0], shown)
    raise _refused(shown, "it is no text", "dump it, and lay out the dump")


def _is_generated(text: str) -> bool:
    """Whether a text is a generated program, and not one that speaks of such.

    What does not parse may have been one.
    """
    tree = parse(text)
    if isinstance(tree, Finding):
        return True
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names |= {node.name, *(one.arg for one in node.args.kwonlyargs)}
        elif not isinstance(node, ast.Import):
            return False
    return bool(names & _ENTRIES)


def _after(text: str, shown: str) -> str:
    tree = parse(text)
    if isinstance(tree, Finding):
        raise _broken(tree, shown)
    wanted = lay_out(text)
    if wanted is None:
        reason = "black cannot lay it out, or would change what it means"
        raise _refused(shown, reason, "it is left as it is; report it with the file")
    return wanted


def _broken(finding: Finding, shown: str) -> ArtifactError:
    where = f"line {finding.line}" if finding.line > 1 else ""
    return ArtifactError(
        finding.message, path=shown, field=where, rule=finding.rule, hint=finding.hint
    )


def _refused(shown: str, reason: str, hint: str) -> ArtifactError:
    return ArtifactError(reason, path=shown, rule="AG006", hint=hint)
