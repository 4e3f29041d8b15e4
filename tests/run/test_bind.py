"""What does not fit is refused before the first call, by name."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from functools import partial

import pytest
import torch
from support.fresh import where_calls_hand_over
from support.graphs import graph, module
from torch import fx

import astgen
from astgen.codegen import compile_execution_fn
from astgen.errors import BindError, InvalidProgramError


def pieces_graph(*names: str) -> fx.GraphModule:
    """A graph that calls pieces one after another."""
    graph = fx.Graph()
    value = graph.placeholder("x")
    for name in names:
        value = graph.call_module(name, (value,))
    graph.output(value)
    return fx.GraphModule({name: torch.nn.Identity() for name in names}, graph)


def test_a_piece_without_a_callable_is_named() -> None:
    program = astgen.generate(pieces_graph("first", "second", "third"))
    with pytest.raises(BindError, match="'first', 'third'") as caught:
        program.compile({"second": torch.nn.Identity()})
    assert caught.value.missing == ("first", "third")


def test_a_piece_that_cannot_be_called_is_named() -> None:
    program = astgen.generate(pieces_graph("first", "second"))
    with pytest.raises(BindError, match="'second' cannot be called"):
        program.compile({"first": torch.nn.Identity(), "second": 3})


def test_an_inlined_piece_needs_no_callable() -> None:
    inner = pieces_graph("deep")
    graph = fx.Graph()
    graph.output(graph.call_module("inner", (graph.placeholder("x"),)))
    program = astgen.generate(fx.GraphModule({"inner": inner}, graph))
    assert program.submod_names == ("inner", "inner.deep")
    function = program.compile({"inner.deep": torch.neg})
    assert torch.equal(function(torch.ones(1)), -torch.ones(1))


def test_a_missing_operator_is_named() -> None:
    code = (
        "import torch\n\n\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.ops.vllm.no_such_operator(x)\n"
    )
    with pytest.raises(BindError, match="torch.ops.vllm.no_such_operator"):
        compile_execution_fn(code, {}, [])


def test_an_attribute_of_a_foreign_operator_is_no_operator() -> None:
    library = torch.library.Library("vllm", "FRAGMENT")
    library.define("astgen_bind(Tensor x) -> Tensor")
    library.impl("astgen_bind", lambda x: x, "CompositeExplicitAutograd")
    code = (
        "import torch\n\n\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.ops.vllm.astgen_bind.{}(x)\n"
    )
    assert callable(compile_execution_fn(code.format("default"), {}, []))
    with pytest.raises(BindError, match="astgen_bind.redispatch"):
        compile_execution_fn(code.format("redispatch"), {}, [])


def test_slots_that_do_not_match_the_text_are_refused() -> None:
    program = astgen.generate(pieces_graph("first"))
    with pytest.raises(InvalidProgramError) as caught:
        compile_execution_fn(program.code, {"first": torch.neg}, [], program.consts)
    assert [finding.rule for finding in caught.value.findings] == ["AG401"]


def test_constants_that_do_not_match_the_text_are_refused() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.full_like, (x, float("inf"))))
    program = astgen.generate(fx.GraphModule(torch.nn.Module(), graph))
    for consts in ([], None):
        with pytest.raises(InvalidProgramError) as caught:
            compile_execution_fn(program.code, {}, [], consts)
        assert [finding.rule for finding in caught.value.findings] == ["AG301"]


@where_calls_hand_over
def test_the_bound_function_lets_go_of_its_inputs() -> None:
    alive: list[bool] = []

    class Watch(torch.nn.Module):
        def forward(self, seen: list[weakref.ref]) -> list[weakref.ref]:
            gc.collect()
            alive.append(seen[0]() is not None)
            return seen

    graph = fx.Graph()
    x, seen = graph.placeholder("x"), graph.placeholder("seen")
    total = graph.call_function(torch.sum, (x,))
    graph.output((total, graph.call_module("watch", (seen,))))
    module = fx.GraphModule({"watch": Watch()}, graph)
    function = astgen.generate(module).compile({"watch": module.watch})
    seen_refs: list[weakref.ref] = []

    def tensor() -> torch.Tensor:
        made = torch.ones(2)
        seen_refs[:] = [weakref.ref(made)]
        return made

    function(tensor(), seen_refs)
    assert alive == [False]
    assert not isinstance(function, partial)


def test_only_the_allowed_builtins_are_there() -> None:
    function = astgen.generate(pieces_graph("first")).compile({"first": torch.neg})
    builtins = set(function.__globals__["__builtins__"])
    # C code looks `__import__` up in the frame that called it; text cannot name it.
    assert builtins == {"range", "slice", "__import__"}


FIRST_USE = """
import torch
from astgen.codegen import compile_execution_fn

