"""Which children become one function: pairs that must not, and pairs that must."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.graphs import finish, graph, module, tensor
from support.random_graphs import RandomGraph
from support.running import run_graph
from support.things import Level, Pair
from torch import fx, nn

import astgen

Child = Callable[[], fx.GraphModule]
NAN, INF = float("nan"), float("inf")
ONE, TWO = tensor(1.0), tensor(2.0)
HUGE = 1 << 2**17


def carried(*values: Any) -> Child:
    """A child that gives back constants, and what it is given."""

    def make() -> fx.GraphModule:
        return graph(
            lambda g, x, y: (
                g.call_function(dict, (), {"a": (x, values)}),
                g.call_function(torch.neg, (y,)),
            ),
            "x",
            "y",
        )

    return make


def child(
    body: Callable[[fx.Graph, fx.Node, fx.Node], Any],
    x: str = "x",
    y: str = "y",
    **root: Any,
) -> Child:
    return lambda: graph(body, x, y, root=module(**root))


def takes(**meta: Any) -> Child:
    """A child whose first input is known by an example."""

    def make() -> fx.GraphModule:
        made = fx.Graph()
        x, y = made.placeholder("x"), made.placeholder("y")
        x.meta.update(meta)
        half = made.call_function(torch.sub, (x, y))
        return finish(made, made.call_function(torch.neg, (half,)))

    return make


def late(is_late: bool) -> Child:
    """A child that returns the result of a call and its second input, which comes
    behind it; or both the other way round, in both respects."""

    def make() -> fx.GraphModule:
        made = fx.Graph()
        x = made.placeholder("x")
        y = None if is_late else made.placeholder("y")
        result = made.call_function(torch.neg, (x,))
        if y is None:
            return finish(made, (result, made.placeholder("y")))
        return finish(made, (y, result))

    return make


def inputs(*targets: str, default: tuple[Any, ...] = ()) -> Child:
    """A child with inputs that are written like this; it negates the first."""

    def make() -> fx.GraphModule:
        made = fx.Graph()
        found = [made.placeholder(target) for target in targets]
        if default:
            found.append(made.placeholder("z", default_value=default[0]))
        last = made.call_function(dict, (), {"a": found[-1]})
        return finish(made, (made.call_function(torch.neg, (found[0],)), last))

    return make


def outer(*inner: Child, swapped: bool = False) -> Child:
    """A child that calls children of its own."""

    def make() -> fx.GraphModule:
        def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
            given = (y, x) if swapped else (x, y)
            return [g.call_module(f"c{i}", given) for i in range(len(inner))]

        root = {f"c{i}": one() for i, one in enumerate(inner)}
        return graph(body, "x", "y", root=module(**root))

    return make


def by_keyword(first: str, second: str) -> Child:
    """A child that passes `a` and `b` to one of its own by name."""

    def make() -> fx.GraphModule:
        inner = child(lambda g, x, y: g.call_function(torch.sub, (x, y)), first, second)
        return graph(
            lambda g, x, y: g.call_module("inner", (), {"a": x, "b": y}),
            "x",
            "y",
            root=module(inner=inner()),
        )

    return make


def call(target: Any, *args: Any, **kwargs: Any) -> Child:
    """A child of one call; strings "x" and "y" are its inputs."""

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        known = {"x": x, "y": y}
        given = tuple(known.get(one, one) if type(one) is str else one for one in args)
        return g.call_function(target, given, kwargs)

    return child(body)


def method(name: str) -> Child:
    return child(lambda g, x, y: g.call_method(name, (x, y)))


def reads(value: Any) -> Child:
    return child(
        lambda g, x, y: g.call_function(torch.add, (x, g.get_attr("kept"))), kept=value
    )


class Hook:
    def __call__(self, owner: nn.Module, args: Any, result: Any) -> Any:
        return -result


def hooked() -> Child:
    """A child that calls a graph with a hook, which cannot be inlined."""

    def make() -> fx.GraphModule:
        inner = call(torch.add, "x", "y")()
        inner.register_forward_hook(Hook())
        return graph(
            lambda g, x, y: g.call_module("inner", (x, y)),
            "x",
            "y",
            root=module(inner=inner),
        )

    return make


class Adds(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y


def fetched(is_first: bool) -> Child:
    """A child that fetches an attribute before, or behind, an operation."""

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        early = g.get_attr("kept") if is_first else None
        half = g.call_function(torch.sub, (x, y))
        late = g.get_attr("kept") if early is None else early
        return g.call_function(torch.add, (half, late))

    return child(body, kept=ONE)


def unpacked(index: int, used: bool) -> Child:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        both = g.call_function(torch.aminmax, (x,))
        item = g.call_function(operator.getitem, (both, index))
        return item if used else g.call_function(torch.neg, (y,))

    return child(body)


def chained(second_reads_first: bool) -> Child:
    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        first = g.call_function(torch.add, (x, y))
        second = g.call_function(torch.neg, (first if second_reads_first else x,))
        return first, second

    return child(body)


def returned(shape: Callable[[Any, Any], Any]) -> Child:
    return child(lambda g, x, y: shape(g.call_function(torch.sub, (x, y)), x))


NEAR_MISSES: dict[str, tuple[Child, Child]] = {
    "1 and True": (carried(1), carried(True)),
    "1 and 1.0": (carried(1), carried(1.0)),
    "1 and an enum that equals it": (carried(1), carried(Level.LOW)),
    "zeros of other signs": (carried(0.0), carried(-0.0)),
    "nan and inf": (carried(NAN), carried(INF)),
    "numbers": (carried(3), carried(4)),
    "text and bytes": (carried("a"), carried(b"a")),
    "None and ...": (carried(None), carried(...)),
    "None and its name": (carried(None), carried("None")),
    "tuple and list": (carried((1, 2)), carried([1, 2])),
    "nesting": (carried((1, (2,))), carried(((1,), 2))),
    "range and slice": (carried(range(1, 2, 3)), carried(slice(1, 2, 3))),
    "slices": (carried(slice(None, 1)), carried(slice(1, None))),
    "dicts": (carried({"k": 1}), carried({"j": 1})),
    "order of a dict": (carried({"k": 1, "j": 2}), carried({"j": 2, "k": 1})),
    "keys 1 and True": (carried({1: 1}), carried({True: 1})),
    "dtypes": (carried(torch.float16), carried(torch.bfloat16)),
    "equal objects": (carried(frozenset({1})), carried(frozenset({1}))),
    "records": (carried(Pair(1, 2)), carried(Pair(1, 2))),
    "integers that no text holds": (carried(HUGE), carried(HUGE + 1)),
    "operator and its overload": (
        carried(torch.ops.aten.add),
        carried(torch.ops.aten.add.Tensor),
    ),
    "functions": (call(torch.add, "x", "y"), call(torch.sub, "x", "y")),
    "overloads": (
        call(torch.ops.aten.sub.Tensor, "x", "y"),
        call(torch.ops.aten.mul.Tensor, "x", "y"),
    ),
    "functions without a path": (
        call(lambda x, y: x + y, "x", "y"),
        call(lambda x, y: x - y, "x", "y"),
    ),
    "order of arguments": (call(torch.sub, "x", "y"), call(torch.sub, "y", "x")),
    "one input twice": (call(torch.sub, "x", "y"), call(torch.sub, "x", "x")),
    "positional and keyword": (
        call(torch.sub, "x", "y"),
        call(torch.sub, "x", "y", alpha=1),
    ),
    "keywords": (call(dict, a=1), call(dict, b=1)),
    "function and method": (call(torch.sub, "x", "y"), method("sub")),
    "methods": (method("sub"), method("add")),
    "which result": (unpacked(0, True), unpacked(1, True)),
    "used and unused": (unpacked(0, True), unpacked(0, False)),
    "which value is read": (chained(True), chained(False)),
    "attributes": (reads(ONE), reads(TWO)),
    "equal attributes": (reads(tensor(1.0)), reads(tensor(1.0))),
    "result and tuple of it": (
        returned(lambda a, b: a),
        returned(lambda a, b: (a,)),
    ),
    "tuple and list of results": (
        returned(lambda a, b: (a, b)),
        returned(lambda a, b: [a, b]),
    ),
    "which results": (
        returned(lambda a, b: (a, b)),
        returned(lambda a, b: (b, a)),
    ),
    "weight and activation": (
        takes(example_value=nn.Parameter(ONE)),
        takes(example_value=ONE),
    ),
    "size and tensor": (takes(val=3), takes(val=ONE)),
    "defaults": (inputs("x", "y", default=(1,)), inputs("x", "y", default=(True,))),
    "default and none": (inputs("x", "y", default=(1,)), inputs("x", "y")),
    "star and plain": (inputs("x", "*y"), inputs("x", "y")),
    "input behind a call, and the call": (late(True), late(False)),
    "children of children": (
        outer(call(torch.add, "x", "y")),
        outer(call(torch.sub, "x", "y")),
    ),
    "how a child's child is called": (
        outer(call(torch.sub, "x", "y")),
        outer(call(torch.sub, "x", "y"), swapped=True),
    ),
    "order of a child's children": (
        outer(call(torch.add, "x", "y"), call(torch.sub, "x", "y")),
        outer(call(torch.sub, "x", "y"), call(torch.add, "x", "y")),
    ),
    "names that a child's child is called by": (
        by_keyword("a", "b"),
        by_keyword("b", "a"),
    ),
    "pieces": (
        child(lambda g, x, y: g.call_module("p", (x, y)), p=Adds()),
        child(lambda g, x, y: g.call_module("p", (x, y)), p=Adds()),
    ),
    "graphs with hooks": (hooked(), hooked()),
}

NAN_AGAIN = float("-nan") * -1
EQUAL: dict[str, tuple[Child, Child]] = {
    "constants": (carried(1, "a", None, ...), carried(1, "a", None, ...)),
    "lists of FX and of Python": (
        carried([1, {"k": [2]}]),
        carried(fx.immutable_collections.immutable_list([1, {"k": [2]}])),
    ),
    "floats in slots": (carried(INF, 1.5), carried(float("inf"), 1.5)),
    "devices": (carried(torch.device("cpu")), carried(torch.device("cpu"))),
    "names of inputs": (
        child(lambda g, x, y: g.call_function(torch.sub, (x, y)), "a", "b"),
        child(lambda g, x, y: g.call_function(torch.sub, (x, y)), "b", "a"),
    ),
    "names of attributes": (
        reads(ONE),
        child(
            lambda g, x, y: g.call_function(torch.add, (x, g.get_attr("other"))),
            other=ONE,
        ),
    ),
    "when an attribute is fetched": (fetched(True), fetched(False)),
    "an attribute that nobody reads": (
        reads(ONE),
        child(
            lambda g, x, y: (
                g.get_attr("kept"),
                g.call_function(torch.add, (x, g.get_attr("kept"))),
            )[1],
            kept=ONE,
        ),
    ),
    "examples of values that die": (takes(val=ONE), takes(example_value=TWO)),
    "children of children": (
        outer(call(torch.add, "x", "y"), call(torch.sub, "x", "y")),
        outer(call(torch.add, "x", "y"), call(torch.sub, "x", "y")),
    ),
    "keywords in another order": (by_keyword("a", "b"), by_keyword("a", "b")),
    "methods": (method("sub"), method("sub")),
    "methods of a class": (
        call(torch.Tensor.shape.__get__, "x"),
        call(torch.Tensor.shape.__get__, "x"),
    ),
    "deep arguments": (
        carried([[[[[[[[[[[[1]]]]]]]]]]]]),
        carried([[[[[[[[[[[[1]]]]]]]]]]]]),
    ),
}


def both(pair: tuple[Child, Child]) -> astgen.Program:
    """The program of a graph that calls two children, each twice."""

    def body(g: fx.Graph, x: fx.Node, y: fx.Node) -> Any:
        names = ["one", "two", "one", "two"]
        return [g.call_module(name, (x, y)) for name in names]

    one, two = pair
    root = module(one=one(), two=two())
    return run_graph(graph(body, "x", "y", root=root), tensor(1, 2), tensor(5, 3))


def functions(code: str) -> list[str]:
    return re.findall(r"^def (__vllm_inlined_submods__\d+)\(", code, re.MULTILINE)


def called(code: str) -> list[str]:
    """What the entry calls, in order."""
    entry = code.split("def execution_fn")[1]
    return re.findall(r"__vllm_inlined_submods__\d+", entry)


@pytest.mark.parametrize("kind", NEAR_MISSES)
def test_children_that_differ_are_not_one_function(kind: str) -> None:
    found = called(both(NEAR_MISSES[kind]).code)
    assert found[:2] == found[2:] and found[0] != found[1]


@pytest.mark.parametrize("kind", EQUAL)
def test_children_that_are_equal_are_one_function(kind: str) -> None:
    found = called(both(EQUAL[kind]).code)
    assert len(set(found)) == 1


def test_slots_are_numbered_though_nothing_is_built() -> None:
    inner = call(torch.add, "x", "y")
    program = both((outer(inner, inner), outer(inner, inner)))
    names = ["one", "one.c0", "one.c1", "two", "two.c0", "two.c1"]
    assert list(program.submod_names) == names
    assert len(functions(program.code)) == 2


def test_a_child_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    spell = astgen.emit.Targets.spell

    def spelling(self: Any, target: Any) -> Any:
        built.append(target)
        return spell(self, target)

    monkeypatch.setattr(astgen.emit.Targets, "spell", spelling)
    pair = (call(torch.add, "x", "y"), call(torch.add, "x", "y"))
    root = module(one=pair[0](), two=pair[1]())
    gm = graph(
        lambda g, x, y: [g.call_module("one", (x, y)), g.call_module("two", (x, y))],
        "x",
        "y",
        root=root,
    )
    astgen.generate(gm)
    assert built == [torch.add]


class Plain(ast.NodeTransformer):
    """Gives locals and inlined functions numbers, in the order of the text."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def plain(self, name: str) -> str:
        if name in ("torch", "operator", "slice", "range"):
            return name
        if re.fullmatch("__vllm_(consts|submods)__", name):
            return name
        return self.known.setdefault(name, f"v{len(self.known)}")

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.plain(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.plain(node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.plain(node.name)
        return self.generic_visit(node)


def plain(code: str) -> str:
    return ast.dump(Plain().visit(ast.parse(code)))


@settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_random_children_of_one_function_have_equal_texts(
    seed: int, other: int
) -> None:
    children = [RandomGraph(Random(one), depth=1) for one in (seed, seed, seed + other)]
    modules = [one.module() for one in children]

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [
            g.call_module(f"c{i}", (x,) * one.inputs) for i, one in enumerate(children)
        ]

    root = module(**{f"c{i}": one for i, one in enumerate(modules)})
    found = called(astgen.generate(graph(body, "x", root=root)).code)
    texts = [plain(astgen.generate(one).code) for one in modules]
    for i, one in enumerate(found):
        for j, two in enumerate(found):
            assert one != two or texts[i] == texts[j]
