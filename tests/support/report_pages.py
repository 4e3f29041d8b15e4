"""Programs with provenance for reports, made without torch."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from astgen.lint.subject import Constant
from astgen.provenance.model import (
    FunctionOrigins,
    Interval,
    Origin,
    PieceOrigins,
    Provenance,
    Source,
    Storage,
    Symbol,
    Value,
)
from astgen.review.programs import ReadProgram
from astgen.review.report import Report, Shown, report

__all__ = [
    "DECODER",
    "HOSTILE",
    "MARKUP",
    "hostile",
    "layered",
    "programs_of",
    "shown",
    "statements_of",
]

DECODER = Path(__file__).resolve().parent.parent / "review" / "data" / "decoder.txt"
"""What `astgen compile` wrote for the built-in model."""

MARKUP = (
    "</script><img src=x onerror=window.pwned=1><script>window.pwned=1</script><!--"
)
HOSTILE = f"{MARKUP}\u2028\u2029\u202e\x00\x1b[31m\ud800&amp;\"'"
"""Markup, line separators, a turn of the direction, controls, half a character."""

_DATA = re.compile(r'<script type="application/json" class="program">(.*?)</script>')


def layered(
    layers: int, *, odd: Collection[int] = (), late: Collection[int] = ()
) -> ReadProgram:
    """A program of layers: a piece, an operator, and a sum with what came in.

    Args:
        layers: How many.
        odd: Layers that multiply where others add.
        late: Layers that keep the value of their piece.
    """
    weights = [
        f"l_self_modules_layers_modules_{i}_parameters_w_" for i in range(layers)
    ]
    lines = ["import torch", "import operator", "", ""]
    lines.append(
        f"def execution_fn(s72, x0, {', '.join(weights)}, *, __vllm_submods__):"
    )
    origins: list[Origin | None] = []
    storages = [Storage(("*", 256, "s72"))]
    storages += [Storage(4096, weight) for weight in weights]

    def add(line: str, node: str, module: str, *sizes: Any) -> None:
        places = tuple(range(len(storages), len(storages) + len(sizes)))
        storages.extend(map(Storage, sizes))
        lines.append(f"    {line}")
        source = Source("model.py", 10 + len(places), "forward", f"{node} = ...")
        value = Value("f32[s72, 64]", places)
        origins.append(Origin(node, value, module, source) if node else None)

    for i in range(layers):
        name, path = "mul" if i in odd else "add", f"layers.{i}"
        a, b, x, w = f"a{i}", f"b{i}", f"x{i}", weights[i]
        call = f"{a} = __vllm_submods__[{i}]({x}, {w})"
        add(call, a, f"{path}.attn", ("*", ("+", "s72", 1), 128))
        held = f"b{i} = {a}.to(__vllm_consts__[0])"
        add(held, b, f"{path}.mlp", ("//", ("*", "s72", 600), 7))
        if i not in late:
            add(f"del {a}", "", "")
        size = ("max", ("*", 256, "s72"), 4096)
        add(
            f"x{i + 1} = torch.ops.aten.{name}.Tensor({b}, {x})",
            f"x{i + 1}",
            path,
            size,
        )
        add(f"del {b}, {x}", "", "")
    lines.append(f"    return x{layers}")
    origins.append(None)
    parameters = {"x0": Value("f32[s72, 64]", (0,)), "s72": Value("Sym(s72)")}
    parameters |= {w: Value("f32[32, 32]", (i + 1,)) for i, w in enumerate(weights)}
    memory = (Interval(("*", 64, "s72"), 0, 2), Interval(1000, 1, 3))
    provenance = Provenance(
        {"s72": Symbol("s72", 16, 2, 4096)},
        tuple(storages),
        {"execution_fn": FunctionOrigins("", parameters, tuple(origins))},
        {f"layer_{i}": PieceOrigins(7, memory, "same") for i in range(layers)},
    )
    return ReadProgram(
        "\n".join(lines) + "\n",
        tuple(f"layer_{i}" for i in range(layers)),
        (Constant("torch.dtype", "torch.bfloat16", "bf16"),),
        provenance=provenance,
    )


def hostile() -> ReadProgram:
    """A program in which everything is named to do harm."""
    text = MARKUP.replace('"', "")
    long = "a" * 5000
    code = (
        "import torch\nimport operator\n\n\n"
        f"def execution_fn(x, {long}, __proto__, constructor, *, __vllm_submods__):\n"
        f"    # {text} \u202e\n"
        f'    y = __vllm_submods__[0](x, "{text}\u202e\u2028", {long}, '
        "__vllm_consts__[0])\n"
        "    toString = torch.add(y, __proto__)\n"
        "    del y\n"
        "    hasOwnProperty = __vllm_submods__[1](toString, constructor)\n"
        "    return hasOwnProperty\n"
    )
    value = Value(HOSTILE, (0,))
    origin = Origin(HOSTILE, value, HOSTILE, Source(HOSTILE, 3, HOSTILE, HOSTILE))
    statements = (origin, origin, None, origin, None)
    provenance = Provenance(
        {"s72": Symbol("s72", 4)},
        (Storage(("*", 4, "s72")),),
        {"execution_fn": FunctionOrigins(HOSTILE, {"x": value}, statements)},
        {HOSTILE: PieceOrigins(3, (Interval(8, 0, 1),), HOSTILE)},
    )
    constant = Constant(HOSTILE, HOSTILE, "key")
    return ReadProgram(
        code, (HOSTILE, "__proto__"), (constant,), HOSTILE, provenance=provenance
    )


def shown(*programs: ReadProgram, name: str = "model.astgen") -> Report:
    """The report of programs."""
    return report(Shown(name, programs))


def programs_of(html: str) -> list[dict[str, Any]]:
    """The data of a page, read as a browser reads it."""
    return [json.loads(found) for found in _DATA.findall(html)]


def statements_of(code: str) -> list[list[ast.stmt]]:
    """The statements of each function of a text."""
    return [
        one.body for one in ast.parse(code).body if isinstance(one, ast.FunctionDef)
    ]
