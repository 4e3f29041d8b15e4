"""The storages of example values: tensors that share memory share one."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from astgen.dynamo_names import is_owned
from astgen.provenance.content import content_of
from astgen.provenance.model import Interval, PieceOrigins, Storage, Value
from astgen.provenance.passing import returned
from astgen.provenance.symbols import Symbols
from astgen.provenance.types import shape_of, type_text
from astgen.provenance.values import Values

__all__ = ["Memory"]

_DEEP = 8


class Memory:
    """Numbers the storages of a program, in the order in which they are seen."""

    def __init__(self) -> None:
        self.symbols = Symbols()
        self.storages: list[Storage] = []
        # The storages are kept: the address of a dead one may come again.
        self._places: dict[int, tuple[int, Any]] = {}
        self._passed: dict[int, tuple[int, Any]] = {}

    def value(self, example: Any, owner: str = "", *, is_input: bool = False) -> Value:
        """What a name is bound to.

        Args:
            example: The example value.
            owner: The name of the parameter or buffer that it is, if it is one.
            is_input: Whether it comes from outside.
        """
        found: dict[int, None] = {}
        for tensor in tensors_in(example, self.symbols):
            storage = _storage(tensor)
            if storage is not None:
                part = tensor if is_input and not owner else None
                found.setdefault(self._place(storage, owner, part))
        return Value(type_text(example), tuple(found))

    def note_passed(self, values: Values) -> None:
        """Take notice of the nodes of a graph that return their inputs.

        Args:
            values: The values of its nodes.
        """
        for node in values.gm.graph.nodes:
            given = returned(node)
            if given is None:
                continue
            pairs = zip(
                *(tensors_in(values.of(n), self.symbols) for n in (node, given))
            )
            for made, own in pairs:
                here, there = _storage(made), _storage(own)
                if here is None or there is None:
                    continue
                key, passed = self._key(here), self._key(there)
                if key != passed:
                    self._passed[key] = passed, here

    def _key(self, storage: Any) -> int:
        """What tells a storage from others, for those that are but passed on, too."""
        key: int = storage._cdata
        # Graphs come in any order, so what is passed on may be so once more. Only keys
        # that lead nowhere are given a way, to others than themselves: it ends.
        while key in self._passed:
            key = self._passed[key][0]
        return key

    def owned(self, node: fx.Node, example: Any) -> str:
        """The name of a placeholder that brings in what the model owns."""
        kinds = (torch.nn.Parameter, torch.nn.Buffer)
        if isinstance(example, kinds) or is_owned(str(node.target)):
            return node.name
        return ""

    def piece(self, values: Values) -> PieceOrigins:
        """What a piece allocates when it runs as its graph says.

        Args:
            values: The values of its nodes.
        """
        nodes = list(values.gm.graph.nodes)
        outside: set[int] = set()
        first: dict[int, tuple[int, Any]] = {}
        last: dict[int, int] = {}
        of: dict[fx.Node, list[int]] = {}
        for place, node in enumerate(nodes):
            keys = of[node] = []
            for tensor in tensors_in(values.of(node), self.symbols):
                storage = _storage(tensor)
                if storage is not None:
                    key = self._key(storage)
                    keys.append(key)
                    if node.op in ("placeholder", "get_attr"):
                        outside.add(key)
                    first.setdefault(key, (place, storage))
            for read in (node, *node.all_input_nodes):
                last.update((key, place) for key in of.get(read, ()))
        memory = [
            Interval(self._size(storage), place, last[key])
            for key, (place, storage) in first.items()
            if key not in outside
        ]
        count = sum(node.op.startswith("call_") for node in nodes)
        structure, program = content_of(values.gm)
        return PieceOrigins(count, tuple(memory), structure, program)

    def _place(self, storage: Any, owner: str, part: torch.Tensor | None) -> int:
        """The number of a storage; `part` is what an input shows of it."""
        key = self._key(storage)
        if key not in self._places:
            size = self._size(storage)
            if isinstance(size, int) and part is not None:
                if _is_dynamic(part, self.symbols) or _has_room(part, size):
                    # What it is a part of was that large when it was traced.
                    size = None
            self._places[key] = len(self.storages), storage
            self.storages.append(Storage(size, owner))
        return self._places[key][0]

    def _size(self, storage: Any) -> Any:
        return self.symbols.size(storage.nbytes())


def tensors_in(
    example: Any, symbols: Symbols, depth: int = _DEEP
) -> list[torch.Tensor]:
    """The tensors of an example value; symbols of its numbers are noted.

    Args:
        example: The value.
        symbols: Gets the symbols.
        depth: How deep containers are looked into.
    """
    if isinstance(example, torch.Tensor):
        for size in shape_of(example) or ():
            if isinstance(size, torch.SymInt):
                symbols.size(size)
        return [example]
    if isinstance(example, torch.SymInt):
        symbols.size(example)
    parts: list[Any] = []
    if isinstance(example, (tuple, list)):
        parts = list(example)
    elif isinstance(example, dict):
        parts = list(example.values())
    if not depth:
        return []
    return [one for part in parts for one in tensors_in(part, symbols, depth - 1)]


def _has_room(tensor: torch.Tensor, size: int) -> bool:
    """Whether a tensor is a part of memory of a size: there is room for more.

    Only numbers are compared: symbols that are compared become guards.
    """
    sizes = shape_of(tensor)
    if sizes is None or tensor.layout is not torch.strided:
        return False
    steps = tensor.stride()
    if not all(isinstance(one, int) for one in (*sizes, *steps)) or 0 in sizes:
        return False
    last = sum((count - 1) * step for count, step in zip(sizes, steps))
    return bool((last + 1) * tensor.element_size() < size)


def _is_dynamic(tensor: torch.Tensor, symbols: Symbols) -> bool:
    """Whether a tensor takes more memory if a symbol is larger."""
    sizes = shape_of(tensor)
    if sizes is None or tensor.layout is not torch.strided:
        return False
    # Expanded dimensions have a stride of zero, and some symbols have but one value.
    return any(
        step != 0 and not isinstance(symbols.size(size), int)
        for size, step in zip(sizes, tensor.stride())
    )


def _storage(tensor: torch.Tensor) -> Any:
    """The storage of a tensor; None if it has none of its own."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        # Sparse tensors and some subclasses have none.
        return None
