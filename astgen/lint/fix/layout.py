"""AG002: the layout of black, which is that of astgen's own text.

The only module of the linter that needs black, which is imported when it is asked.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from astgen.check import Finding
from astgen.check.parse import PARSER
from astgen.errors import SettingsError
from astgen.lint.fix.apply import newline_of
from astgen.lint.rules.layout import NOT_FORMATTED

__all__ = ["laid_out", "meaning", "not_formatted"]


def not_formatted(text: str) -> Finding | None:
    """Judge the layout of a text.

    Args:
        text: Any text.

    Returns:
        The finding at the first line that black would change; None if there is none,
        or if the text is nothing that black can read.
    """
    wanted = laid_out(text)
    if wanted == text:
        return None
    lines, others = text.split("\n"), wanted.split("\n")
    pairs = enumerate(zip(lines, others))
    number = next((index for index, (line, other) in pairs if line != other), None)
    if number is None:
        number = min(len(lines), len(others)) - 1
    end = max(len(lines[number].rstrip("\r")), 1) + 1
    message = "black would change the layout from here on"
    hint = "lay it out with --fix, or with black"
    code = NOT_FORMATTED.code
    return Finding(number + 1, 1, number + 1, end, code, message, hint)


@lru_cache(maxsize=2)
def laid_out(text: str) -> str:
    """Lay a text out as black does.

    Args:
        text: Any text.

    Returns:
        The text of the same meaning; the same text if black cannot read it.
    """
    try:
        import black
        from black.parsing import InvalidInput
    except ImportError as error:
        message = "layout is black's, which is not installed; install black, or "
        raise SettingsError(f"{message}leave out {NOT_FORMATTED.code}") from error

    newline = newline_of(text)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        wanted = black.format_str(plain, mode=black.Mode())
        is_same = meaning(plain) == meaning(wanted)
    except (InvalidInput, SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    return wanted.replace("\n", newline) if is_same else text


def meaning(text: str) -> list[object]:
    """The tree of a text, flat: parentheses in a `del` and the prefix `u` are layout.

    Args:
        text: The text.

    Returns:
        A list that is equal for texts that mean the same.

    Raises:
        SyntaxError: It is no Python.
    """
    with PARSER:
        tree = ast.parse(text)
    found: list[object] = []
    todo: list[object] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Constant):
            node.kind = None
        if isinstance(node, ast.Delete):
            found.append(ast.Delete)
            todo += [name for target in node.targets for name in _names(target)]
        elif isinstance(node, ast.AST):
            found.append(type(node))
            todo += [getattr(node, name, None) for name in node._fields]
        elif isinstance(node, list):
            found.append(len(node))
            todo += node
        else:
            found += [type(node), repr(node) if isinstance(node, float) else node]
    return found


def _names(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple) else [target]
