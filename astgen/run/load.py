"""From text to callable on one page: scan, resolve, hoist, build, bind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from astgen.check import DEFAULT_DIALECT, Dialect, Finding, scan
from astgen.errors import InvalidProgramError
from astgen.garbage import paused
from astgen.run.bind import bind, pieces_for, resolve, slots
from astgen.run.build import build
from astgen.run.hoist import hoist

__all__ = ["load", "require_text"]


def load(
    code: str,
    callables: Mapping[str, Callable[..., Any]],
    names: Sequence[str],
    consts: list[Any] | None,
    dialect: Dialect = DEFAULT_DIALECT,
) -> Callable[..., Any]:
    """Check a program and make it callable.

    Args:
        code: The source text.
        callables: A callable for each piece that the program calls.
        names: The pieces' names in slot order.
        consts: The constants in slot order; None for a program without any.
        dialect: The names and operator namespaces of the program.

    Returns:
        A plain function that takes the graph's inputs.

    Raises:
        InvalidProgramError: The checker refused the text; nothing was executed.
        BindError: A piece that is called has no callable, or this process lacks
            an operator that is named.
    """
    require_text(code)
    with paused():
        # The tree dies in there: the collector would look at all of it once more.
        return _load(code, callables, names, consts, dialect)


def _load(
    code: str,
    callables: Mapping[str, Callable[..., Any]],
    names: Sequence[str],
    consts: list[Any] | None,
    dialect: Dialect,
) -> Callable[..., Any]:
    scanned = scan(
        code,
        consts=0 if consts is None else len(consts),
        submods=len(names),
        dialect=dialect,
    )
    if scanned.findings or scanned.tree is None:
        raise InvalidProgramError(scanned.findings)
    pieces = pieces_for(scanned.pieces, names, callables)
    lists = {dialect.consts: consts or [], dialect.submods: pieces}
    outside = resolve(scanned.references) | slots(scanned.references, lists)
    hoist(scanned.references)
    try:
        function = build(scanned.tree, code, outside, dialect)
    except SyntaxError as error:
        raise InvalidProgramError([_refused(error)]) from error
    return bind(function, dialect.submods, pieces)


def require_text(code: object) -> None:
    """Refuse a program that is no text.

    Raises:
        InvalidProgramError: It is something else, such as bytes.
    """
    if not isinstance(code, str):
        message = f"a program is text, a {type(code).__name__} is not text"
        hint = "decode it first"
        raise InvalidProgramError([Finding(1, 1, 1, 1, "AG001", message, hint)])


def _refused(error: SyntaxError) -> Finding:
    line, column = error.lineno or 1, error.offset or 1
    message = f"not a Python program: {error.msg}"
    hint = "regenerate it from its graph"
    return Finding(line, column, line, column, "AG001", message, hint)
