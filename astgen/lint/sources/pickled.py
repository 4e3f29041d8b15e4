"""The programs in a pickled compile cache, with the descriptions of their constants.

For those who want to make something of them; nothing is loaded here either.
"""

from __future__ import annotations

from dataclasses import dataclass

from astgen.check.finding import Finding
from astgen.lint.sources.blob import of_file
from astgen.lint.sources.limits import Limits, within
from astgen.lint.sources.pickle_programs import CONSTS, Found, entry
from astgen.lint.sources.pickle_values import Node, Value
from astgen.lint.sources.pickles import read_pickle
from astgen.lint.sources.refusal import Refused, display
from astgen.lint.subject import Contents, Subject

__all__ = ["Pickled", "read_pickled"]


@dataclass(frozen=True)
class Pickled:
    """A program in a pickle.

    Attributes:
        member: Where in the file it stands.
        code: The source text.
        names: The names of the pieces, None if there is no list of them.
        consts: What would make the constants; None for a cache from before there
            were any.
    """

    member: str
    code: str
    names: tuple[str | None, ...] | None
    consts: tuple[Value, ...] | None


def read_pickled(path: str, limits: Limits) -> tuple[list[Pickled], list[Finding]]:
    """Read the programs of a file.

    Args:
        path: The file.
        limits: How much of it is read.

    Returns:
        The programs, pickles in pickles included, and what is wrong with the file.
        Nothing is raised, whatever the file is.
    """
    shown = display(path)
    found: list[tuple[str, Found]] = []
    try:
        data = of_file(path).load(limits.file_bytes)
    except Refused as refused:
        return [], [refused.finding(shown)]
    contents = read_pickle(data, shown, "", limits, found=found)
    programs = []
    for member, program in found:
        text = program.code or ""
        costly = within(Contents([Subject(text, shown, member)]), limits).findings
        contents.findings += costly
        if text.strip() and not costly:
            consts = _values(entry(program.holder, CONSTS)[1])
            programs.append(Pickled(member, text, program.names, consts))
    return programs, contents.findings


def _values(consts: Value) -> tuple[Value, ...] | None:
    if isinstance(consts, Node) and consts.kind in ("list", "tuple"):
        return tuple(consts.parts or ())
    return None
