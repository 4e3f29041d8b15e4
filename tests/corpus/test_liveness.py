"""What is alive when: the caller's memory is freed as soon as the graph lets go."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx

import astgen
from support.fresh import where_calls_hand_over
from support.graphs import chain, finish, graph, module, tensor
from support.running import pieces_of, run_graph, ways
from support.things import Live


def test_a_result_that_nobody_uses_is_freed_at_once() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.call_module("make", (x,))
        g.call_module("many", (x,))
        return g.call_module("alive", ()), x

    # FX's Interpreter keeps what nobody uses.
    run_graph(graph(body, "x", root=live.root), tensor(1), eager=lambda x: (0, x))


def test_a_result_is_freed_after_its_last_use() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        before = g.call_module("alive", ())
        total = g.call_function(torch.sum, (made,))
        return before, g.call_module("alive", ()), total

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_a_chain_holds_one_link() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        counts = []
        for _ in range(5):
            x = g.call_module("make", (x,))
            counts.append(g.call_module("alive", ()))
        return counts

    # The last link, which nobody uses, is not even bound.
    counts = [1, 1, 1, 1, 0]
    run_graph(graph(body, "x", root=live.root), tensor(1), eager=lambda x: list(counts))


@pytest.mark.parametrize(
    "use",
    [
        lambda made: [made],
        lambda made: (made, {"k": made}),
        lambda made: slice(made, None),
        lambda made: {"a": [(made,)]},
    ],
)
def test_a_use_inside_of_containers_is_a_use(use: Callable[[Any], Any]) -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        first = g.call_module("alive", ())
        g.call_function(dict, (), {"v": use(made)})
        return first, g.call_module("alive", ())

    run_graph(graph(body, "x", root=live.root), tensor(1), eager=lambda x: (1, 0))


def test_values_that_go_through_temporaries_are_freed_too() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made: Any = g.call_module("make", (x,))
        for _ in range(70):
            made = [made]
        count = g.call_function(len, (made,))
        return count, g.call_module("alive", ())

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_the_parts_of_a_list_are_freed_one_by_one() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        many = g.call_module("many", (x,))
        parts = [g.call_method("pop", (many,)) for _ in range(2)]
        counts = [g.call_module("alive", ())]
        for part in parts:
            g.call_function(torch.sum, (part,))
            counts.append(g.call_module("alive", ()))
        return counts, g.call_function(len, (many,))

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_a_receiver_of_an_unlisted_method_is_freed() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        size = g.call_method("__sizeof__", (made,))
        return g.call_module("alive", ()), size

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_nothing_of_one_call_is_alive_in_the_next() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        alive = g.call_module("alive", ())
        g.call_module("make", (x,))
        made = g.call_module("make", (x,))
        return alive, g.call_method("sum", (made,))

    run_graph(graph(body, "x", root=live.root), tensor(1), calls=2)


def test_an_error_leaves_nothing_behind() -> None:
    live = Live()

    def fail(*_: Any) -> None:
        raise ValueError("on purpose")

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        return g.call_function(fail, (made, x))

    gm = graph(body, "x", root=live.root)
    program = astgen.generate(gm)
    function = program.compile(pieces_of(gm, program))
    for _ in range(2):
        with pytest.raises(ValueError, match="on purpose"):
            function(tensor(1))
    gc.collect()
    assert len(live) == 0


class Watched:
    """Inputs that only the call refers to."""

    def __init__(self) -> None:
        self.made: list[weakref.ref[torch.Tensor]] = []

    def make(self) -> torch.Tensor:
        made = torch.ones(4)
        self.made.append(weakref.ref(made))
        return made

    def alive(self) -> int:
        return sum(ref() is not None for ref in self.made)


def functions(gm: fx.GraphModule) -> list[Callable[..., Any]]:
    """The generated function and the entry of the same text under stock code."""
    program = astgen.generate(gm)
    namespace: dict[str, Any] = {"__vllm_consts__": program.consts}
    exec(program.code, namespace)
    entry = namespace["execution_fn"]
    entry.__kwdefaults__ = {"__vllm_submods__": [None] * len(program.submod_names)}
    return [program.compile({}), entry]


@where_calls_hand_over
def test_an_input_that_the_caller_does_not_keep_is_freed_after_its_last_use() -> None:
    watched = Watched()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        total = g.call_function(torch.sum, (x,))
        return total, g.call_function(watched.alive, ())

    for function in functions(graph(body, "x")):
        assert function(watched.make())[1] == 0


@where_calls_hand_over
def test_an_input_that_nobody_uses_is_freed_before_anything_runs() -> None:
    watched = Watched()

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        first = g.call_function(watched.alive, ())
        return first, g.call_function(torch.sum, (y,))

    for function in functions(graph(body, "x", "y")):
        assert function(watched.make(), tensor(1))[0] == 0


@where_calls_hand_over
def test_starred_inputs_are_freed_after_their_last_use() -> None:
    watched = Watched()

    def body(g: fx.Graph, rest: fx.Node) -> Any:
        total = g.call_function(len, (rest,))
        return total, g.call_function(watched.alive, ())

    for function in functions(graph(body, "*rest")):
        assert function(watched.make(), watched.make())[1] == 0


def test_an_input_that_the_caller_keeps_stays() -> None:
    watched = Watched()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        total = g.call_function(torch.sum, (x,))
        return total, g.call_function(watched.alive, ())

    for index, function in enumerate(functions(graph(body, "x"))):
        kept = watched.make()
        assert function(kept)[1] == 1
        del kept


def test_a_value_handed_to_a_child_is_freed_when_the_child_returns() -> None:
    """The caller's frame holds it until then: what follows the call is what counts."""
    live = Live()
    child = graph(lambda g, a: g.call_function(torch.sum, (a,)), "a")
    live.root.inner = child

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        total = g.call_module("inner", (made,))
        return g.call_module("alive", ()), total

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_intermediates_of_a_child_are_freed_inside_of_it() -> None:
    live = Live()

    def inner(g: fx.Graph, a: fx.Node) -> Any:
        made = g.call_module("make", (a,))
        total = g.call_function(torch.sum, (made,))
        return g.call_module("alive", ()), total

    live.root.inner = graph(
        inner, "a", root=module(make=live.root.make, alive=live.root.alive)
    )

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_module("inner", (x,))

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_a_value_with_two_users_is_freed_after_the_second() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        first = g.call_function(torch.sum, (made,))
        between = g.call_module("alive", ())
        second = g.call_function(torch.add, (made, first))
        total = g.call_function(torch.sum, (second,))
        return between, g.call_module("alive", ()), total

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_what_a_size_came_from_is_freed_though_the_size_lives_on() -> None:
    live = Live()

    def body(g: fx.Graph, x: fx.Node) -> Any:
        made = g.call_module("make", (x,))
        size = g.call_method("size", (made, 0))
        alive = g.call_module("alive", ())
        return g.call_function(torch.zeros, ((size,),)), alive

    run_graph(graph(body, "x", root=live.root), tensor(1))


