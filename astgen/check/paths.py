"""The exact names that generated code may contain, one a line in `*.txt` beside this.

The checker and the emitter both ask here, so that whatever the emitter spells is what
the checker accepts. The text is hostile until it has been checked, and whatever is
listed can be called with any literal and any value that the text holds. A name is
listed only if a person looked at what it can do in such hands:

- It computes with tensors and numbers, or switches a mode that graphs need (gradients,
  autocast, vmap, attention kernels).
- It reaches no file, process, socket, native library, address or registry. Collectives
  talk to a process group, which must exist already.
- It takes no text that is a path, code, a command, an attribute's name or a format, and
  it calls no function that it is given. Higher-order operators do call functions; those
  listed are the ones that graphs need. `torch._check` calls its message, to show it.
- It does not skip the checks that keep an operator inside its memory. Operators whose
  purpose is to skip them are left out, and those that were seen to read or write past
  it. That every other kernel survives senseless arguments, a list of names cannot
  give: hostile text is kept from running code of its own, not from crashing PyTorch.

The decisions, each with its reason, are in `tools/path_review.py` and
`tools/operator_review.py`; `tools/list_paths.py` writes the lists and says what a new
PyTorch would add to them.
"""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = [
    "builtin_namespaces",
    "methods",
    "operators",
    "torch_paths",
    "values",
]

_HERE = Path(__file__).parent


@functools.cache
def torch_paths() -> frozenset[str]:
    """Return the paths from `torch` and `operator` that may be called.

    A function is listed under every path that graphs or their printers spell, such as
    `torch._C._nn.gelu` and `torch.nn.functional.gelu`. Operators are in `operators`.
    """
    return _read("torch_paths.txt")


@functools.cache
def operators() -> frozenset[str]:
    """Return the built-in operators that may be called, without `torch.ops.`.

    Three kinds of names: overloads (`aten.add.Tensor`, `aten.relu.default`), packets
    (`aten.add`) of which every overload is harmless, and higher-order operators
    (`higher_order.cond`). Overloads that are named like a Python keyword cannot be
    written as attributes and are missing.
    """
    return _read("operators.txt")


@functools.cache
def methods() -> frozenset[str]:
    """Return the names that may be called as methods of a local, a slot or a literal.

    The type of the value is unknown when text is checked, so each name is harmless on
    tensors, numbers, strings and containers alike.
    """
    return _read("methods.txt")


@functools.cache
def values() -> frozenset[str]:
    """Return the paths from `torch` that may stand as values, and are never called.

    Dtypes, layouts, memory formats and quantization schemes: generators from before
    there were constants wrote them into the text.
    """
    return _read("values.txt")


@functools.cache
def builtin_namespaces() -> frozenset[str]:
    """Return the names after `torch.ops.` that are not foreign operator namespaces.

    These are the namespaces that PyTorch itself registers, whether any of their
    operators is listed or not, and attributes of `torch.ops` that are no namespaces
    (`load_library`). None of them may be allowed wholesale.
    """
    return _read("namespaces.txt")


def _read(file_name: str) -> frozenset[str]:
    lines = (_HERE / file_name).read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