code = '''import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    full = torch.full([2, 2], 1.0)
    where = torch.where(operator.gt(x, 0), x, 1.0)
    picked = operator.getitem(x, [0])
    scaled = torch.addmm(x, x, x, beta=0.2, alpha=0.6)
    return (full, where, picked, scaled)
'''
function = compile_execution_fn(code, {}, [], [])
x = torch.ones(2, 2)
found = function(x)
expected = (
    torch.full([2, 2], 1.0),
    torch.where(x > 0, x, 1.0),
    x[[0]],
    torch.addmm(x, x, x, beta=0.2, alpha=0.6),
)
assert all(map(torch.equal, found, expected))
from torch._subclasses import FakeTensorMode
with FakeTensorMode() as mode:
    assert function(mode.from_tensor(x))[0].shape == (2, 2)
print("equal")
"""


def test_operators_that_import_on_first_use_work_in_a_fresh_process() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FIRST_USE], capture_output=True, text=True
    )
    assert ran.stdout.strip() == "equal", ran.stderr


def test_two_functions_of_one_program_have_their_own_pieces() -> None:
    program = astgen.generate(pieces_graph("first"))
    negate, double = (
        program.compile({"first": piece}) for piece in (torch.neg, lambda x: x * 2)
    )
    assert negate(torch.ones(1)).item() == -1
    assert double(torch.ones(1)).item() == 2


def test_pieces_may_come_in_a_module_dict() -> None:
    program = astgen.generate(pieces_graph("first"))
    pieces = torch.nn.ModuleDict({"first": torch.nn.ReLU()})
    assert program.compile(pieces)(torch.tensor([-1.0])).item() == 0


@pytest.mark.parametrize("pieces", [3, torch.nn.Identity()])
def test_pieces_that_are_no_mapping_are_refused(pieces: object) -> None:
    program = astgen.generate(pieces_graph("first"))
    with pytest.raises(BindError, match="by name"):
        program.compile(pieces)


@pytest.mark.parametrize("code", [None, b"import torch", 3])
def test_code_that_is_no_text_is_refused(code: object) -> None:
    with pytest.raises(InvalidProgramError, match="not text"):
        compile_execution_fn(code, {}, [], [])


def stitched_children() -> fx.GraphModule:
    """A graph that calls the piece `one`, and twice a child that calls another child."""
    piece = torch.nn.Identity()
    inner = graph(lambda g, x: g.call_function(torch.neg, (x,)), "x")
    child = graph(
        lambda g, x: g.call_module("inner", (x,)), "x", root=module(inner=inner)
    )
    last = graph(lambda g, x: g.call_module("p", (x,)), "x", root=module(p=piece))

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        for name in ("one", "child", "child", "last"):
            x = g.call_module(name, (x,))
        return x

    root = module(one=piece, child=child, last=last)
    return graph(body, "x", root=root)


@pytest.mark.parametrize("make", [lambda: pieces_graph("one"), stitched_children])
def test_a_piece_dies_with_the_function(make: Callable[[], fx.GraphModule]) -> None:
    class Piece(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

    piece: torch.nn.Module | None = Piece()
    function = astgen.generate(make()).compile({"one": piece, "last.p": piece})
    assert function(torch.tensor(2)) == 2
    died = weakref.ref(piece)
    del piece
    assert died() is not None
    gc.disable()
    try:
        del function
        assert died() is None
    finally:
        gc.enable()


def test_other_pieces_in_a_call_are_not_asked() -> None:
    function = astgen.generate(pieces_graph("one")).compile({"one": torch.neg})
    assert function(torch.tensor(2), __vllm_submods__=[torch.abs]) == -2
