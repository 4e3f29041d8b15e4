"""What decides the result of compiling a graph, as a document that people can read.

The key of an entry is the digest of its ingredients. They hold no path, no address and
no name that only this process knows; what is missing in them must not matter.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

import astgen
from astgen.backend.cache.leaves import Leaves, Uncacheable
from astgen.backend.cache.spelling import Speller
from astgen.backend.operators import resolve_operators
from astgen.backend.options import BackendOptions
from astgen.metadata import value_of
from astgen.store.facts import current_environment
from astgen.store.notation import write_json

__all__ = ["Request", "key_of", "request_for"]

_FORMAT = 1
_FLAGS = (
    torch.is_grad_enabled,
    torch.is_inference_mode_enabled,
    torch.is_autocast_cache_enabled,
    torch.get_default_dtype,
    torch.get_float32_matmul_precision,
    torch.get_num_threads,
    torch.are_deterministic_algorithms_enabled,
    torch.is_deterministic_algorithms_warn_only_enabled,
)


@dataclass(frozen=True)
class Request:
    """A graph that is looked for in the cache.

    Attributes:
        key: The digest of the ingredients.
        ingredients: What decides the result.
        leaves: What the graph refers to, for programs to be bound to.
        methods: The methods that the graph calls.
        symints: The sizes among its inputs, if they are all that its shapes are
            made of; None if they are not.
        environment: The shape environment of the sizes, None if there are none.
    """

    key: str
    ingredients: Mapping[str, Any]
    leaves: Leaves
    methods: frozenset[str]
    symints: tuple[torch.SymInt, ...] | None
    environment: Any


def key_of(ingredients: Mapping[str, Any]) -> str:
    """The key of ingredients."""
    return hashlib.sha256(write_json(ingredients)).hexdigest()


def request_for(gm: fx.GraphModule, options: BackendOptions) -> Request:
    """What a graph, compiled with these options, is found by.

    Args:
        gm: The graph, as Dynamo hands it to a backend; it is not changed.
        options: The options; where the cache is does not count.

    Returns:
        The request.

    Raises:
        Uncacheable: The graph refers to something that only this process knows.
    """
    speller = Speller()
    lines = list(speller.lines(gm))
    ops = resolve_operators(options.splitting_ops)
    splits = [i for i, node in enumerate(gm.graph.nodes) if ops.matches(node)]
    here = current_environment()
    ingredients: dict[str, Any] = {
        "graph": lines,
        "constants": speller.leaves.described(),
        "operators": speller.leaves.operators,
        "options": {"pieces": options.pieces, "splits at": splits},
        "versions": {
            "astgen": astgen.__version__,
            "cache": str(_FORMAT),
            "python": here["python"],
            "torch": here["torch"],
        },
        "devices": {kind: _architecture(kind) for kind in sorted(speller.devices)},
    }
    if options.provenance:
        # What was stored without it cannot give it.
        ingredients["options"]["provenance"] = True
    if options.pieces == "inductor":
        ingredients["compiler"] = _compiler(gm, speller)
    values = [value_of(node) for node in gm.graph.find_nodes(op="placeholder")]
    symints = tuple(value for value in values if isinstance(value, torch.SymInt))
    known = {str(one.node.expr) for one in symints}
    environments = list(speller.environments.values())
    are_enough = len(environments) <= 1 and {*map(str, speller.symbols)} <= known
    return Request(
        key_of(ingredients),
        ingredients,
        speller.leaves,
        frozenset(speller.methods),
        symints if are_enough else None,
        environments[0] if environments else None,
    )


def _architecture(kind: str) -> str:
    if kind == "cpu":
        return platform.machine()
    if kind == "cuda":
        if torch.version.hip is not None:
            return f"hip {torch.cuda.get_device_properties().gcnArchName}"
        return "cuda sm_{}{}".format(*torch.cuda.get_device_capability())
    if kind == "meta":
        return ""
    properties = torch.get_device_module(kind).get_device_properties()
    return str(getattr(properties, "name", ""))


def _compiler(gm: fx.GraphModule, speller: Speller) -> dict[str, Any]:
    """What inductor looks at beside the graph."""
    modes = {flag.__name__: str(flag()) for flag in _FLAGS}
    for kind in sorted({*speller.devices} & {"cpu", "cuda", "xpu", "mps"}):
        on = torch.is_autocast_enabled(kind)
        modes[f"autocast {kind}"] = f"{on} {torch.get_autocast_dtype(kind)}"
    ranges = {
        number: str(speller.environments[id(env)].var_to_range.get(symbol))
        for symbol, number in speller.symbols.items()
        for env in speller.environments.values()
    }
    return {
        "modes": modes,
        "capability": torch.backends.cpu.get_cpu_capability(),
        "cuda": _cuda(),
        "ranges": ranges,
        "shared memory": _sharing(gm),
        "inductor": _config(torch._inductor.config),
        "functorch": _config(torch._functorch.config),
    }


def _cuda() -> dict[str, str]:
    flags: Any = torch.backends.cuda.matmul
    return {
        "cuda": str(torch.version.cuda or torch.version.hip),
        "tf32": str(flags.allow_tf32),
        "fp16 reduction": str(flags.allow_fp16_reduced_precision_reduction),
        "bf16 reduction": str(flags.allow_bf16_reduced_precision_reduction),
        "cudnn tf32": str(torch.backends.cudnn.allow_tf32),
    }


def _sharing(gm: fx.GraphModule) -> list[int]:
    """For each input the first one whose memory it shares; -1 for what has none."""
    first: dict[int, int] = {}
    shared = []
    for place, node in enumerate(gm.graph.find_nodes(op="placeholder")):
        value = value_of(node)
        storage = -1
        if isinstance(value, torch.Tensor) and value.layout is torch.strided:
            cdata = value.untyped_storage()._cdata
            storage = first.setdefault(cdata, place)
        shared.append(storage)
    return shared


def _config(module: Any) -> dict[str, str]:
    return {name: _said(name, v) for name, v in module.save_config_portable().items()}


def _said(name: str, value: Any) -> str:
    uuid = getattr(value, "uuid", None)
    text = repr(uuid()) if callable(uuid) else repr(value)
    if " at 0x" in text:
        raise Uncacheable(
            f"the setting {name!r} of the compiler is an object that has no `uuid()`"
        )
    return text
