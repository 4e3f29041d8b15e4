"""AG304: what `repr` says of objects, in strings and comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from astgen.check.report import Problem, shown
from astgen.lint.advice.facts import Facts
from astgen.lint.rules.indexes import REPR_LEAK

__all__ = ["repr_leaks"]

_HINTS = ("<", "ensor(", "device(type=", "Parameter containing:", "Shard(dim=")
# Every repeat has an end: a text may begin a thousand such things and end none.
_LEAK = re.compile(
    r"""
    <[\w.<>]{1,99} (?:\ [\w.<>]{1,99}){0,9} \ at\ 0x[0-9a-fA-F]{6,} >?   # <X at 0x7f...>
    | <(?:class|enum|module)\ '[\w.<>]{1,99}'                   # <class 'torch.Tensor'>
    | <(?:built-in\ )?(?:function|method)\ [\w.<>]{1,99} [\ >]  # <built-in function add>
    | <[A-Z]\w{0,99}(?:\.\w{1,99}){1,9}:\ [^<>]{1,99}>          # <Color.RED: 1>
    | \b(?:tensor|FakeTensor)\((?:\[|\.\.\.|-?\d)            # tensor([1., 2.])
    | \bdevice\(type='[a-z]+'                                # device(type='cuda')
    | \bParameter\ containing:
    | \b_?(?:Strided)?Shard\(dim=-?\d                        # Shard(dim=0)
    """,
    re.VERBOSE,
)


def repr_leaks(facts: Facts, text: str) -> Iterator[Problem]:
    """Find text that an object was turned into by `repr` or `str`.

    Args:
        facts: The facts of a program.
        text: Its text.

    Yields:
        A problem for each string and comment.
    """
    if not any(hint in text for hint in _HINTS):
        return
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _problem(node, node.value, "a string")
    for token in _comments(text):
        line, column = token.start
        place = ast.Constant(token.string)
        place.lineno = place.end_lineno = line
        place.col_offset = len(token.line[:column].encode())
        place.end_col_offset = place.col_offset + len(token.string.encode())
        yield from _problem(place, token.string, "a comment")


def _problem(node: ast.AST, value: str, where: str) -> Iterator[Problem]:
    found = _LEAK.search(value)
    if found is not None:
        message = f"{where} holds what repr says of an object: {shown(found[0])}"
        hint = "pass the object itself, so that it gets a constant slot"
        yield Problem(REPR_LEAK, node, message, hint)


def _comments(text: str) -> Iterator[tokenize.TokenInfo]:
    if "#" not in text:
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token
    except (tokenize.TokenError, SyntaxError):
        # The parser took the text, so this is a form of it that `tokenize` does not
        # know; the strings were looked at.
        return
