"""Texts of graphs that tempt a generator to depend on the process it runs in.

`python -m support.seeds` prints a digest of each, for a test to compare.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

import astgen
from support.graphs import carry, chain, graph, module
from support.things import Colour, Config, Doubler, Level, Permission, Touchy, scale

__all__ = ["GRAPHS", "digests"]

aten = torch.ops.aten


def _words() -> set[str]:
    return set("alpha beta gamma delta epsilon".split())


def _strings() -> fx.GraphModule:
    return carry(frozenset(_words()), _words(), {word: 1 for word in sorted(_words())})


def _members() -> fx.GraphModule:
    return carry(Colour.RED, Level.LOW, Permission.R | Permission.W, torch.float16)


def _objects() -> fx.GraphModule:
    return carry(Config(1, "a"), Touchy(), object(), lambda: 0, torch.device("cpu"), 2j)


def _children() -> fx.GraphModule:
    children = {
        f"c{i}": chain(torch.neg, torch.relu, scale, Doubler.apply) for i in range(5)
    }
    children["other"] = chain(torch.sin, aten.cos.default)

    def body(g: fx.Graph, x: fx.Node) -> Any:
        for name in children:
            x = g.call_module(name, (x,))
        return x

    return graph(body, "x", root=module(**children))


def _helpers() -> fx.GraphModule:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        names = ("shape", "dtype", "is_leaf", "names")
        read = [g.call_function(getattr, (x, name)) for name in names]
        drawn = g.call_function(getattr(aten.random_, "from"), (x, 3, 4))
        return read, drawn, g.call_method("numpy", (x,)), {"a b": x}

    return graph(body, "x")


GRAPHS: dict[str, Callable[[], fx.GraphModule]] = {
    "strings": _strings,
    "members": _members,
    "objects": _objects,
    "children": _children,
    "helpers": _helpers,
}


def digests() -> list[str]:
    """One line a graph: its name, a digest of the text, the number of constants."""
    lines = []
    for name, make in GRAPHS.items():
        program = astgen.generate(make())
        text = program.code.encode("utf-8", "surrogatepass")
        names = ",".join(program.submod_names)
        digest = hashlib.sha256(text).hexdigest()
        lines.append(f"{name} {digest} {len(program.consts)} {names}")
    return lines


if __name__ == "__main__":
    print("\n".join(digests()))
