"""Where the statements of a program come from, and how large its values are.

All of it is for people: the text does not depend on it, and nothing needs it to run.
Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from astgen.provenance.sizes import Size

__all__ = [
    "FunctionOrigins",
    "Interval",
    "Origin",
    "PieceOrigins",
    "PieceProgram",
    "Provenance",
    "Source",
    "Storage",
    "Symbol",
    "Value",
]


@dataclass(frozen=True)
class Symbol:
    """A symbolic size of a graph.

    Attributes:
        name: As sizes and types have it, such as `s72`.
        hint: Its value when the graph was traced; None if it had none.
        low: The smallest value that the graph allows.
        high: The largest one; None if there is no limit.
    """

    name: str
    hint: int | None = None
    low: int = 0
    high: int | None = None


@dataclass(frozen=True)
class Storage:
    """Memory that tensors lie in; a tensor and its views share one.

    Attributes:
        size: Its bytes; None if they are not known.
        owner: The name of the parameter, buffer or constant that lies in it: the model
            owns it, and no `del` frees it. Empty for all else.
    """

    size: Size | None
    owner: str = ""


@dataclass(frozen=True)
class Value:
    """What a name is bound to.

    Attributes:
        type: For people: `f32[s72, 128]`, `(f32[4], i64[])`, `Sym(s72)`, `int`.
        storages: Where its tensors lie, as places in `Provenance.storages`, each once.
    """

    type: str
    storages: tuple[int, ...] = ()


@dataclass(frozen=True)
class Source:
    """A line of the model's own code.

    Attributes:
        file: Its path below the folder that it is imported from.
        line: Its number, from 1.
        function: The function that it is in.
        text: The line.
    """

    file: str
    line: int
    function: str = ""
    text: str = ""


@dataclass(frozen=True)
class Origin:
    """The node that a statement was made of.

    Attributes:
        node: Its name in the graph.
        value: What it computes; None if that is not known.
        module: The path of the module that it is in, such as `layers.0.mlp`.
        source: The line of the model that made it.
    """

    node: str
    value: Value | None = None
    module: str = ""
    source: Source | None = None


@dataclass(frozen=True)
class FunctionOrigins:
    """The origins of one function of a text.

    Attributes:
        path: The child that it was made of, empty for the entry.
        parameters: What its parameters are, as far as that is known.
        statements: For each statement of its body the origin; None for a `del`, and
            for what no node stands for.
    """

    path: str = ""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    statements: tuple[Origin | None, ...] = ()


@dataclass(frozen=True)
class Interval:
    """Memory that a piece uses by itself.

    Attributes:
        size: Its bytes; None if they are not known.
        first: The node of the piece that allocates it, by its number.
        last: The last node that needs it.
    """

    size: Size | None
    first: int
    last: int


@dataclass(frozen=True)
class PieceProgram:
    """The text that the graph of a piece would be; it is never run.

    Attributes:
        code: The text.
        constants: Its constants in slot order: what makes each, a short text for
            people, and a text that is equal for equal ones.
        functions: The origins of its functions, without values.
    """

    code: str
    constants: tuple[tuple[str, str, str], ...] = ()
    functions: Mapping[str, FunctionOrigins] = field(default_factory=dict)


@dataclass(frozen=True)
class PieceOrigins:
    """What is known of a child.

    Attributes:
        operators: How many nodes of its graph compute something.
        memory: What it allocates, its results included, in the order of its nodes: for
            a piece that runs as its graph says. A compiler may need less.
        structure: Equal for pieces whose graphs do the same, up to names; empty if
            that is not known.
        program: The text that it would be; None if it would be none.
    """

    operators: int
    memory: tuple[Interval, ...] = ()
    structure: str = ""
    program: PieceProgram | None = None

    @property
    def span(self) -> str:
        """The modules of its first and its last node, as far as they are known."""
        functions = {} if self.program is None else self.program.functions
        modules = [
            origin.module
            for function in functions.values()
            for origin in function.statements
            if origin is not None and origin.module and not function.path
        ]
        ends = dict.fromkeys([modules[0], modules[-1]] if modules else [])
        return " to ".join(ends)


@dataclass(frozen=True)
class Provenance:
    """What a graph knew beside its program.

    Attributes:
        symbols: The symbolic sizes, by name.
        storages: Memory, in the order in which the text comes upon it.
        functions: The functions of the text, by name.
        pieces: Children whose graphs were there, inlined ones too, by name.
    """

    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    storages: tuple[Storage, ...] = ()
    functions: Mapping[str, FunctionOrigins] = field(default_factory=dict)
    pieces: Mapping[str, PieceOrigins] = field(default_factory=dict)
