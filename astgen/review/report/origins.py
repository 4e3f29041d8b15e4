"""What provenance says of blocks and of names, as columns of numbers of texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from astgen.provenance.model import FunctionOrigins, Origin, Provenance, Source
from astgen.review.report.parsed import Parsed
from astgen.review.report.visible import Strings, visible

__all__ = ["Origins", "origins_of"]


@dataclass
class Origins:
    """Where the blocks of a text come from, as far as that is known.

    Attributes:
        functions: The origins of each function, empty ones where nothing is known.
        statements: For each block that of its statement.
    """

    functions: list[FunctionOrigins] = field(default_factory=list)
    statements: list[Origin | None] = field(default_factory=list)

    @property
    def is_known(self) -> bool:
        """Whether there is provenance at all."""
        return any(self.statements) or any(one.parameters for one in self.functions)

    def type_of(self, block: int) -> str:
        """The type of what a block binds, empty if it is not known."""
        origin = self.statements[block]
        return origin.value.type if origin and origin.value else ""

    def data(self, strings: Strings) -> dict[str, Any]:
        """Columns as a value of JSON, a row for each block; -1 is nothing."""
        sources: dict[Source, int] = {}
        return {
            "node": [strings.add(one.node if one else "") for one in self.statements],
            "type": [strings.add(self.type_of(i)) for i in range(len(self.statements))],
            "module": [
                strings.add(one.module if one else "") for one in self.statements
            ],
            "source": [
                (
                    sources.setdefault(one.source, len(sources))
                    if one and one.source
                    else -1
                )
                for one in self.statements
            ],
            "sources": [
                [visible(one.file), one.line, visible(one.function), visible(one.text)]
                for one in sources
            ],
            "parameters": [
                {
                    visible(name): strings.add(value.type)
                    for name, value in one.parameters.items()
                }
                for one in self.functions
            ],
        }


def origins_of(text: Parsed, provenance: Provenance | None) -> Origins:
    """Say where the blocks of a text come from.

    Args:
        text: The text.
        provenance: What is known of it.
    """
    known = provenance.functions if provenance is not None else {}
    found = Origins([known.get(one.name, FunctionOrigins()) for one in text.functions])
    for block in text.blocks:
        origin = None
        if block.function >= 0 and block.statement >= 0:
            statements = found.functions[block.function].statements
            if block.statement < len(statements):
                origin = statements[block.statement]
        found.statements.append(origin)
    return found
