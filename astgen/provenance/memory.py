"""The storages of example values: tensors that share memory share one."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import fx

from astgen.provenance.content import content_of
from astgen.provenance.model import Interval, PieceOrigins, Storage, Value
from astgen.provenance.symbols import Symbols
from astgen.provenance.types import type_text
from astgen.provenance.values import Values

__all__ = ["Memory"]

_OWNED = re.compile(r"[lL]_self_(\w+_)?(parameters|buffers)_\w", re.ASCII)
"""How Dynamo calls what a module owns; a buffer need not be an `nn.Buffer`."""

_DEEP = 8


class Memory:
    """Numbers the storages of a program, in the order in which they are seen."""

    def __init__(self) -> None:
        self.symbols = Symbols()
        self.storages: list[Storage] = []
        # The storages are kept: the address of a dead one may come again.
        self._places: dict[int, tuple[int, Any]] = {}

    def value(self, example: Any, owner: str = "") -> Value:
        """What a name is bound to.

        Args:
            example: The example value.
            owner: The name of the parameter or buffer that it is, if it is one.
        """
        found: dict[int, None] = {}
        for tensor in tensors_in(example, self.symbols):
            storage = _storage(tensor)
            if storage is not None:
                found.setdefault(self._place(storage, owner))
        return Value(type_text(example), tuple(found))

    def owned(self, node: fx.Node, example: Any) -> str:
        """The name of a placeholder that brings in what the model owns."""
        kinds = (torch.nn.Parameter, torch.nn.Buffer)
        is_owned = isinstance(example, kinds) or _OWNED.match(str(node.target))
        return node.name if is_owned else ""

    def piece(self, gm: fx.GraphModule) -> PieceOrigins:
        """What a piece allocates when it runs as its graph says."""
        values = Values(gm)
        nodes = list(gm.graph.nodes)
        outside: set[int] = set()
        first: dict[int, tuple[int, Any]] = {}
        last: dict[int, int] = {}
        of: dict[fx.Node, list[int]] = {}
        for place, node in enumerate(nodes):
            keys = of[node] = []
            for tensor in tensors_in(values.of(node), self.symbols):
                storage = _storage(tensor)
                if storage is not None:
                    key = storage._cdata
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
        return PieceOrigins(count, tuple(memory), content_of(gm))

    def _place(self, storage: Any, owner: str) -> int:
        key = storage._cdata
        if key not in self._places:
            self._places[key] = len(self.storages), storage
            self.storages.append(Storage(self._size(storage), owner))
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
        for size in example.shape:
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


def _storage(tensor: torch.Tensor) -> Any:
    """The storage of a tensor; None if it has none of its own."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        # Sparse tensors and some subclasses have none.
        return None
