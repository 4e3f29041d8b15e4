"""Which operators a graph is split at: names in the options, nodes in the graph.

The first step of the backend. A name is looked up once, before anything is
compiled, so that a misspelt one is an error and not a graph that silently
stays whole. A name that exists but does not occur in the graph is fine: a
model with graph breaks has several graphs, and not each holds an attention.
"""

from __future__ import annotations

import difflib
import operator
import re
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from astgen.errors import BackendError

__all__ = ["SplittingOps", "resolve_operators"]

# Where a bare name is looked for. Dynamo records calls as it finds them, so
# `F.softmax`, `torch.softmax` and `x.softmax` are three different targets.
_NAMESPACES = (
    torch,
    torch.nn.functional,
    torch._C._nn,
    torch.linalg,
    torch.special,
    torch.fft,
    operator,
)
_REGISTERED = re.compile(r"(\w+)::(\w+)(?:\.(\w+))?")
_OPS_PATH = re.compile(r"torch\.ops\.(?!higher_order\.)(\w+)\.(\w+)(?:\.(\w+))?")
_SUGGESTIONS = 3
_FORMS = (
    "accepted are a registered operator ('aten::relu', 'aten::add.Tensor'), a "
    "dotted path ('torch.nn.functional.softmax') and a bare name ('softmax'), of "
    "modules that are imported already"
)


@dataclass(frozen=True)
class SplittingOps:
    """The operators that a graph is split at, resolved.

    Attributes:
        functions: Functions and higher-order operators, compared by identity.
        packets: Registered operators with all their overloads, as `ns::op`.
        overloads: Single overloads, as `ns::op.overload`.
        methods: Names of tensor methods.
    """

    functions: tuple[Callable[..., Any], ...] = ()
    packets: frozenset[str] = frozenset()
    overloads: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()

    def matches(self, node: fx.Node) -> bool:
        """Whether `node` calls one of the operators."""
        if node.op == "call_method":
            return node.target in self.methods
        if node.op != "call_function":
            return False
        target = node.target
        if isinstance(target, OpOverload):
            name, overload = target._schema.name, target._overloadname
            return name in self.packets or f"{name}.{overload}" in self.overloads
        if isinstance(target, OpOverloadPacket):
            name, overloads = target._qualified_op_name, target._overload_names
            if name in self.packets:
                return True
            # Which overload a packet will run depends on the arguments, unless
            # there is only one. Here, the default's name is empty.
            only = f"{name}.{overloads[0] or 'default'}"
            return len(overloads) == 1 and only in self.overloads
        return any(target is function for function in self.functions)

    def _union(self, other: SplittingOps) -> SplittingOps:
        return SplittingOps(
            self.functions + other.functions,
            self.packets | other.packets,
            self.overloads | other.overloads,
            self.methods | other.methods,
        )


def resolve_operators(names: Iterable[str]) -> SplittingOps:
    """Look up operators by name.

    A name is one of: `ns::op` (every overload; for `aten` also the functions
    and the tensor method that torch binds to it), `ns::op.overload`, a dotted
    path to a function, or a bare name, which stands for everything of that
    name in torch, in the registered operators and among tensor methods.

    Args:
        names: The names, as written in the options.

    Returns:
        The operators they denote together.

    Raises:
        BackendError: A name denotes nothing; the message has the nearest ones.
    """
    found = SplittingOps()
    for name in names:
        operators = _resolve(name)
        if operators == SplittingOps():
            raise BackendError(_unknown(name))
        found = found._union(operators)
    return found


def _resolve(name: str) -> SplittingOps:
    registered = _REGISTERED.fullmatch(name) or _OPS_PATH.fullmatch(name)
    if registered:
        return _resolve_registered(*registered.groups())
    if name.isidentifier():
        return _resolve_bare(name)
    return _resolve_path(name)


