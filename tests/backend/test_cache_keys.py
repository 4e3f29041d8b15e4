"""Each ingredient of a key: another value of it is another key, and is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import torch
from support.cache_runs import graph_of
from torch import fx
from torch._subclasses import FakeTensorMode

from astgen.backend import BackendOptions
from astgen.backend.cache import ingredients as module
from astgen.backend.cache.difference import differences
from astgen.backend.cache.ingredients import request_for

INDUCTOR = BackendOptions(("softmax",), "inductor")
Change = Callable[[], AbstractContextManager[Any]]


@pytest.fixture
def gm() -> fx.GraphModule:
    return graph_of(lambda g, x: g.call_function(torch.softmax, (x, -1)))


def named(
    first: fx.GraphModule, second: fx.GraphModule, change: Change | None = None
) -> list[str]:
    """What differs in the ingredients of two graphs, the second with a change."""
    before = request_for(first, INDUCTOR)
    with change() if change else torch.enable_grad():
        after = request_for(second, INDUCTOR)
    assert (before.key == after.key) == (before.ingredients == after.ingredients)
    return [
        one.ingredient for one in differences(before.ingredients, after.ingredients)
    ]


@contextmanager
def put(
    get: Callable[[], Any], set_: Callable[[Any], Any], value: Any
) -> Iterator[None]:
    old = get()
    set_(value)
    try:
        yield
    finally:
        set_(old)


def patched(owner: Any, name: str, value: Any) -> Change:
    get, set_ = lambda: getattr(owner, name), lambda new: setattr(owner, name, new)
    return lambda: put(get, set_, value)


def warn_only() -> AbstractContextManager[None]:
    return put(
        torch.are_deterministic_algorithms_enabled,
        lambda on: torch.use_deterministic_algorithms(on, warn_only=on),
        True,
    )


MODES: dict[str, Change] = {
    "is_grad_enabled": torch.no_grad,
    "is_inference_mode_enabled": torch.inference_mode,
    "is_autocast_cache_enabled": lambda: put(
        torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled, False
    ),
    "get_default_dtype": lambda: put(
        torch.get_default_dtype, torch.set_default_dtype, torch.float64
    ),
    "get_float32_matmul_precision": lambda: put(
        torch.get_float32_matmul_precision, torch.set_float32_matmul_precision, "high"
    ),
    "get_num_threads": lambda: put(
        torch.get_num_threads, torch.set_num_threads, torch.get_num_threads() + 1
    ),
    "are_deterministic_algorithms_enabled": warn_only,
    "is_deterministic_algorithms_warn_only_enabled": warn_only,
}
MATMUL, CUDNN = torch.backends.cuda.matmul, torch.backends.cudnn
CHANGES: dict[str, Change] = {
    "versions.cache": patched(module, "_FORMAT", 0),
    "compiler.capability": patched(
        torch.backends.cpu, "get_cpu_capability", lambda: "another"
    ),
    "compiler.inductor.max_autotune": lambda: torch._inductor.config.patch(
        max_autotune=True
    ),
    "compiler.functorch.functionalize_rng_ops": lambda: torch._functorch.config.patch(
        functionalize_rng_ops=True
    ),
    "compiler.cuda.cuda": patched(torch.version, "cuda", "1.0"),
    "compiler.cuda.tf32": patched(MATMUL, "allow_tf32", not MATMUL.allow_tf32),
    "compiler.cuda.fp16 reduction": patched(
        MATMUL, "allow_fp16_reduced_precision_reduction", False
    ),
    "compiler.cuda.bf16 reduction": patched(
        MATMUL, "allow_bf16_reduced_precision_reduction", False
    ),
    "compiler.cuda.cudnn tf32": patched(CUDNN, "allow_tf32", not CUDNN.allow_tf32),
    **{f"compiler.modes.{name}": change for name, change in MODES.items()},
}


@pytest.mark.parametrize("ingredient", CHANGES)
def test_what_is_set_counts(gm: fx.GraphModule, ingredient: str) -> None:
    assert named(gm, gm) == []
    assert ingredient in named(gm, gm, CHANGES[ingredient])
    assert named(gm, gm) == [], "the change has stayed"


def test_every_mode_has_a_test() -> None:
    assert {flag.__name__ for flag in module._FLAGS} == MODES.keys()


def test_every_ingredient_of_the_compiler_has_a_test(gm: fx.GraphModule) -> None:
    found = request_for(gm, INDUCTOR).ingredients
    tested = {name.split(".")[1] for name in CHANGES if name.startswith("compiler")}
    assert {*found["compiler"]} == tested | {"ranges", "shared memory"}
    assert {f"compiler.cuda.{name}" for name in found["compiler"]["cuda"]} <= {*CHANGES}


@pytest.mark.parametrize("kind", ["cpu"])
def test_mixed_precision_counts(kind: str) -> None:
    mode = FakeTensorMode()

    def graph() -> fx.GraphModule:
        gm = graph_of(lambda g, x: g.call_function(torch.softmax, (x, -1)))
        [x] = gm.graph.find_nodes(op="placeholder")
        x.meta["example_value"] = mode.from_tensor(torch.ones(2))
        return gm

    change = lambda: torch.autocast(kind, dtype=torch.bfloat16)  # noqa: E731
    assert named(graph(), graph()) == []
    assert f"compiler.modes.autocast {kind}" in named(graph(), graph(), change)


def test_inputs_that_share_memory_count() -> None:
    mode = FakeTensorMode()
    first = mode.from_tensor(torch.ones(4))

    def graph(second: torch.Tensor) -> fx.GraphModule:
        made = fx.Graph()
        inputs = [made.placeholder(name) for name in "xy"]
        for node, value in zip(inputs, (first, second)):
            node.meta["example_value"] = value
        made.output((made.call_function(torch.add, (inputs[0], inputs[1])),))
        return fx.GraphModule(torch.nn.Module(), made)

    apart, shared = graph(mode.from_tensor(torch.ones(4))), graph(first.view(4))
    assert named(apart, graph(mode.from_tensor(torch.ones(4)))) == []
    assert named(apart, shared) == ["compiler.shared memory[1]"]


def test_the_range_of_a_size_counts(capture: Callable[..., Any]) -> None:
    def graph(most: int) -> fx.GraphModule:
        torch._dynamo.reset()
        x = torch.randn(4, 3)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=most)
        return capture(lambda x: torch.softmax(x, -1), x, dynamic=None).gm

    assert named(graph(64), graph(64)) == []
    [found] = named(graph(64), graph(128))
    assert found.startswith("compiler.ranges.")
