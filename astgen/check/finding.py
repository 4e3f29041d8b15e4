"""The values that the checker is made of: a rule, and a finding under a rule."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding", "Rule"]


@dataclass(frozen=True)
class Rule:
    """One thing that generated code must not do.

    Attributes:
        code: The stable code, such as `AG101`.
        name: The stable name, such as `undefined-name`.
        summary: One line for tables.
        reason: Why it is a rule: what goes wrong otherwise.
        good: Programs without this finding.
        bad: Programs with this finding, and no other.
    """

    code: str
    name: str
    summary: str
    reason: str
    good: tuple[str, ...]
    bad: tuple[str, ...]


@dataclass(frozen=True, order=True)
class Finding:
    """One place in a text that breaks a rule.

    Attributes:
        line: First line, from 1.
        column: First column in characters, from 1.
        end_line: Last line.
        end_column: Column after the last character.
        rule: The rule's code.
        message: What is wrong, with the name that is wrong.
        hint: The way out.
        path: Where the text came from, empty if it is not from a file.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    message: str
    hint: str = ""
    path: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:" if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.line}:{self.column}: {self.rule} {self.message}{hint}"
