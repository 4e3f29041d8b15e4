"""Children: pieces that are called by slot, graphs that become functions."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import pytest
import torch
from torch import fx
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import make_fx

import astgen
from astgen.errors import BindError, UnsupportedGraphError
from support.graphs import chain, finish, graph, module, tensor
from support.running import pieces_of, run_graph


def calls(*targets: str, root: torch.nn.Module) -> fx.GraphModule:
    """Call children one behind the other."""

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        for target in targets:
            x = g.call_module(target, (x,))
        return x

    return graph(body, "x", root=root)


def scaled_result(module: torch.nn.Module, args: Any, result: Any) -> Any:
    return result * 100


def functions_in(code: str) -> int:
    return code.count("\ndef ")


def test_a_child_deep_in_the_tree() -> None:
    root = module(a=module(b=torch.nn.Sequential(torch.nn.ReLU())))
    program = run_graph(calls("a.b.0", root=root), tensor(2, -1))
    assert program.submod_names == ("a.b.0",)


def test_graphs_in_graphs_in_graphs() -> None:
    low = chain(torch.neg)

    def middle(g: fx.Graph, a: fx.Node) -> Any:
        return g.call_module("low", (a,)), a

    def body(g: fx.Graph, x: fx.Node) -> Any:
        pair = g.call_module("mid", (x,))
        return g.call_function(operator.getitem, (pair, 0))

    mid = graph(middle, "a", root=module(low=low))
    program = run_graph(graph(body, "x", root=module(mid=mid)), tensor(3))
    assert functions_in(program.code) == 3


def test_a_child_that_reads_its_own_weight() -> None:
    def inner(g: fx.Graph, a: fx.Node) -> Any:
        return g.call_function(torch.mul, (a, g.get_attr("w")))

    child = graph(inner, "a", root=module(w=torch.nn.Parameter(tensor(4))))
    run_graph(calls("inner", root=module(inner=child)), tensor(3))


def test_children_of_one_structure_with_weights_of_their_own_are_not_mixed_up() -> None:
    def inner(g: fx.Graph, a: fx.Node) -> Any:
        return g.call_function(torch.mul, (a, g.get_attr("w")))

    first = graph(inner, "a", root=module(w=torch.nn.Parameter(tensor(4))))
    second = graph(inner, "a", root=module(w=torch.nn.Parameter(tensor(5))))
    root = module(first=first, second=second)
    run_graph(calls("first", "second", "first", root=root), tensor(3))


def with_default(last: bool) -> fx.GraphModule:
    made = fx.Graph()
    a = made.placeholder("a")
    if last:
        s, k = made.placeholder("s"), made.placeholder("k", default_value=7)
    else:
        k, s = made.placeholder("k", default_value=7), made.placeholder("s")
    return finish(made, made.call_function(dict, (), {"v": [a, k, s]}))


@pytest.mark.parametrize("last", [True, False])
def test_a_child_with_a_default_called_by_keyword(last: bool) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [
            g.call_module("inner", (x,), {"s": x}),
            g.call_module("inner", (x,), {"s": x, "k": 1}),
            g.call_module("inner", (), {"k": 2, "s": x, "a": 3}),
        ]

    run_graph(graph(body, "x", root=module(inner=with_default(last))), tensor(3))


def test_a_default_in_the_middle_that_is_skipped() -> None:
    made = fx.Graph()
    a = made.placeholder("a")
    defaults = [
        made.placeholder(f"d{i}", default_value=[i, float("inf")]) for i in "ab"
    ]
    inner = finish(made, made.call_function(dict, (), {"v": [a, *defaults]}))

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [
            g.call_module("inner", (x,)),
            g.call_module("inner", (x,), {"db": x}),
            g.call_module("inner", (x, x)),
        ]

    run_graph(graph(body, "x", root=module(inner=inner)), tensor(3))


def starred(*targets: str) -> fx.GraphModule:
    made = fx.Graph()
    nodes = [made.placeholder(target) for target in targets]
    return finish(made, made.call_function(dict, (), {"v": nodes}))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_child_with_starred_inputs(count: int) -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_module("inner", (x, *[x] * count))

    run_graph(graph(body, "x", root=module(inner=starred("a", "*rest"))), tensor(3))


def test_a_child_with_an_input_behind_a_starred_one() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_module("inner", (x, 1), {"k": x})

    root = module(inner=starred("a", "*rest", "k"))
    run_graph(graph(body, "x", root=root), tensor(3))


def test_a_child_with_double_starred_inputs() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_module("inner", (x, 1), {"k": x, "a b": 2, "class": 3})

    root = module(inner=starred("a", "*rest", "**named"))
    run_graph(graph(body, "x", root=root), tensor(3))


@pytest.mark.parametrize(
    "args, kwargs",
    [((), {}), ((1, 2), {}), ((), {"b": 1}), ((1,), {"a": 1}), ((1,), {"x y": 1})],
)
def test_a_call_that_does_not_fit_the_child_is_refused(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    made = fx.Graph()
    node = made.call_module("inner", args, kwargs)
    gm = finish(made, node, module(inner=starred("a")))
    with pytest.raises(UnsupportedGraphError) as caught:
        astgen.generate(gm)
    assert caught.value.node is node


def test_hooks_of_a_piece_run() -> None:
    act = torch.nn.ReLU()
    act.register_forward_pre_hook(lambda m, a: (a[0] + 5,))
    act.register_forward_hook(lambda m, a, out: out * 100)
    run_graph(calls("act", root=module(act=act)), tensor(-3))


@pytest.mark.parametrize("kind", ["forward", "forward_pre"])
def test_hooks_of_a_graph_run(kind: str) -> None:
    child = chain(torch.neg)
    if kind == "forward":
        child.register_forward_hook(scaled_result)
    else:
        child.register_forward_pre_hook(lambda m, a: (a[0] + 5,))
    program = run_graph(calls("inner", root=module(inner=child)), tensor(-3))
    assert functions_in(program.code) == 1


def test_a_graph_whose_forward_was_replaced_is_called() -> None:
    child = chain(torch.neg)
    child.forward = lambda x: x * 1000
    gm = calls("inner", root=module(inner=child))
    run_graph(gm, tensor(3), eager=lambda x: x * 1000)


def test_a_subclass_of_graph_module_with_a_call_of_its_own_is_called() -> None:
    class Logged(fx.GraphModule):
        def __call__(self, *args: Any) -> Any:
            return super().__call__(*args) + 1

    made = fx.Graph()
    x = made.placeholder("x")
    made.output(made.call_function(torch.neg, (x,)))
    gm = calls("inner", root=module(inner=Logged(torch.nn.Module(), made)))
    program = astgen.generate(gm)
    assert torch.equal(program.compile()(tensor(3)), tensor(-2))
    # A cache that would bring it back as a plain GraphModule is worse than none.
    with pytest.raises(TypeError, match="Logged pickles as a plain GraphModule"):
        pickle.dumps(program.consts)


def test_a_graph_that_is_called_twice_is_emitted_once() -> None:
    child = chain(torch.neg, torch.relu)
    program = run_graph(calls("inner", "inner", root=module(inner=child)), tensor(3))
    assert functions_in(program.code) == 2
    assert program.submod_names == ("inner",)


def test_two_paths_to_one_graph() -> None:
    child = chain(torch.neg, torch.sigmoid)
    root = module(first=child, second=module(again=child))
    program = run_graph(calls("first", "second.again", "first", root=root), tensor(3))
    assert functions_in(program.code) == 2
    assert program.submod_names == ("first", "second.again")


def test_two_paths_to_one_piece() -> None:
    piece = torch.nn.Sigmoid()
    gm = calls("first", "second", "first", root=module(first=piece, second=piece))
    program = run_graph(gm, tensor(3))
    assert program.submod_names == ("first", "second")


def test_equal_children_are_emitted_once() -> None:
    children = {f"layer{i}": chain(torch.neg, torch.relu) for i in range(12)}
    program = run_graph(calls(*children, root=module(**children)), tensor(3))
    assert functions_in(program.code) == 2
    assert program.submod_names == tuple(children)


def test_children_that_differ_in_one_constant_are_not_merged() -> None:
    def clamp(limit: float) -> fx.GraphModule:
        return graph(lambda g, x: g.call_function(torch.clamp, (x, limit)), "x")

    children = {f"c{i}": clamp(v) for i, v in enumerate((1, 1.0, -0.0, 0.0, True))}
    children |= {f"i{i}": clamp(float(v)) for i, v in enumerate(("inf", "-inf"))}
    program = run_graph(calls(*children, root=module(**children)), tensor(3))
    assert functions_in(program.code) == 1 + len(children)


def test_children_that_differ_in_the_order_of_inputs_are_not_merged() -> None:
    def minus(*names: str) -> fx.GraphModule:
        made = fx.Graph()
        nodes = {name: made.placeholder(name) for name in names}
        return finish(made, made.call_function(torch.sub, (nodes["a"], nodes["b"])))

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        first = g.call_module("first", (x, y))
        second = g.call_module("second", (x, y))
        third = g.call_module("first", (), {"b": x, "a": y})
        return first, second, third

    root = module(first=minus("a", "b"), second=minus("b", "a"))
    run_graph(graph(body, "x", "y", root=root), tensor(5), tensor(2))


def test_children_with_pieces_of_their_own_are_not_merged() -> None:
    def layer(piece: torch.nn.Module) -> fx.GraphModule:
        def body(g: fx.Graph, a: fx.Node) -> Any:
            return g.call_function(torch.neg, (g.call_module("act", (a,)),))

        return graph(body, "a", root=module(act=piece))

    root = module(first=layer(torch.nn.ReLU()), second=layer(torch.nn.Sigmoid()))
    program = run_graph(calls("first", "second", root=root), tensor(3, -3))
    assert program.submod_names == ("first", "first.act", "second", "second.act")


def test_a_graph_deep_inside_that_calls_a_piece() -> None:
    def low(g: fx.Graph, a: fx.Node) -> Any:
        return g.call_module("piece", (a,))

    def middle(g: fx.Graph, a: fx.Node) -> Any:
        return g.call_function(torch.neg, (g.call_module("low", (a,)),))

    inner = graph(low, "a", root=module(piece=torch.nn.Sigmoid()))
    outer = graph(middle, "a", root=module(low=inner))
    program = run_graph(calls("outer", root=module(outer=outer)), tensor(3))
    assert program.submod_names == ("outer", "outer.low", "outer.low.piece")


def test_a_graph_with_a_default_that_calls_a_piece() -> None:
    made = fx.Graph()
    a, k = made.placeholder("a"), made.placeholder("k", default_value=7)
    piece = made.call_module("piece", (a,))
    node = made.call_function(torch.mul, (piece, k))
    inner = finish(made, node, module(piece=torch.nn.Sigmoid()))

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [g.call_module("inner", (x,)), g.call_module("inner", (x, 2))]

    run_graph(graph(body, "x", root=module(inner=inner)), tensor(3))


def test_a_graph_with_starred_inputs_that_calls_a_piece() -> None:
    made = fx.Graph()
    a = made.placeholder("a")
    rest = made.placeholder("*rest")
    piece = made.call_module("piece", (a,))
    node = made.call_function(dict, (), {"v": [piece, rest]})
    inner = finish(made, node, module(piece=torch.nn.Sigmoid()))

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [g.call_module("inner", (x,)), g.call_module("inner", (x, x, 2))]

    run_graph(graph(body, "x", root=module(inner=inner)), tensor(3))


def test_a_graph_without_inputs_as_child() -> None:
    made = fx.Graph()
    inner = finish(made, made.call_function(torch.full, ((1,), 2.0)))

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(torch.add, (x, g.call_module("inner", ())))

    run_graph(graph(body, "x", root=module(inner=inner)), tensor(3))


def test_a_child_whose_result_nobody_reads() -> None:
    child = graph(lambda g, a: g.call_method("add_", (a, 1)), "a")

    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.call_module("inner", (x,))
        g.call_module("piece", (x,))
        return x

    run_graph(
        graph(body, "x", root=module(inner=child, piece=torch.nn.ReLU(True))),
        tensor(-3),
    )


def test_a_child_with_nested_inputs() -> None:
    def inner(a: Any) -> Any:
        return {"r": a["x"] + a["y"]}

    inputs = {"x": tensor(1), "y": tensor(2)}
    with _use_lazy_graph_module(True):
        child = make_fx(inner)(inputs)

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        called = g.call_module("inner", ({"x": x, "y": y},))
        return g.call_function(operator.getitem, (called, "r"))

    run_graph(graph(body, "x", "y", root=module(inner=child)), tensor(1), tensor(2))


def test_a_piece_without_a_callable_is_named() -> None:
    gm = calls("one", "two", root=module(one=torch.nn.ReLU(), two=torch.nn.ReLU()))
    program = astgen.generate(gm)
    pieces = pieces_of(gm, program)
    del pieces["two"]
    with pytest.raises(BindError, match="two"):
        program.compile(pieces)


def test_twenty_levels_of_graphs() -> None:
    child = chain(torch.neg)
    for _ in range(20):
        child = calls("inner", root=module(inner=child))
    run_graph(child, tensor(3))
