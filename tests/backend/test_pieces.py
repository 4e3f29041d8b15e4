"""Single pieces: which are compiled, and by what."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from support.compare import assert_same
from torch import fx

from astgen.backend.pieces import CompiledPiece, compile_piece, is_worth_compiling
from astgen.errors import BackendError


def test_an_eager_piece_is_a_generated_function(capture):
    captured = capture(lambda x: (x.sin() + 1, [x]), torch.randn(3))
    function = compile_piece(captured.gm, "eager")
    assert function.__code__.co_filename != __file__
    assert_same(
        function(*captured.args), fx.Interpreter(captured.gm).run(*captured.args)
    )


def test_an_eager_piece_may_hold_modules():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    gm = fx.symbolic_trace(model)
    assert gm.graph.find_nodes(op="call_module", target="0")
    x = torch.randn(2, 3)
    assert_same(compile_piece(gm, "eager")(x), model(x))


def test_inductor_leaves_the_piece_as_it_is(capture):
    captured = capture(lambda x: (x * 2).sum(-1) + 1, torch.randn(3, 4), dynamic=True)
    before = str(captured.gm.graph)
    function = compile_piece(captured.gm, "inductor")
    assert str(captured.gm.graph) == before
    for args in (captured.args, (2, 5, torch.randn(2, 5))):
        (expected,) = fx.Interpreter(captured.gm).run(*args)
        (actual,) = function(*args)
        torch.testing.assert_close(actual, expected)


def test_inductor_asks_for_example_values():
    gm = fx.symbolic_trace(lambda x: x * 2)
    with pytest.raises(BackendError, match="'x' has no example value.*pieces='eager'"):
        compile_piece(gm, "inductor")


def test_a_piece_that_makes_no_tensor_is_not_worth_compiling(capture):
    def numbers(graph: fx.Graph) -> None:
        x = graph.placeholder("x")
        size = graph.call_function(torch.ops.aten.sym_size.int, (x, 0))
        size.meta["example_value"] = 3
        graph.output((size,))

    def mutation(graph: fx.Graph) -> None:
        graph.call_method("add_", (graph.placeholder("x"), 1))
        graph.output(())

    def nothing(graph: fx.Graph) -> None:
        graph.output((graph.placeholder("x"),))

    for build in (numbers, mutation, nothing):
        build(graph := fx.Graph())
        assert not is_worth_compiling(fx.GraphModule({}, graph)), build.__name__
    assert is_worth_compiling(capture(F.relu, torch.randn(3)).gm)
    assert is_worth_compiling(fx.symbolic_trace(F.relu))


def test_a_compiled_piece_runs_as_a_module():
    piece = CompiledPiece(lambda x, y: (x + y,))
    assert piece(1, 2) == (3,)
    assert not isinstance(piece, fx.GraphModule)
