"""The values that checker and linter are made of: a rule, and a finding under a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "PROFILES",
    "SEVERITIES",
    "Edit",
    "Example",
    "Finding",
    "Profile",
    "Rule",
    "Sample",
    "Severity",
]

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From what could be better, by what is suspicious, to what is wrong or unsafe."""

Profile = Literal["astgen-1", "vllm-0.32", "legacy"]
PROFILES: tuple[Profile, ...] = ("astgen-1", "vllm-0.32", "legacy")
"""Who generated a text: astgen, vLLM 0.32, or vLLM before it had constants."""


@dataclass(frozen=True)
class Sample:
    """An example of a rule that is no plain program.

    Attributes:
        name: What the file is called, such as `model` or `cache.zip`.
        source: The bytes of the file, or what makes them: nobody who lints waits for
            archives to be packed.
        shown: What people read instead of the bytes.
    """

    name: str
    source: bytes | Callable[[], bytes]
    shown: str

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.source if isinstance(self.source, bytes) else self.source()


Example = str | Sample
"""The text of a program, or a file of another kind."""


@dataclass(frozen=True)
class Rule:
    """One thing that generated code, or a file that holds it, must not do.

    Attributes:
        code: The stable code, such as `AG101`.
        name: The stable name, such as `undefined-name`.
        summary: One line for tables.
        reason: Why it is a rule: what goes wrong otherwise.
        good: Programs without this finding.
        bad: Programs with this finding, and no other of its severity or above.
        severity: An error makes code wrong or unsafe, a warning suspicious; a note
            says what could be better.
        profiles: Whose texts the rule is about.
        fixable: Whether findings may carry edits that mend the text.
        default: Whether the rule is on where nobody selects rules.
        always: Whether the rule stays on whatever is selected, unless it is ignored
            by its full code: without it, a file that nobody looked at seems clean.
    """

    code: str
    name: str
    summary: str
    reason: str
    good: tuple[Example, ...]
    bad: tuple[Example, ...]
    severity: Severity = "error"
    profiles: tuple[Profile, ...] = PROFILES
    fixable: bool = False
    default: bool = True
    always: bool = False


@dataclass(frozen=True)
class Edit:
    """A replacement of characters in a text; positions count from 1, as in `Finding`."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, order=True)
class Finding:
    """One place in a text or file that breaks a rule.

    Attributes:
        line: First line, from 1.
        column: First column in characters, from 1.
        end_line: Last line.
        end_column: Column after the last character.
        rule: The rule's code.
        message: What is wrong, with the name that is wrong.
        hint: The way out.
        path: The file that the text came from, empty if it is not from a file.
        member: Where in the file the text stands, empty if the text is the file.
        edits: What mends the text without changing what it computes; they belong
            together.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    message: str
    hint: str = ""
    path: str = ""
    member: str = ""
    edits: tuple[Edit, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        where = f"{self.path}[{self.member}]:" if self.member else f"{self.path}:"
        hint = f" ({self.hint})" if self.hint else ""
        place = where if where != ":" else ""
        return f"{place}{self.line}:{self.column}: {self.rule} {self.message}{hint}"