def test_compiled_functions_do_not_keep_results() -> None:
    gm = chain(torch.neg)
    for make in ways(gm, astgen.generate(gm)).values():
        function = make()
        result = weakref.ref(function(tensor(1)))
        assert result() is None


def test_two_thousand_values_that_die_in_one_call() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    nodes = [made.call_function(max, (x, i)) for i in range(2000)]
    top = made.call_function(max, (nodes,))
    run_graph(finish(made, (made.call_function(max, (top, 1)), x)), 5)


def test_the_text_deletes_computed_numbers_and_spares_numbers_of_the_caller() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        n.meta["example_value"] = 2
        size = g.call_method("size", (x, 0))
        size.meta["example_value"] = 3
        made = g.call_function(torch.zeros, ((size, n),))
        return g.call_function(torch.neg, (made,))

    code = run_graph(graph(body, "x", "n"), tensor(3), 2).code
    assert "    del size\n" in code
    assert "del n" not in code


def test_inputs_that_the_text_binds_are_deleted_whatever_they_are() -> None:
    def function(x: Any) -> Any:
        return torch.neg(torch.mul(torch.add(x["a"], x["n"]), x["w"]))

    weight = torch.nn.Parameter(tensor(1), requires_grad=False)
    inputs = {"a": tensor(1), "n": 3, "w": weight}
    gm = fx.symbolic_trace(function, concrete_args={"x": dict.fromkeys(inputs, fx.PH)})
    for node, value in zip(gm.graph.nodes, inputs.values()):
        node.meta["example_value"] = value
    code = run_graph(gm, inputs).code
    assert "    del x_1, x_2\n" in code and "    del x_3, add\n" in code
