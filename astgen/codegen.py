"""The functions of `vllm.compilation.codegen`, with its names, arguments and results.

A backend that calls vLLM's generator (as of vLLM 0.32) runs on astgen by changing
the import.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
from torch import fx
from torch._dynamo.utils import dynamo_timed

from astgen.check import DEFAULT_DIALECT
from astgen.emit import Arguments, Constants, Emitted, Targets, emit
from astgen.emit.nodes import slot_of
from astgen.emit.render import render
from astgen.execution import compile_execution_fn, vouch
from astgen.garbage import paused

__all__ = [
    "compile_execution_fn",
    "generate_execution_code",
    "generate_execution_code_with_name",
]


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
        vouch(emitted.code, foreign)
    return emitted.code, emitted.submod_names, emitted.consts
