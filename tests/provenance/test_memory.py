"""Values share a storage if, and only if, they do when the graph runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.captured import capture
from support.compare import tensors_in
from torch import fx

import astgen
from astgen.provenance import Provenance, read_provenance
from astgen.provenance.model import Value
from astgen.provenance.sizes import evaluate


def views(x: torch.Tensor) -> Any:
    flat = x.view(-1)
    part = x[1:]
    turned = part.t()
    wide = x[:1].expand(7, -1)
    strided = x.as_strided((2, 2), (1, 2))
    return flat + 1, turned.contiguous(), wide.sum(), strided, x.unsqueeze(0).squeeze(0)


def parts(x: torch.Tensor) -> Any:
    left, right = x.chunk(2)
    first, *rest = x.split(1)
    one, other = x.unbind()[:2]
    return left * right, first, rest[0] + one, other


def in_place(x: torch.Tensor) -> Any:
    y = x + 1
    z = y.mul_(2)
    y[0].add_(1)
    x.copy_(z)
    return y, torch.relu_(z.view(-1))


def nothing_to_do(x: torch.Tensor) -> Any:
    same = x.to(torch.float32)
    still = x.contiguous()
    other = x.to(torch.float64)
    flat = x.reshape(-1)
    copied = x.t().reshape(-1)
    return same, still, other, flat + 1, copied, x.detach(), x.clone()


def aliases(x: torch.Tensor, y: torch.Tensor) -> Any:
    return x, y, x, (y.view(-1), [x.t()])


def many(x: torch.Tensor) -> Any:
    values, places = x.sort()
    low, high = torch.aminmax(values)
    packed = torch.stack([values, values])
    return packed.unbind()[1], places, low, high, torch.broadcast_tensors(x, x[:1])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one for one in (views, parts, in_place, nothing_to_do, aliases, many)
}


class Keeping(fx.Interpreter):
    """Keeps all values alive, so that no memory is used again."""

    def __init__(self, gm: fx.GraphModule) -> None:
        super().__init__(gm, garbage_collect_values=False)
        self.kept: dict[str, Any] = {}

    def run_node(self, n: fx.Node) -> Any:
        self.kept[n.name] = super().run_node(n)
        return self.kept[n.name]


def said(gm: fx.GraphModule) -> tuple[Provenance, dict[str, Value]]:
    """The provenance, and the values of nodes that it knows, by name."""
    program = astgen.generate(gm, provenance=True)
    assert program.provenance is not None
    known = read_provenance(program.provenance)
    entry = known.functions["execution_fn"]
    found = {
        one.node: one.value
        for one in entry.statements
        if one is not None and one.value is not None
    }
    tree = ast.parse(program.code).body[-1]
    assert isinstance(tree, ast.FunctionDef)
    inputs = zip(tree.args.args, gm.graph.find_nodes(op="placeholder"))
    for parameter, node in inputs:
        if parameter.arg in entry.parameters:
            found[node.name] = entry.parameters[parameter.arg]
    return known, found


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_storages_are_equal_where_memory_is(name: str, dynamic: bool) -> None:
    function = FUNCTIONS[name]
    given = [torch.randn(4, 6) for _ in range(function.__code__.co_argcount)]
    gm, inputs = capture(function, *given, dynamic=dynamic)
    known, values = said(gm)
    run = Keeping(gm)
    run.run(*inputs)
    symbols = {one.name: one.hint for one in known.symbols.values()}
    of: dict[int, int] = {}
    counted = 0
    for node, value in values.items():
        memory = [one.untyped_storage() for one in tensors_in(run.kept[node])]
        pointers = list(dict.fromkeys(one.data_ptr() for one in memory))
        assert len(pointers) == len(value.storages), node
        counted += len(pointers)
        for pointer, place in zip(pointers, value.storages):
            assert of.setdefault(pointer, place) == place, node
        for one in memory:
            size = evaluate(known.storages[of[one.data_ptr()]].size, symbols)
            assert size == one.nbytes() or (dynamic and size is None), node
    assert len(set(of.values())) == len(of), "two memories have one storage"
    assert counted > 3
