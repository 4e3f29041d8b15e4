"""The directory cache: what hits, what misses and why, and what a hit is bound to."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from support.cache_runs import graph_of, run_process
from support.compare import assert_same
from torch import fx
from torch._dynamo.utils import counters

import astgen
from astgen.backend import BackendOptions, astgen_backend
from astgen.backend.cache import ingredients as module
from astgen.backend.cache.difference import differences
from astgen.backend.cache.folder import entries
from astgen.backend.cache.guards import assume, assumed
from astgen.backend.cache.ingredients import request_for
from astgen.backend.cache.leaves import Uncacheable
from astgen.backend.cache.storable import is_storable

SOFTMAX = BackendOptions(("softmax",))
INDUCTOR = BackendOptions(("softmax",), "inductor")


def model(x: torch.Tensor) -> torch.Tensor:
    return F.softmax(x * 2, -1).to(torch.float64) + float("inf")


@pytest.fixture
def compile_in(tmp_path: Path) -> Callable[..., tuple[Any, str]]:
    """`compile_in(gm, **options)`: the function, and `hit`, `miss` or `bypass`."""

    def run(gm: fx.GraphModule, **options: Any) -> tuple[Any, str]:
        counters["astgen"].clear()
        given = {"splitting_ops": ["softmax"], "cache_dir": tmp_path / "c", **options}
        function = astgen_backend(gm, (), options=given)
        found = dict(counters["astgen"])
        assert sum(found.values()) == 1, found
        return function, next(iter(found)).removeprefix("cache_")

    return run


def test_the_second_time_is_a_hit_and_computes_the_same(capture, compile_in):
    first = capture(model, torch.randn(3, 4))
    _, what = compile_in(first.gm)
    assert what == "miss"
    torch._dynamo.reset()
    again = capture(model, torch.randn(3, 4))
    function, what = compile_in(again.gm)
    assert what == "hit"
    assert_same(function(*again.args), fx.Interpreter(again.gm).run(*again.args))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_fresh_process_with_another_seed_hits_from_another_folder(tmp_path, dynamic):
    options = {"splitting_ops": ["softmax"], "cache_dir": str(tmp_path / "cache")}
    outcomes = []
    for seed in ("1", "2"):
        home = tmp_path / seed
        home.mkdir()
        sizes = [3, 6] if dynamic else [3]
        found = run_process(
            home, seed, do="compile", options=options, sizes=sizes, dynamic=dynamic
        )
        assert not any(found["differences"])
        outcomes.append(found["counters"]["astgen"])
    assert outcomes == [{"cache_miss": 1}, {"cache_hit": 1}]


@pytest.mark.parametrize("trust", [False, True])
def test_inductor_pieces_come_from_the_cache_only_if_it_is_trusted(tmp_path, trust):
    options = {
        "splitting_ops": ["softmax"],
        "pieces": "inductor",
        "cache_dir": str(tmp_path / "cache"),
        "trust_cache": trust,
    }
    said = {"do": "compile", "options": options, "sizes": [3, 6], "dynamic": True}
    first = run_process(tmp_path, "1", **said)
    second = run_process(tmp_path, "2", **said)
    for found in (first, second):
        assert max(found["differences"]) < 1e-5
        # No second graph: the sizes are assumed to be no more than when compiling.
        assert found["counters"]["stats"]["unique_graphs"] == 1
    assert second["counters"]["astgen"] == {"cache_hit": 1}
    # Only a compilation asks the cache of the autograd compiler.
    assert ("aot_autograd" not in second["counters"]) == trust


VARIANTS: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "operation": (lambda x: F.softmax(x + 2, -1), (3, 4), "graph"),
    "literal": (lambda x: F.softmax(x * 3, -1), (3, 4), "graph"),
    "type of a literal": (lambda x: F.softmax(x * 2.0, -1), (3, 4), "graph"),
    "shape": (lambda x: F.softmax(x * 2, -1), (3, 5), "graph"),
    "result": (lambda x: [F.softmax(y := x * 2, -1), y], (3, 4), "graph"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_another_graph_misses(capture, compile_in, name):
    function, shape, ingredient = VARIANTS[name]
    base = capture(lambda x: F.softmax(x * 2, -1), torch.randn(3, 4)).gm
    torch._dynamo.reset()
    other = capture(function, torch.randn(shape)).gm
    assert compile_in(base)[1] == "miss"
    assert compile_in(other)[1] == "miss"
    assert ingredient in named(base, other)


def named(
    first: fx.GraphModule,
    second: fx.GraphModule,
    options: tuple[BackendOptions, BackendOptions] = (SOFTMAX, SOFTMAX),
) -> list[str]:
    """What the explanation names, without places."""
    one, other = map(request_for, (first, second), options)
    assert one.key != other.key
    found = differences(one.ingredients, other.ingredients)
    return [entry.ingredient.partition("[")[0] for entry in found]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.double(),
        lambda x: x.t().contiguous().t(),
        lambda x: x.requires_grad_(),
        lambda x: torch.nn.Parameter(x),
        lambda x: torch.cat([x, x])[3:],
    ],
    ids=["dtype", "stride", "requires_grad", "parameter", "offset"],
)
def test_another_input_misses(capture, compile_in, change):
    base = capture(lambda x: F.softmax(x * 2, -1), torch.randn(3, 4)).gm
    torch._dynamo.reset()
    other = capture(lambda x: F.softmax(x * 2, -1), change(torch.randn(3, 4))).gm
    compile_in(base)
    assert compile_in(other)[1] == "miss"
    assert set(named(base, other)) == {"graph"}


def test_a_size_that_is_dynamic_misses(capture, compile_in):
    base = capture(model, torch.randn(3, 4)).gm
    torch._dynamo.reset()
    other = capture(model, torch.randn(3, 4), dynamic=True).gm
    compile_in(base)
    assert compile_in(other)[1] == "miss"
    assert "graph" in named(base, other)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (torch.float64, torch.float16),
        (torch.device("cpu"), torch.device("meta")),
        (slice(0, 1), slice(False, True)),
        (complex(0.0, -0.0), complex(0.0, 0.0)),
    ],
    ids=repr,
)
def test_another_constant_misses(compile_in, first, second):
    graphs = [
        graph_of(lambda g, x: g.call_method("to", (x, value)))
        for value in (first, second)
    ]
    assert [compile_in(gm)[1] for gm in graphs] == ["miss", "miss"]
    assert set(named(*graphs)) & {"constants", "graph"}


def test_another_schema_misses(compile_in):
    keys, names = [], []
    requests = []
    for schema in ("double(Tensor x) -> Tensor", "double(Tensor x, int n=2) -> Tensor"):
        library = torch.library.Library("astgen_cache_test", "DEF")
        library.define(schema)
        library.impl("double", lambda x, n=2: x * n, "CPU")
        target = torch.ops.astgen_cache_test.double.default
        gm = graph_of(lambda g, x: g.call_function(target, (x,)))
        keys.append(compile_in(gm)[1])
        requests.append(request_for(gm, SOFTMAX))
        library._destroy()
    assert keys == ["miss", "miss"]
    found = differences(*(request.ingredients for request in requests))
    names = [one.ingredient for one in found]
    assert names == ["operators.torch.ops.astgen_cache_test.double.default"]


def test_other_options_miss(capture, compile_in):
    gm = capture(model, torch.randn(3, 4)).gm
    compile_in(gm)
    assert compile_in(gm, splitting_ops=["mul"])[1] == "miss"
    whole = BackendOptions(("mul",))
    assert named(gm, gm, (SOFTMAX, whole)) == ["options.splits at"]
    assert "options.pieces" in named(gm, gm, (SOFTMAX, INDUCTOR))


@pytest.mark.parametrize("name", ["astgen", "torch", "python"])
def test_another_version_misses(capture, compile_in, monkeypatch, name):
    gm = capture(model, torch.randn(3, 4)).gm
    compile_in(gm)
    before = request_for(gm, SOFTMAX)
    if name == "astgen":
        monkeypatch.setattr(astgen, "__version__", "0")
    else:
        there = {**module.current_environment(), name: "another"}
        monkeypatch.setattr(module, "current_environment", lambda: there)
    assert compile_in(gm)[1] == "miss"
    found = differences(before.ingredients, request_for(gm, SOFTMAX).ingredients)
    assert [one.ingredient for one in found] == [f"versions.{name}"]


def test_another_processor_misses(capture, compile_in, monkeypatch):
    gm = capture(model, torch.randn(3, 4)).gm
    compile_in(gm)
    before = request_for(gm, SOFTMAX)
    monkeypatch.setattr(module.platform, "machine", lambda: "another")
    assert compile_in(gm)[1] == "miss"
    found = differences(before.ingredients, request_for(gm, SOFTMAX).ingredients)
    assert [one.ingredient for one in found] == ["devices.cpu"]


@pytest.mark.parametrize(
    ("change", "ingredient"),
    [
        (torch.no_grad, "compiler.modes.is_grad_enabled"),
        (
            lambda: torch.autocast("cpu", dtype=torch.bfloat16),
            "compiler.modes.autocast cpu",
        ),
        (
            lambda: torch._inductor.config.patch(max_autotune=True),
            "compiler.inductor.max_autotune",
        ),
    ],
)
def test_what_inductor_looks_at_is_in_its_key_alone(capture, change, ingredient):
    gm = capture(model, torch.randn(3, 4)).gm
    before, eager = request_for(gm, INDUCTOR), request_for(gm, SOFTMAX)
    with change():
        after = request_for(gm, INDUCTOR)
        assert request_for(gm, SOFTMAX).key == eager.key
    assert after.key != before.key
    found = differences(before.ingredients, after.ingredients)
    assert ingredient in [one.ingredient for one in found]


def test_names_and_spellings_do_not_matter(compile_in):
    graphs = []
    for name in ("x", "another"):
        graph = fx.Graph()
        x = graph.placeholder(name)
        graph.output((graph.call_method("to", (x, torch.float64)),))
        graph.output_node().args[0][0].name = f"{name}_to"
        graphs.append(fx.GraphModule(torch.nn.Module(), graph))
    assert compile_in(graphs[0])[1] == "miss"
    assert compile_in(graphs[1], splitting_ops=["aten::softmax"])[1] == "hit"


def test_a_hit_is_bound_to_the_weights_of_the_graph_at_hand(compile_in, tmp_path):
    def graph(weight: torch.Tensor) -> fx.GraphModule:
        return graph_of(
            lambda g, x: g.call_function(torch.mul, (x, g.get_attr("w"))), w=weight
        )

    x = torch.randn(300)
    secret, other = (torch.nn.Parameter(torch.randn(300)) for _ in range(2))
    assert compile_in(graph(secret))[1] == "miss"
    function, what = compile_in(graph(other))
    assert what == "hit"
    assert_same(function(x), (x * other,))
    (entry,) = entries(str(tmp_path / "c"))
    assert secret.detach().numpy().tobytes() not in Path(entry.path).read_bytes()


@pytest.mark.parametrize("where", ["argument", "list"])
def test_a_hit_is_bound_to_the_tensors_of_the_graph_at_hand(compile_in, where):
    """Their values do not count: an entry has none of them."""

    def graph(tensor: torch.Tensor) -> fx.GraphModule:
        def build(g: fx.Graph, x: fx.Node) -> fx.Node:
            if where == "list":
                return g.call_function(torch.stack, ([x, tensor],))
            return g.call_function(torch.add, (x, tensor))

        return graph_of(build)

    x, one, other = torch.randn(3, 4).unbind()
    assert compile_in(graph(one))[1] == "miss"
    gm = graph(other)
    function, what = compile_in(gm)
    assert what == "hit"
    assert_same(function(x), fx.Interpreter(gm).run(x))


def test_a_tensor_in_an_object_counts_with_its_value(compile_in):
    def graph(tensor: torch.Tensor) -> fx.GraphModule:
        held = Held(tensor)
        return graph_of(lambda g, x: g.call_function(dict, (), {"v": held, "x": x}))

    tensor = torch.ones(2)
    outcomes = [compile_in(graph(one))[1] for one in (tensor, tensor + 1, tensor)]
    assert outcomes == ["miss", "miss", "hit"]
    assert named(graph(tensor), graph(tensor + 1)) == ["constants"]


@dataclass(frozen=True)
class Held:
    tensor: torch.Tensor


def test_what_inductor_makes_of_a_tensor_is_not_stored():
    """It may have worked with its values, and no key has these."""

    def piece(value: Any) -> fx.GraphModule:
        return graph_of(lambda g, x: g.call_function(torch.add, (x,), {"other": value}))

    assert is_storable(piece(2.0))
    assert not is_storable(piece(torch.ones(2)))


def test_one_weight_used_twice_is_not_two_weights(compile_in):
    one, other = torch.randn(3), torch.randn(3)

    def build(g: fx.Graph, x: fx.Node) -> fx.Node:
        product = g.call_function(torch.mul, (x, g.get_attr("a")))
        return g.call_function(torch.add, (product, g.get_attr("b")))

    compile_in(graph_of(build, a=one, b=one))
    function, what = compile_in(graph_of(build, a=one, b=other))
    assert what == "miss"
    assert_same(function(other), (other * one + other,))


def test_functions_of_the_user_are_those_of_the_graph_at_hand(compile_in):
    gm = graph_of(lambda g, x: g.call_function(user_function, (x,)))
    x = torch.randn(3)
    assert compile_in(gm)[1] == "miss"
    function, what = compile_in(gm)
    assert what == "hit"
    assert_same(function(x), (user_function(x),))


def user_function(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def test_what_has_no_key_is_compiled_without_the_cache(compile_in, tmp_path):
    offset = 1

    def local(x: torch.Tensor) -> torch.Tensor:
        return x + offset

    gm = graph_of(lambda g, x: g.call_function(local, (x,)))
    function, what = compile_in(gm)
    assert what == "bypass"
    assert_same(function(torch.ones(2)), (torch.ones(2) + 1,))
    with pytest.raises(Uncacheable, match="is nothing that can be imported"):
        request_for(gm, SOFTMAX)


def test_what_was_assumed_of_sizes_is_assumed_again(capture):
    """As inductor does it: a condition on sizes is found while compiling."""

    def captured(size: int) -> Any:
        torch._dynamo.reset()
        request = request_for(
            capture(model, torch.randn(size, 4), dynamic=True).gm, INDUCTOR
        )
        assert len(request.symints) == 2
        return request

    first, same, odd = captured(6), captured(10), captured(7)
    assert first.key == same.key == odd.key
    assert bool(first.symints[0] % 2 == 0), "adds a guard"
    expression = assumed(first)
    before = len(same.environment.guards)
    assert assume(same, expression)
    found = {str(guard.expr) for guard in same.environment.guards[before:]}
    assert any("Mod" in guard for guard in found), found
    assert not assume(odd, expression)


def test_a_miss_says_what_the_nearest_entry_differs_in(compile_in, caplog):
    def graph(dtype: torch.dtype) -> fx.GraphModule:
        return graph_of(lambda g, x: g.call_method("to", (x, dtype)))

    compile_in(graph(torch.float64))
    with caplog.at_level(logging.INFO, logger="astgen.backend.cache.lookup"):
        compile_in(graph(torch.float16))
    assert "it differs in constants[0]" in caplog.text
