"""Operators whose names lead to something else where operators are looked up."""

from __future__ import annotations

import torch
from torch import fx
from torch._ops import OpOverload

import astgen


def test_an_overload_that_its_name_does_not_lead_to() -> None:
    known = torch.ops.aten.neg.default
    # As of an overload that is called like an attribute of packets (`foo.op`).
    other = OpOverload(
        torch.ops.aten.neg, known._op, known._op_dk, known._schema, known._tags
    )
    graph = fx.Graph()
    graph.output(graph.call_function(other, (graph.placeholder("x"),)))
    module = fx.GraphModule(torch.nn.Module(), graph)
    program = astgen.generate(module)
    assert program.consts == [other] and program.consts[0] is other
    x = torch.tensor(7)
    assert program.compile()(x) == fx.Interpreter(module).run(x) == -7
