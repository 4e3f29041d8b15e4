"""The modules below a graph: which are pieces, and which become functions.

Pieces are called by slot. A GraphModule child becomes a function of its own,
emitted once for all children of equal structure. Both share one numbering, the
order of first use, which is that of `submod_names`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import libcst as cst
import torch
from torch import fx
from torch._ops import HigherOrderOperator
from torch.fx.graph import CodeGen, _PyTreeCodeGen

from astgen.emit.resolve import is_called_otherwise
from astgen.emit.signature import Parameter
from astgen.errors import UnsupportedGraphError

__all__ = ["Children", "Inlined", "fetch", "is_inlinable", "is_operand"]

_HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)

_TAKE_FUNCTIONS = frozenset(
    {
        "associative_scan",
        "cond",
        "flex_attention",
        "map_impl",
        "scan",
        "strict_mode",
        "while_loop",
        "wrap",
        "wrap_with_autocast",
        "wrap_with_set_grad_enabled",
    }
)
"""Higher-order operators that run any function; the others want a GraphModule."""


@dataclass(frozen=True)
class Inlined:
    """A function that a GraphModule child became.

    Attributes:
        function: Its definition.
        parameters: The child's parameters, to bind calls to.
        written: What the definition calls each of them.
        takes_submods: Whether it needs the list of pieces as its last argument.
    """

    function: cst.FunctionDef
    parameters: list[Parameter]
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
        names: Paths of all children that are called, in slot order.
        functions: The definitions, in order.
    """

    prefix: str
    key_of: Callable[[cst.FunctionDef], str]
    names: list[str] = field(default_factory=list)
    functions: list[cst.FunctionDef] = field(default_factory=list)
    _slots: dict[str, int] = field(default_factory=dict)
    _by_path: dict[str, Inlined] = field(default_factory=dict)
    _by_key: dict[str, Inlined] = field(default_factory=dict)

    def slot(self, path: str) -> int:
        """The slot of the child at `path`."""
        if path not in self._slots:
            self._slots[path] = len(self.names)
            self.names.append(path)
        return self._slots[path]

    def inline(self, module: fx.GraphModule, path: str, build: Build) -> Inlined:
        """The function for the GraphModule child at `path`."""
        slot = self.slot(path)
        if path not in self._by_path:
            own = build(module, path, self.prefix, True)
            starred = [one.target for one in own.parameters if one.kind == "keyword"]
            key = "\n".join([self.key_of(own.function), *starred])
            if key not in self._by_key:
                found = build(module, path, f"{self.prefix}{slot}", False)
                self._by_key[key] = found
                self.functions.append(found.function)
            # Callers of this child know its own inputs, not those of its equals.
            shared = self._by_key[key]
            self._by_path[path] = replace(shared, parameters=own.parameters)
        return self._by_path[path]


def fetch(root: torch.nn.Module, node: fx.Node) -> Any:
    """What a `get_attr` or `call_module` node refers to.

    Raises:
        UnsupportedGraphError: There is nothing at the target.
    """
    value: Any = root
    for name in str(node.target).split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            raise UnsupportedGraphError(
                f"{node.target!r} is no attribute of the module; add it, or erase "
                "the node",
                node,
            ) from None
        except Exception as error:
            raise UnsupportedGraphError(
                f"reading {node.target!r} of the module raises a "
                f"{type(error).__name__}; make it a plain attribute",
                node,
            ) from error
    return value


def is_inlinable(module: object) -> bool:
    """Whether running a module means running its graph, and a function can do it.

    Arguments are given by position, the pieces last: `**kwargs` cannot be passed
    on, nor `*args` to a function that needs the pieces.
    """
    if (
        not isinstance(module, fx.GraphModule)
        or "forward" in module.__dict__
        or any(getattr(module, hooks, None) for hooks in _HOOKS)
        or type(module.graph._codegen) not in (CodeGen, _PyTreeCodeGen)
        or is_called_otherwise(type(module))
    ):
        return False
    stars = [
        str(node.target)
        for node in module.graph.nodes
        if node.op == "placeholder" and str(node.target).startswith("*")
    ]
    if any(target.startswith("**") for target in stars):
        return False
    return not (stars and _calls_pieces(module))


def _calls_pieces(module: fx.GraphModule) -> bool:
    for node in module.graph.nodes:
        if node.op == "call_module":
            child = fetch(module, node)
            if not isinstance(child, fx.GraphModule):
                return True
            if is_inlinable(child) and _calls_pieces(child):
                return True
    return False


def is_operand(node: fx.Node) -> bool:
    """Whether a GraphModule is only handed to operators that run any function."""
    return all(
        isinstance(user.target, HigherOrderOperator)
        and user.target.__name__ in _TAKE_FUNCTIONS
        for user in node.users
    )
