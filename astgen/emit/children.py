"""The modules below a graph: which are pieces, and which become functions.

Pieces are called by slot. A GraphModule child becomes a function of its own,
emitted once for all children of equal structure. Both share one numbering, the
order of first use, which is that of `submod_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst
from torch import fx

from astgen.emit.signature import Parameter
from astgen.emit.structure import Kind, Structures

__all__ = ["Children", "Inlined"]


class Inlined(NamedTuple):
    """A function that a GraphModule child became.

    Attributes:
        function: Its definition.
        parameters: The parameters of the child that it was made of. Children that
            became the same function may have others of other names.
        written: What the definition calls each of them.
        takes_submods: Whether it needs the list of pieces as its last argument.
    """

    function: cst.FunctionDef
    parameters: Sequence[Parameter]
    written: list[str]
    takes_submods: bool


Build = Callable[[fx.GraphModule, str, str, bool], Inlined]
"""Module, its path, the function's name, whether names are canonical -> function."""


@dataclass
class Children:
    """All children of one program.

    Attributes:
        prefix: What names of inlined functions begin with.
        key_of: Text that is equal for functions of equal structure.
        structures: Knows equal children before they are built.
        names: Paths of all children that are called, in slot order.
        functions: The definitions, in order.
    """

    prefix: str
    key_of: Callable[[cst.FunctionDef], str]
    structures: Structures
    names: list[str] = field(default_factory=list)
    functions: list[cst.FunctionDef] = field(default_factory=list)
    _slots: dict[str, int] = field(default_factory=dict)
    _by_path: dict[str, Inlined] = field(default_factory=dict)
    _by_number: dict[int, Inlined] = field(default_factory=dict)
    _by_text: dict[str, Inlined] = field(default_factory=dict)

    def slot(self, path: str) -> int:
        """The slot of the child at `path`."""
        if path not in self._slots:
            self._slots[path] = len(self.names)
            self.names.append(path)
        return self._slots[path]

    def inline(self, module: fx.GraphModule, path: str, build: Build) -> Inlined:
        """The function for the GraphModule child at `path`."""
        self.slot(path)
        found = self._by_path.get(path)
        if found is None:
            structure = self.structures.of(module)
            if structure.kind is Kind.ALONE:
                found = self._built(module, path, build)
            elif structure.kind is Kind.UNKNOWN:
                found = self._compared(module, path, build)
            elif structure.number not in self._by_number:
                found = self._built(module, path, build)
                self._by_number[structure.number] = found
            else:
                found = self._by_number[structure.number]
                for below in structure.nested:
                    self.slot(f"{path}.{below}")
            self._by_path[path] = found
        return found

    def _built(self, module: fx.GraphModule, path: str, build: Build) -> Inlined:
        found = build(module, path, f"{self.prefix}{self.slot(path)}", False)
        self.functions.append(found.function)
        return found

    def _compared(self, module: fx.GraphModule, path: str, build: Build) -> Inlined:
        """Build a child to see whether there is a function that is equal up to names."""
        own = build(module, path, self.prefix, True)
        starred = [one.target for one in own.parameters if one.kind == "keyword"]
        text = "\n".join([self.key_of(own.function), *starred])
        if text not in self._by_text:
            self._by_text[text] = self._built(module, path, build)
        return self._by_text[text]