def _resolve_registered(namespace: str, op: str, overload: str | None) -> SplittingOps:
    # The registry drops the overload of a default: `aten::relu`.
    qualified = f"{namespace}::{op}"
    entries = set(_registered_names())
    if overload is not None:
        entry = qualified if overload == "default" else f"{qualified}.{overload}"
        if entry not in entries:
            return SplittingOps()
        return SplittingOps(overloads=frozenset({f"{qualified}.{overload}"}))
    if not any(entry.partition(".")[0] == qualified for entry in entries):
        return SplittingOps()
    packets = frozenset({qualified})
    if namespace != "aten":
        return SplittingOps(packets=packets)
    bound = [getattr(module, op, None) for module in (torch, torch._C._nn)]
    functions = [f for f in bound if isinstance(f, types.BuiltinFunctionType)]
    return SplittingOps(tuple(functions), packets, methods=_tensor_method(op))


def _resolve_bare(name: str) -> SplittingOps:
    places = (*_NAMESPACES, torch.ops.higher_order)
    values = [getattr(place, name, None) for place in places]
    entries = (entry.partition(".")[0] for entry in _registered_names())
    packets = frozenset(e for e in entries if e.partition("::")[2] == name)
    functions = tuple(value for value in values if value and _is_function(value))
    return SplittingOps(functions, packets, methods=_tensor_method(name))


def _resolve_path(path: str) -> SplittingOps:
    parts = path.split(".")
    if not all(part.isidentifier() for part in parts):
        return SplittingOps()
    # A function that a graph calls lives in a module that was imported, so
    # nothing is imported here on the word of an option.
    split = len(parts) - 1
    while split and ".".join(parts[:split]) not in sys.modules:
        split -= 1
    owner: Any = None
    value: Any = sys.modules.get(".".join(parts[:split]))
    for part in parts[split:]:
        owner, value = value, getattr(value, part, None)
    # torch.library.custom_op puts this wrapper in place of the function.
    value = getattr(value, "_opoverload", value)
    if isinstance(value, OpOverload):
        return SplittingOps(packets=frozenset({value._schema.name}))
    if isinstance(value, OpOverloadPacket):
        return SplittingOps(packets=frozenset({value._qualified_op_name}))
    if isinstance(owner, type) and issubclass(owner, torch.Tensor):
        return SplittingOps(methods=_tensor_method(parts[-1]))
    return SplittingOps((value,)) if _is_function(value) else SplittingOps()


def _is_function(value: object) -> bool:
    return isinstance(value, HigherOrderOperator) or (
        callable(value) and not isinstance(value, type)
    )


def _tensor_method(name: str) -> frozenset[str]:
    is_method = callable(getattr(torch.Tensor, name, None))
    return frozenset({name}) if is_method else frozenset()


def _registered_names() -> list[str]:
    return list(torch._C._dispatch_get_all_op_names())


def _unknown(name: str) -> str:
    in_ops = _OPS_PATH.fullmatch(name)
    path = f"{in_ops[1]}::{in_ops[2]}" if in_ops else name
    if "::" in path:
        names = set(_registered_names())
        candidates = names | {entry.partition(".")[0] for entry in names}
    else:
        prefix = path.rpartition(".")[0]
        places = [sys.modules.get(prefix)] if prefix else [*_NAMESPACES, torch.Tensor]
        names = {n for place in places if place is not None for n in dir(place)}
        candidates = {f"{prefix}.{n}" if prefix else n for n in names}
    # Not everything that a module holds is an operator.
    close = difflib.get_close_matches(path, sorted(candidates), 4 * _SUGGESTIONS)
    if _resolve(f"torch.{path}") != SplittingOps():
        close.insert(0, f"torch.{path}")
    valid = [other for other in close if _resolve(other) != SplittingOps()]
    hint = f"nearest: {', '.join(map(repr, valid[:_SUGGESTIONS]))}; " if valid else ""
    return f"no operator is called {name!r}; {hint}{_FORMS}"
