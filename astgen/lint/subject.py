"""What the readers of files hand on: programs, and what is known beside their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from astgen.check import Finding
from astgen.check.finding import Profile

if TYPE_CHECKING:
    # Few files have one.
    from astgen.store.manifest import Manifest

__all__ = ["Constant", "Contents", "Subject"]


@dataclass(frozen=True)
class Constant:
    """A constant as a file describes it; it was never made.

    Attributes:
        kind: What would make it, as a dotted path: `torch.device`, `builtins.int`.
        shown: A short text for people, such as `torch.device('cuda', 0)`.
        key: Equal for constants of equal description.
        names: The dotted paths of everything that making it would import.
    """

    kind: str
    shown: str
    key: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subject:
    """A program that was found in a file.

    Attributes:
        text: Its source text.
        path: The file, as the user knows it.
        member: Where in the file it stands, empty if it is the file.
        profile: Who generated it, if the file says so.
        submod_names: The names of the pieces in slot order, if the file has them.
        consts: The constants in slot order, if the file has them.
        entry: The name of the function that is called, if the file says it.
        manifest: The manifest beside it, if it is that of an artifact.
        provenance: Reads the bytes that say where its statements come from, if there
            are any; it takes how many there may be.
        stored: Reads the bytes that say what the constants are made of, likewise.
    """

    text: str
    path: str = ""
    member: str = ""
    profile: Profile | None = None
    submod_names: tuple[str | None, ...] | None = None
    consts: tuple[Constant, ...] | None = None
    entry: str = ""
    manifest: Manifest | None = None
    provenance: Callable[[int], bytes] | None = None
    stored: Callable[[int], bytes] | None = None


@dataclass
class Contents:
    """What a file held.

    Attributes:
        subjects: The programs.
        findings: What is wrong with the file itself; `path` and `member` are set.
        passed: Whether it is a file in which nobody expects generated code.
        opcodes: How many opcodes of pickles were read for it.
    """

    subjects: list[Subject] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    passed: bool = False
    opcodes: int = 0
