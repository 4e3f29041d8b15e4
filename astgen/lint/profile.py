"""Who generated a text, and which names it may use therefore."""

from __future__ import annotations

import re
from collections.abc import Collection

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.check.finding import Profile

__all__ = ["detect", "dialect_of"]

_HEAD = re.compile(r"(?:import \w+\r?\n)*(?P<blank>(?:[ \t]*\r?\n)*)def ")
_OLD_PIECES = re.compile(r"\b_submods\b")


def detect(text: str) -> Profile:
    """Guess the generator of a text from its habits.

    vLLM 0.32 imports two modules and leaves one empty line before a function, astgen
    leaves two, as black does. Before vLLM had constants, it imported torch alone.

    Args:
        text: The text of a program.

    Returns:
        The profile; a text of nobody's habits counts as astgen's own.
    """
    head = _HEAD.match(text)
    blank = head["blank"].count("\n") if head else 2
    if blank >= 2 or blank == 0:
        return "astgen-1"
    if DEFAULT_DIALECT.consts not in text and "\nimport operator" not in text:
        return "legacy"
    return "vllm-0.32"


def dialect_of(
    text: str,
    profile: Profile,
    namespaces: Collection[str] = (),
    paths: Collection[str] = (),
) -> Dialect:
    """The names that a text may use.

    Args:
        text: The text of a program.
        profile: Who generated it.
        namespaces: Operator namespaces that are allowed beside the usual ones.
        paths: Paths that are allowed beside the listed ones.

    Returns:
        vLLM's names; in legacy text, `_submods` may be the name of the pieces, as it
        was while vllm-project/vllm#38657 was reviewed.
    """
    submods = DEFAULT_DIALECT.submods
    if profile == "legacy" and submods not in text and _OLD_PIECES.search(text):
        submods = "_submods"
    return Dialect(
        submods=submods,
        namespaces=DEFAULT_DIALECT.namespaces | frozenset(namespaces),
        paths=frozenset(paths),
    )
