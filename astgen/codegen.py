"""The functions of `vllm.compilation.codegen`, with its names, arguments and results.

A backend that calls vLLM's generator (as of vLLM 0.32) runs on astgen by changing
the import.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import libcst as cst
from torch import fx
from torch._dynamo.utils import dynamo_timed
from torch._logging import trace_structured  # type: ignore[attr-defined]

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.emit import Arguments, Constants, Emitted, Targets, emit, render
from astgen.emit.nodes import slot_of
from astgen.garbage import paused
from astgen.run import load, require_text

__all__ = [
    "compile_execution_fn",
    "generate_execution_code",
    "generate_execution_code_with_name",
]

_vouched: dict[bytes, frozenset[str]] = {}
"""Operator namespaces of texts that this process generated, by digest of the text.

Text and dialect travel apart here. A graph is its caller's own, so its operators
are allowed in the text that was made of it, and in no other.
"""


@dynamo_timed("vllm.generate_execution_code")
def generate_execution_code(
    split_gm: fx.GraphModule,
) -> tuple[str, list[str], list[Any]]:
    """Generate the source of a stitching graph.

    Args:
        split_gm: The split graph; GraphModule children are inlined.

    Returns:
        The source text, the names of the pieces in slot order, and the constants
        in slot order.

    Raises:
        UnsupportedGraphError: The graph cannot be expressed (a `RuntimeError`).
    """
    with paused():
        # The tree dies in there: the collector would look at all of it once more.
        return _parts(emit(split_gm))


def generate_execution_code_with_name(
    split_gm: fx.GraphModule,
    fn_name: str,
    with_submod: bool,
    consts: list[Any] | None = None,
    const_index: dict[int, int] | None = None,
) -> tuple[str, list[str], list[Any]]:
    """Generate one function, without the imports.

    Args:
        split_gm: The graph.
        fn_name: The function's name.
        with_submod: Whether it takes the pieces; else a graph that calls one is
            refused.
        consts: Constants that are already in slots; appended to in place.
        const_index: Slot by `id` of the constant; kept up to date in place.

    Returns:
        As `generate_execution_code`.

    Raises:
        UnsupportedGraphError: The graph cannot be expressed, or calls a piece
            that it does not take (a `RuntimeError`).
    """
    return _parts(
        emit(
            split_gm,
            fn_name,
            constants=Constants(consts, const_index),
            entry=with_submod,
            imports=False,
        )
    )


@dynamo_timed("vllm.compile_execution_fn")
def compile_execution_fn(
    code: str,
    submod_callables: Mapping[str, Callable[..., Any]],
    submod_names: Sequence[str],
    consts: list[Any] | None = None,
    *,
    dialect: Dialect = DEFAULT_DIALECT,
) -> Callable[..., Any]:
    """Check a program, compile it and bind its pieces.

    Args:
        code: The source text, from here or from a cache.
        submod_callables: A callable for each piece that is called by slot.
        submod_names: The pieces' names in slot order.
        consts: The constants; None for text from before there were any.
        dialect: Names and operator namespaces that the text may use.

    Returns:
        A plain function of the graph's inputs. Its pieces are bound: other ones that
        a call passes as `__vllm_submods__` are not asked.

    Raises:
        InvalidProgramError: The checker refused the text; nothing was executed.
        BindError: A piece has no callable, or an operator is missing here.
    """
    require_text(code)
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": "vllm_execution_code", "encoding": "string"},
        # A lone surrogate is refused below, and must not break the trace before.
        payload_fn=lambda: code.encode("utf-8", "backslashreplace").decode(),
    )
    own = _vouched.get(_digest(code)) if _vouched else None
    if own is not None:
        dialect = replace(dialect, namespaces=dialect.namespaces | own)
    return load(code, submod_callables, submod_names, consts, dialect)


def _node_ref(arg: Any, consts: list[Any], const_index: dict[int, int]) -> str:
    """Spell one argument as vLLM's function of this name does, quotes of `repr`
    included; the generated module spells strings as black does."""
    constants = Constants(consts, const_index)
    names: dict[fx.Node, cst.BaseExpression] = {}

    def name(node: fx.Node) -> fx.Node:
        names[node] = cst.Name(node.name)
        return node

    fx.node.map_arg(arg, name)
    targets = Targets(constants, lambda slot: slot_of(DEFAULT_DIALECT.consts, slot))
    return render(Arguments(constants, targets, names, quote=repr).spell(arg))


def _parts(emitted: Emitted) -> tuple[str, list[str], list[Any]]:
    foreign = emitted.dialect.namespaces - DEFAULT_DIALECT.namespaces
    if foreign:
        _vouched[_digest(emitted.code)] = foreign
    return emitted.code, emitted.submod_names, emitted.consts


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()
