"""A text -> the comments in it that suppress findings.

    y = torch.neg(x)  # astgen: ignore[AG203]

suppresses findings of AG203 that begin or end on this line (`missing-del`, its name,
says the same), and

    # astgen: ignore-file[AG2, AG302]

above all code those of the file. Strings that look like comments are none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import StringIO
from tokenize import COMMENT, ENCODING, NEWLINE, NL, TokenError, generate_tokens

from astgen.check.finding import Edit

__all__ = ["Suppression", "comments"]

_MARK = "astgen:"
_COMMENT = re.compile(
    r"#\s*astgen:\s*(?P<what>ignore-file|ignore)(?![\w-])\s*"
    r"(?:\[(?P<codes>[^\]#]*)\])?[^#]*"
)
_OUTSIDE_CODE = frozenset({ENCODING, NEWLINE, NL})


@dataclass(frozen=True)
class Suppression:
    """A comment that suppresses findings.

    Attributes:
        line: Its line, from 1.
        column: Its first column, from 1.
        text: The comment.
        codes: What it suppresses, as it is written: codes, beginnings of codes, names.
        everywhere: Whether it is about the file rather than the line.
        misplaced: Whether it is about the file, but stands below code.
        removal: What removes it.
    """

    line: int
    column: int
    text: str
    codes: tuple[str, ...]
    everywhere: bool
    misplaced: bool
    removal: Edit

    @property
    def end_column(self) -> int:
        """The column after its last character."""
        return self.column + len(self.text)

    def without(self, codes: Collection[str]) -> Edit:
        """What takes codes out of it, or removes it if none is left."""
        left = [code for code in self.codes if code not in codes]
        if not left:
            return self.removal
        head, _, tail = self.text.partition("[")
        _, _, tail = tail.partition("]")
        text = f"{head}[{', '.join(left)}]{tail}"
        return Edit(self.line, self.column, self.line, self.end_column, text)


def comments(text: str) -> Iterator[Suppression]:
    """Find the comments that suppress something.

    Args:
        text: Any text.

    Returns:
        The comments, up to where Python cannot read the text.
    """
    # Most texts have none, and reading tokens takes longer than checking the text.
    if _MARK not in text:
        return
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    code_seen = False
    try:
        for token in generate_tokens(StringIO(text).readline):
            if token.type != COMMENT:
                code_seen |= token.type not in _OUTSIDE_CODE
                continue
            line, offset = token.start
            for match in _COMMENT.finditer(token.string):
                yield _suppression(lines, line, offset, match, code_seen)
    except (TokenError, SyntaxError, ValueError):
        # The checker says what is wrong with the text.
        return


def _suppression(
    lines: list[str], line: int, offset: int, match: re.Match[str], code_seen: bool
) -> Suppression:
    codes = (code.strip() for code in (match["codes"] or "").split(","))
    everywhere = match["what"] == "ignore-file"
    return Suppression(
        line=line,
        column=offset + match.start() + 1,
        text=match[0].rstrip(),
        codes=tuple(dict.fromkeys(code for code in codes if code)),
        everywhere=everywhere,
        misplaced=everywhere and code_seen,
        removal=_removal(lines, line, offset + match.start(), offset + match.end()),
    )


def _removal(lines: list[str], line: int, start: int, end: int) -> Edit:
    """What removes a comment, and its line if there is nothing else on it."""
    text = lines[line - 1]
    before, after = text[:start].rstrip(), text[end:].strip()
    if after:
        return Edit(line, start + 1, line, end + 1, "")
    if not before and line < len(lines):
        return Edit(line, 1, line + 1, 1, "")
    return Edit(line, len(before) + 1, line, len(text) + 1, "")
