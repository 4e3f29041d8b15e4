"""What a call calls: the very object, however it prints."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import fx

import astgen
from support import things
from support.graphs import chain, graph, tensor
from support.labels import label
from support.running import run_graph
from support.things import Colour, Config, Doubler, EqualByName, Pair, Static, scale

aten = torch.ops.aten


def calls(*made: tuple[Any, ...], inputs: int = 1) -> fx.GraphModule:
    """Call each target with the inputs and the constants behind it."""

    def body(g: fx.Graph, *nodes: fx.Node) -> Any:
        return [
            (
                g.call_function(target, (*nodes, *rest), name=f"call_{i}")
                if False
                else g.create_node(
                    "call_function", target, (*nodes, *rest), name=f"c{i}"
                )
            )
            for i, (target, *rest) in enumerate(made)
        ]

    return graph(body, *[f"x{i}" for i in range(inputs)])


def test_arithmetic_on_sizes() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        k = g.call_function(operator.mul, (n, 2))
        k = g.call_function(operator.add, (k, 1))
        return x, g.call_function(torch.full, ((k,), 1.0))

    run_graph(graph(body, "x", "n"), tensor(1), 2)


@pytest.mark.parametrize("base", [-2, -0.5, complex(0, -1), 2, True, -0.0])
def test_powers_of_a_literal(base: Any) -> None:
    def body(g: fx.Graph, n: fx.Node) -> fx.Node:
        return g.call_function(operator.pow, (base, n))

    run_graph(graph(body, "n"), 2)


@pytest.mark.parametrize(
    "name",
    [
        "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift",
        "eq ne lt le gt ge is_ is_not contains concat countOf indexOf",
        "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift",
        "neg pos invert inv not_ truth abs index",
    ],
)
def test_functions_of_the_operator_module(name: str) -> None:
    for each in name.split():
        target = getattr(operator, each)
        unary = name.startswith("neg")
        values: tuple[Any, ...] = (12,) if unary else (12, 5)
        if each in ("contains", "concat", "countOf", "indexOf"):
            values = ([5, 12], [5]) if each == "concat" else ([5, 12], 12)
        if each == "matmul":
            values = (tensor(1, 2), tensor(3, 4))
        run_graph(calls((target,), inputs=len(values)), *values)


@pytest.mark.parametrize(
    "name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod"]
)
def test_in_place_operators_change_a_tensor_and_rebind_a_number(name: str) -> None:
    target = getattr(operator, name)

    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        return g.call_function(target, (x, 5)), g.call_function(target, (n, 3)), x, n

    run_graph(graph(body, "x", "n"), tensor(1, 7), 11)


def test_an_in_place_operator_with_a_literal_on_its_left() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        added = g.call_function(operator.iadd, (1, n))
        joined = g.call_function(operator.iadd, ([1], (n,)))
        return added, joined

    # FX's own list cannot be changed; in Python it is a new one each time.
    run_graph(graph(body, "n"), 4, eager=lambda n: (1 + n, [1, n]))


def test_a_list_that_is_changed_in_place_starts_afresh_each_call() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        return g.call_function(operator.iadd, ([1], (n,)))

    run_graph(graph(body, "n"), 4, calls=2, eager=lambda n: [1, n])


def test_setitem_gives_none() -> None:
    def body(g: fx.Graph, x: fx.Node, d: fx.Node) -> Any:
        set_ = g.call_function(operator.setitem, (x, 0, 9.0))
        deleted = g.call_function(operator.delitem, (d, "k"))
        return set_, deleted, x, d

    run_graph(graph(body, "x", "d"), tensor(1, 2), {"k": 1, "l": 2})


def test_setitem_with_a_slice() -> None:
    def body(g: fx.Graph, x: fx.Node, n: fx.Node) -> Any:
        g.call_function(operator.setitem, (x, (slice(None), slice(n, None)), 9.0))
        g.call_function(operator.setitem, (x, (0, n), 4.0))
        return x

    run_graph(graph(body, "x", "n"), torch.zeros(3, 3), 1)


def test_functions_of_the_math_module() -> None:
    run_graph(calls((math.floor,), (math.ceil,), (math.sqrt,), (math.trunc,)), 2.7)


def test_builtin_functions() -> None:
    made = [(len,), (max,), (min,), (sum,), (sorted,), (list,), (tuple,), (bool,)]
    run_graph(
        calls(*made, (isinstance, list), (zip,)) if False else calls(*made), [3, 1]
    )


def test_functions_of_a_user() -> None:
    run_graph(calls((scale, 4)), tensor(1))


def test_closures_of_one_name() -> None:
    def scaled(k: float) -> Any:
        def inner(x: Any) -> Any:
            return x * k

        return inner

    run_graph(chain(scaled(2), scaled(100), scaled(2)), tensor(1))


def test_lambdas() -> None:
    run_graph(chain(lambda x: x + 1, lambda x: x * 3), tensor(1))


def test_a_partial_that_bears_the_name_of_a_function() -> None:
    leaky = functools.partial(F.leaky_relu, negative_slope=0.5)
    leaky.__name__ = "leaky_relu"
    leaky.__module__ = "torch.nn.functional"
    run_graph(chain(leaky, F.leaky_relu), tensor(-4))


def test_a_wrapped_function_is_not_the_one_it_wraps() -> None:
    @functools.wraps(torch.relu)
    def relu(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + 100

    relu.__module__ = "torch"
    run_graph(chain(relu, torch.relu), tensor(-4))


@functools.lru_cache
def cached(x: int) -> int:
    return x + 1


def test_a_cached_function() -> None:
    run_graph(chain(cached), 1)


def test_static_and_class_methods() -> None:
    run_graph(chain(Static.triple, Static.scaled), tensor(2))


def test_the_apply_of_an_autograd_function() -> None:
    run_graph(chain(Doubler.apply), tensor(3))
    run_graph(chain(Doubler.apply), tensor(3).requires_grad_())


def test_a_bound_method() -> None:
    linear = torch.nn.Linear(1, 1)
    run_graph(chain(linear.forward, tensor(2).mul), tensor(2))


def test_descriptors_of_builtin_types() -> None:
    def body(g: fx.Graph, x: fx.Node, d: fx.Node) -> Any:
        made = [(dict.get, (d, "k")), (str.upper, ("abc",)), (list.copy, ([1],))]
        nodes = [
            g.create_node("call_function", target, args, name=f"m{i}")
            for i, (target, args) in enumerate(made)
        ]
        return x, nodes

    run_graph(graph(body, "x", "d"), tensor(1), {"k": 5})


def test_descriptors_of_tensors() -> None:
    made = [
        torch.Tensor.mT.__get__,
        torch.Tensor.shape.__get__,
        torch.Tensor.dtype.__get__,
        torch.Tensor.T.__get__,
        torch.Tensor.requires_grad.__get__,
        torch.Tensor.is_leaf.__get__,
    ]
    run_graph(calls(*((target,) for target in made)), torch.ones(2, 3))


def test_a_descriptor_that_sets() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        g.create_node(
            "call_function", torch.Tensor.requires_grad.__set__, (x, True), name="s"
        )
        return g.call_function(getattr, (x, "requires_grad"))

    run_graph(graph(body, "x"), tensor(1))


def test_callables_that_are_equal_and_differ() -> None:
    run_graph(chain(EqualByName(2), EqualByName(50)), tensor(1))


def test_a_function_that_hides_the_module_of_its_name() -> None:
    def body(g: fx.Graph, f: fx.Node, x: fx.Node) -> fx.Node:
        return g.call_function(torch.autograd.gradcheck, (f, (x,)))

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    run_graph(graph(body, "f", "x"), torch.neg, x)


def test_constructors() -> None:
    def body(g: fx.Graph, n: fx.Node) -> Any:
        config = g.call_function(Config, (n,), {"name": "z"})
        return [
            g.call_function(torch.device, ("cpu",)),
            g.call_function(torch.Size, ([n, n],)),
            config,
            g.call_function(Pair, (n, config)),
            g.call_function(slice, (n,)),
            g.call_function(range, (n,)),
            g.call_function(Colour, (1,)),
            g.call_function(torch.tensor, ([n],), {"dtype": torch.int8}),
        ]

    run_graph(graph(body, "n"), 2)


@pytest.mark.parametrize(
    "name", ["\ufb01", "fi", "a b", "a.b", "", "class", "__class__", "torch", "\ud800"]
)
def test_getattr_reads_the_attribute_of_exactly_that_name(name: str) -> None:
    class Holder:
        pass

    holder = Holder()
    for index, each in enumerate((name, "fi", "\ufb01", "a", "b")):
        if each != "__class__":
            setattr(holder, each, index)

    def body(g: fx.Graph, p: fx.Node) -> fx.Node:
        return g.call_function(getattr, (p, name))

    function = astgen.generate(graph(body, "p")).compile({})
    assert function(holder) == getattr(holder, name)


def test_getattr_with_a_default() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [
            g.call_function(getattr, (x, "missing", None)),
            g.call_function(getattr, (x, "shape", 1)),
            g.call_function(hasattr, (x, "missing")),
        ]

    run_graph(graph(body, "x"), tensor(1))


def test_an_overload_that_is_a_keyword() -> None:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(getattr(aten.random_, "from"), (x, 3, 4))

    run_graph(graph(body, "x"), tensor(1, 1))


def test_an_operator_whose_names_are_keywords() -> None:
    assert things.library
    namespace = torch.ops.astgen_tests
    packet = getattr(namespace, "lambda")
    run_graph(chain(getattr(packet, "yield"), packet), tensor(1))


def test_an_operator_of_a_user() -> None:
    run_graph(
        chain(torch.ops.astgen_tests.span.default, torch.ops.astgen_tests.span),
        tensor(1),
    )


def test_packets_overloads_and_functions_of_one_operator_are_told_apart() -> None:
    run_graph(
        chain(
            aten.relu.default,
            aten.relu,
            torch.relu,
            torch.Tensor.relu,
            F.relu,
            torch.relu_,
        ),
        tensor(-1, 2),
    )


@pytest.mark.parametrize(
    "target, rest",
    [
        (F.gelu, ()),
        (F.silu, ()),
        (F.softmax, (0,)),
        (F.layer_norm, ((2,),)),
        (torch._C._nn.gelu, ()),
        (torch.special.expit, ()),
        (torch.fft.fft, ()),
        (torch.linalg.vector_norm, ()),
        (torch.functional.einsum, ()),
        (torch.Tensor.add, (1,)),
        (torch.Tensor.__add__, (1,)),
        (torch._assert, ("message",)),
    ],
    ids=label,
)
def test_functions_of_torch(target: Any, rest: tuple[Any, ...]) -> None:
    if target is torch.functional.einsum:
        gm = graph(lambda g, x: g.call_function(target, ("i->", x)), "x")
        run_graph(gm, tensor(1, 2))
    elif target is torch._assert:
        run_graph(calls((target, *rest)), True)
    else:
        run_graph(calls((target, *rest)), tensor(1, 2))


@pytest.mark.parametrize(
    "target, rest",
    [
        (aten.__and__.Tensor, (torch.tensor([4]),)),
        (aten._to_copy.default, ()),
        (aten._to_copy, ()),
        (aten.sym_size.int, (0,)),
        (torch.ops.prims.convert_element_type.default, (torch.float64,)),
        (torch.ops.prims.neg.default, ()),
        (torch.ops.prim.layout.default, ()),
        (torch.ops.prim.device.default, ()),
    ],
    ids=label,
)
def test_operators_of_all_namespaces(target: Any, rest: tuple[Any, ...]) -> None:
    run_graph(calls((target, *rest)), torch.tensor([5]))


def test_a_replaced_function_of_torch_is_called_as_the_graph_holds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gm = chain(torch.neg)
    monkeypatch.setattr(torch, "neg", torch.relu)
    result = astgen.generate(gm).compile({})(tensor(3))
    assert result.item() == -3


def test_a_module_as_target() -> None:
    run_graph(calls((torch.nn.ReLU(),), (torch.nn.Sigmoid(),)), tensor(-1))
