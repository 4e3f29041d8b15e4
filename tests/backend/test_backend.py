"""Models under `torch.compile`, compared with what they compute without it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from support.compare import assert_same
from torch import fx

from astgen.backend import (
    BackendOptions,
    CompiledGraph,
    astgen_backend,
    compile_graph,
    parse_options,
)


class Attention(torch.nn.Module):
    """A block of a transformer; reads sizes before and behind the attention."""

    def __init__(self, width: int = 16, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.LayerNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norm(x)).split(width, -1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + F.gelu(self.out(y.transpose(1, 2).reshape(x.size())))


class Convolution(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 3, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(3)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(12, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return F.log_softmax(self.mlp(x.flatten(1)), -1)


class Recorder:
    """The backend, keeping the graphs that it compiles."""

    def __init__(self, **options: Any) -> None:
        self.options = parse_options(options)
        self.graphs: list[CompiledGraph] = []

    def __call__(self, gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
        self.graphs.append(compile_graph(gm, self.options))
        return self.graphs[-1].function

    def kinds(self) -> list[str]:
        return [
            "".join("s" if piece.is_splitting else "c" for piece in graph.split.pieces)
            for graph in self.graphs
        ]


MODELS = [
    (Attention, ["scaled_dot_product_attention"], (2, 5, 16), (2, 9, 16), 1),
    (Convolution, ["relu"], (3, 1, 4, 4), (7, 1, 4, 4), 0),
]
BY_NAME = pytest.mark.parametrize(
    "case", MODELS, ids=lambda case: case[0].__name__.lower()
)


@BY_NAME
def test_eager_pieces_are_eager_to_the_bit(case):
    model, ops, shape, _, _ = case
    model = model().eval()
    recorder = Recorder(splitting_ops=ops)
    compiled = torch.compile(model, backend=recorder, fullgraph=True, dynamic=False)
    for _ in range(2):
        x = torch.randn(shape)
        assert_same(compiled(x), model(x))
    (kinds,) = recorder.kinds()
    assert kinds == "csc" or kinds == "cscsc"


@BY_NAME
def test_eager_pieces_take_any_length(case):
    model, ops, *shapes, dim = case
    model = model().eval()
    recorder = Recorder(splitting_ops=ops)
    compiled = torch.compile(model, backend=recorder, fullgraph=True)
    for shape in shapes:
        x = torch.randn(shape)
        torch._dynamo.mark_dynamic(x, dim)
        assert_same(compiled(x), model(x))
    assert len(recorder.graphs) == 1, "recompiled for the second length"


@BY_NAME
def test_inductor_pieces_are_close_to_eager(case):
    model, ops, *shapes, dim = case
    model = model().eval()
    recorder = Recorder(splitting_ops=ops, pieces="inductor")
    compiled = torch.compile(model, backend=recorder, fullgraph=True)
    with torch.no_grad():
        for shape in shapes:
            x = torch.randn(shape)
            torch._dynamo.mark_dynamic(x, dim)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
    assert len(recorder.graphs) == 1, "recompiled for the second length"


def test_everything_dynamic():
    model = Attention().eval()
    compiled = torch.compile(model, backend=astgen_backend, dynamic=True)
    for shape in ((2, 5, 16), (3, 7, 16)):
        x = torch.randn(shape)
        assert_same(compiled(x), model(x))


@pytest.mark.parametrize("pieces", ["eager", "inductor"])
def test_gradients_are_those_of_eager(pieces):
    model = Attention()
    options = {"pieces": pieces}
    compiled = torch.compile(model, backend=astgen_backend, options=options)

    def gradients(function: Callable[..., Any]) -> list[torch.Tensor]:
        x = torch.ones(2, 4, 16, requires_grad=True)
        model.zero_grad()
        function(x).square().sum().backward()
        return [x.grad, *(p.grad.clone() for p in model.parameters())]

    actual, expected = gradients(compiled), gradients(model)
    if pieces == "eager":
        assert_same(actual, expected)
    else:
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


def test_the_backend_is_found_by_its_name():
    if "astgen" not in entry_points(group="torch_dynamo_backends").names:
        pytest.skip("the package is imported from its sources, not installed")
    model = Attention().eval()
    options = {"splitting_ops": ["layer_norm"], "pieces": "eager"}
    compiled = torch.compile(model, backend="astgen", options=options, fullgraph=True)
    x = torch.randn(2, 5, 16)
    assert_same(compiled(x), model(x))


def test_a_graph_break_gives_several_graphs():
    def f(x):
        y = F.softmax(x * 2, -1)
        torch._dynamo.graph_break()
        return y.sin() + x

    recorder = Recorder(splitting_ops=["softmax"])
    x = torch.randn(3, 4)
    assert_same(torch.compile(f, backend=recorder)(x), f(x))
    assert recorder.kinds() == ["cs", "c"]


def test_inputs_are_mutated_as_in_eager():
    def f(x, cache):
        x.add_(1)
        y = F.softmax(x, -1)
        cache[:, 1:3] = y[:, :2]
        cache.mul_(2)
        return F.softmax(cache, -1), cache

    recorder = Recorder(splitting_ops=["softmax"])
    compiled = torch.compile(f, backend=recorder, fullgraph=True)
    inputs = [torch.randn(3, 4), torch.randn(3, 5)]
    expected_inputs = [t.clone() for t in inputs]
    assert_same(compiled(*inputs), f(*expected_inputs))
    assert_same(inputs, expected_inputs)
    assert recorder.kinds() == ["cscs"]


@pytest.mark.parametrize("pieces", ["eager", "inductor"])
def test_pieces_may_share_memory(pieces):
    def f(x):
        y = x * 2
        left, right = y.split(2, -1)
        left.add_(1)
        soft = F.softmax(y, -1)
        right.mul_(soft[:, :2])
        return y, soft + y, right

    recorder = Recorder(splitting_ops=["softmax"], pieces=pieces)
    compiled = torch.compile(f, backend=recorder, fullgraph=True)
    x = torch.randn(3, 4)
    torch.testing.assert_close(compiled(x), f(x))
    assert recorder.kinds() == ["csc"]


def test_modes_of_the_model_reach_its_pieces():
    def f(x, weight):
        with torch.no_grad():
            mask = F.softmax(x * 2, -1) * 3
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = F.softmax(x @ weight, -1) @ weight
        return y * mask, mask

    compiled = torch.compile(f, backend=Recorder(splitting_ops=["softmax"]))
    inputs = torch.randn(3, 4, requires_grad=True), torch.randn(4, 4)
    (actual, mask), expected = compiled(*inputs), f(*inputs)
    assert_same((actual, mask), expected)
    assert actual.requires_grad and not mask.requires_grad
    assert torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")


def test_dropout_draws_the_same_numbers():
    def f(x):
        return F.dropout(F.softmax(F.dropout(x, 0.5), -1) * 2, 0.5)

    compiled = torch.compile(f, backend=Recorder(splitting_ops=["softmax"]))
    x = torch.randn(30, 4)
    torch.manual_seed(1)
    actual = compiled(x)
    torch.manual_seed(1)
    assert_same(actual, f(x))


def test_an_operator_that_writes_into_its_argument():
    @torch.library.custom_op("astgen_backend_test::attend", mutates_args=("out",))
    def attend(q: torch.Tensor, out: torch.Tensor) -> None:
        out.copy_(q.softmax(-1))

    def f(x):
        out = torch.empty_like(x)
        attend(x * 2, out)
        return out + x

    recorder = Recorder(splitting_ops=["astgen_backend_test::attend"])
    x = torch.randn(3, 4)
    assert_same(torch.compile(f, backend=recorder, fullgraph=True)(x), f(x))
    assert recorder.kinds() == ["csc"]
    assert recorder.graphs[0].program.code.count("astgen_backend_test.attend") == 1


def test_results_keep_their_containers():
    def f(x, n):
        y = F.softmax(x, -1)
        return (
            [y, (y + n, n)],
            {"size": y.shape, "same": x, "none": None},
            [*x.unbind()],
        )

    compiled = torch.compile(f, backend=Recorder(splitting_ops=["softmax"]))
    for n in (3, 4, 5):
        x = torch.randn(n, 4)
        assert_same(compiled(x, n), f(x, n))


def test_no_splitting_operators():
    model = Attention().eval()
    recorder = Recorder(splitting_ops=[])
    x = torch.randn(2, 5, 16)
    assert_same(torch.compile(model, backend=recorder)(x), model(x))
    assert recorder.kinds() == ["c"]


def test_a_model_without_tensor_inputs():
    def f():
        return F.softmax(torch.arange(4.0), -1) + 1

    compiled = torch.compile(f, backend=Recorder(splitting_ops=["softmax"]))
    assert_same(compiled(), f())


def test_splitting_pieces_are_inlined_and_others_called():
    recorder = Recorder(splitting_ops=["softmax"])

    def f(x):
        return F.softmax(x * 2, -1) + 1

    torch.compile(f, backend=recorder)(torch.randn(3))
    (graph,) = recorder.graphs
    assert graph.program.submod_names == ("submod_0", "submod_1", "submod_2")
    assert "__vllm_submods__[0](" in graph.program.code
    assert "def __vllm_inlined_submods__1(" in graph.program.code
    assert "__vllm_submods__[2](" in graph.program.code


@pytest.mark.parametrize("pieces", ["eager", "inductor"])
def test_a_piece_that_makes_no_tensor_is_inlined(pieces):
    def f(x, y):
        y.copy_(F.softmax(x, -1))
        return F.softmax(y, -1), x.shape[0] * x.shape[1] + 1

    recorder = Recorder(splitting_ops=["softmax"], pieces=pieces)
    compiled = torch.compile(f, backend=recorder, dynamic=True)
    x, y, expected_y = torch.randn(3, 4), torch.zeros(3, 4), torch.zeros(3, 4)
    assert_same(compiled(x, y), f(x, expected_y))
    assert_same(y, expected_y)
    assert recorder.kinds() == ["scs"]
    assert "__vllm_submods__[" not in recorder.graphs[0].program.code


def test_the_stages_and_the_graph_between_them_are_kept(capture):
    captured = capture(Attention().eval(), torch.randn(2, 5, 16))
    before = str(captured.gm.graph)
    graph = compile_graph(captured.gm, BackendOptions())
    assert str(captured.gm.graph) == before
    assert list(graph.milliseconds) == ["split", "pieces", "generate", "build"]
    assert all(value > 0 for value in graph.milliseconds.values())
    assert graph.program.check() == ()
    expected = fx.Interpreter(captured.gm).run(*captured.args)
    for run in (graph.function, graph.stitching, graph.split.gm):
        assert_same(run(*captured.args), expected)
    called = [n.target for n in graph.stitching.graph.find_nodes(op="call_module")]
    assert called == [piece.name for piece in graph.split.pieces]


def test_what_a_piece_has_used_up_is_freed_before_the_next_one_runs(capture):
    alive: list[bool] = []
    made: list[weakref.ref[torch.Tensor]] = []

    @torch.library.custom_op("astgen_backend_test::probe", mutates_args=())
    def probe(x: torch.Tensor) -> torch.Tensor:
        if made:
            gc.collect()
            alive.append(made[0]() is not None)
        made.append(weakref.ref(x))
        return x.clone()

    @probe.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    name = "astgen_backend_test::probe"
    captured = capture(lambda x: probe(probe(x * 2) * 2), torch.randn(3))
    made.clear(), alive.clear()
    compile_graph(captured.gm, BackendOptions((name,))).function(*captured.args)
    assert alive == [False]
