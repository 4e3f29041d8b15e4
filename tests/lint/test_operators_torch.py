"""`--resolve-ops`: what our own generator writes is fine, planted faults are found."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from support.graphs import graph
from support.random_graphs import RandomGraph
from support.seeds import GRAPHS
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

import astgen
from astgen.check import check
from astgen.check.finding import Rule
from astgen.check.paths import operators, torch_paths, values
from astgen.check.report import Problem
from astgen.lint.operators import judge_operators
from astgen.lint.rules.operators import RULES

aten = torch.ops.aten
EXAMPLES = [
    (rule, kind, text)
    for rule in RULES
    for kind in ("good", "bad")
    for text in getattr(rule, kind)
]


def judged(text: str) -> list[Problem]:
    return judge_operators(ast.parse(text))


def entry(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"import torch\ndef execution_fn(x, n, *, __vllm_submods__):\n{body}"


def messages(*lines: str) -> list[str]:
    return [f"{found.rule.code} {found.message}" for found in judged(entry(*lines))]


@pytest.mark.parametrize(("rule", "kind", "text"), EXAMPLES)
def test_the_examples_are_what_they_are_called(
    rule: Rule, kind: str, text: str
) -> None:
    assert check(text) == ()
    expected = [] if kind == "good" else [rule.code]
    assert [found.rule.code for found in judged(text)] == expected


@pytest.mark.parametrize("number", range(25))
def test_texts_of_random_graphs_fit(number: int) -> None:
    assert judged(astgen.generate(RandomGraph(Random(number)).module()).code) == []


@pytest.mark.parametrize("name", GRAPHS)
def test_texts_that_tempt_a_generator_fit(name: str) -> None:
    assert judged(astgen.generate(GRAPHS[name]()).code) == []


def test_everything_on_the_lists_is_found_here() -> None:
    # The lists are made from one version of PyTorch, which the header names.
    made_from = (Path(astgen.__file__).parent / "check" / "operators.txt").read_text()
    if f"PyTorch {torch.__version__.split('+')[0]}\n" not in made_from:
        pytest.skip("the lists are those of another PyTorch")
    paths = [f"torch.ops.{name}" for name in operators()]
    text = "\n".join([*paths, *torch_paths(), *values()])
    assert judged(text) == []


CALLS: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "a number for a tensor": (aten.mul.Tensor, (torch.ones(2), 2), {}),
    "a tuple for a list": (aten.cat.default, ((torch.ones(2), torch.ones(2)),), {}),
    "a number for a list of fixed length": (
        aten.sum.dim_IntList,
        (torch.ones(2), 0),
        {},
    ),
    "no list": (aten.sum.dim_IntList, (torch.ones(2), None), {}),
    "a bool for an int": (aten.select.int, (torch.ones(2, 2), False, True), {}),
    "a bool for a number": (aten.add.Scalar, (torch.ones(2), True), {}),
    "an int for a float": (aten.dropout.default, (torch.ones(2), 0, False), {}),
    "an int for a bool": (aten.mean.dim, (torch.ones(2), (0,)), {"keepdim": 0}),
    "a float for a bool": (aten.mean.dim, (torch.ones(2), (0,)), {"keepdim": 0.5}),
    "None for a bool": (aten.sum.dim_IntList, (torch.ones(2), [0], None), {}),
    "an int for a dtype": (aten.sum.default, (torch.ones(2),), {"dtype": 6}),
    "a string for a device": (aten.zeros.default, ([2],), {"device": "cpu"}),
    "bytes for a string": (
        aten.gelu.default,
        (torch.ones(2),),
        {"approximate": b"none"},
    ),
    "self by keyword": (
        aten.add.Tensor,
        (),
        {"self": torch.ones(2), "other": torch.ones(2)},
    ),
    "None in a list of tensors": (
        aten.index.Tensor,
        (torch.ones(2, 2), [None, torch.tensor([0])]),
        {},
    ),
    "an overload that is chosen": (
        aten.where,
        (torch.ones(2) > 0, torch.ones(2), 1),
        {},
    ),
    "out": (aten.neg.out, (torch.ones(2),), {"out": torch.ones(2)}),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_pytorch_converts_is_accepted(name: str) -> None:
    target, args, kwargs = CALLS[name]
    target(*args, **kwargs)

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(target, args, kwargs)

    code = astgen.generate(graph(body, "x")).code
    assert f"torch.ops.{target}(" in code
    assert judged(code) == []


# A call that PyTorch refuses, and what we say of it.
REFUSED = {
    "aten.add.Tensor(x, x, 2)": "it takes 2 positional arguments, 3 given",
    "aten.add.Tensor(x)": "argument 'other' is missing",
    "aten.add.Tensor(x, x, bogus=1)": "it has no argument 'bogus'",
    "aten.add.Tensor(x, x, **{'bogus': 1})": "it has no argument 'bogus'",
    "aten.add.Tensor(x, x, self=x)": "argument 'self' is given twice",
    "aten.add.out(x, x)": "argument 'out' is missing",
    "aten.view.default(x, 6)": "argument 'size' is of type int, not List[int]",
    "aten.view.default(x, 'a')": "argument 'size' is of type str, not List[int]",
    "aten.view.default(x, [2.0, n])": "argument 'size' is of type float, not List[int]",
    "aten.view.default(x, [[2]])": "argument 'size' is a list, not List[int]",
    "aten.transpose.int(x, 0, -1.0)": "argument 'dim1' is of type float, not int",
    "aten.transpose.int(x, 0, None)": "argument 'dim1' is None, not int",
    "aten.add.Scalar(x, None)": "argument 'other' is None, not number",
    "aten.add.Scalar(x, 'a')": "argument 'other' is of type str, not number",
    "aten.mul.Tensor(x, [1])": "argument 'other' is a list, not Tensor",
    "aten.mm.default(x, ...)": "argument 'mat2' is of type ellipsis, not Tensor",
    "aten.cat.default('a')": "argument 'tensors' is of type str, not List[Tensor]",
    "aten.stack.default({})": "argument 'tensors' is a dict, not List[Tensor]",
    "aten.gelu.default(x, approximate=1)": "argument 'approximate' is of type int, not str",
    "aten.sum.default(x, dtype='float32')": (
        "argument 'dtype' is of type str, not Optional[int]"
    ),
    "aten.zeros.default([2], device=0)": (
        "argument 'device' is of type int, not Optional[Device]"
    ),
    "aten.sum.dim_IntList(x, 0.5)": (
        "argument 'dim' is of type float, not Optional[List[int]]"
    ),
    "aten.relu(x, 1, 2)": "no overload takes these arguments",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_pytorch_refuses_is_found(call: str) -> None:
    with pytest.raises(RuntimeError):
        eval(call, {"aten": aten, "x": torch.ones(2, 3), "n": 3})
    path = call.partition("(")[0]
    assert messages(f"return torch.ops.{call}") == [
        f"AG505 call of 'torch.ops.{path}': {REFUSED[call]}"
    ]


def test_the_hint_shows_the_schema_or_the_overloads() -> None:
    (found,) = judged(entry("return torch.ops.aten.relu.default(x, 1)"))
    assert found.hint == "the schema is aten::relu(Tensor self) -> Tensor"
    (found,) = judged(entry("return torch.ops.aten.relu(x, 1, 2)"))
    assert found.hint == "there are default, out"


@pytest.mark.parametrize(
    "value", ["n", "n[0]", "__vllm_consts__[0]", "n.item()", "slice(n, None)", "-n"]
)
def test_values_that_are_no_literals_may_be_anything(value: str) -> None:
    assert messages(f"return torch.ops.aten.transpose.int(x, {value}, 1)") == []
    assert messages(f"return torch.ops.aten.view.default(x, {value})") == []


def test_unpacked_arguments_are_not_counted() -> None:
    assert messages("return torch.ops.aten.add.Tensor(*x)") == []
    assert messages("return torch.ops.aten.add.Tensor(*x, bogus=1)") == [
        "AG505 call of 'torch.ops.aten.add.Tensor': it has no argument 'bogus'"
    ]


def test_a_path_that_leads_nowhere_is_reported_once() -> None:
    call = "torch.ops.nobody.registers_this(x)"
    assert messages(f"y = {call}", f"z = {call}", "return (y, z)") == [
        "AG504 'torch.ops.nobody.registers_this' does not exist in this process"
    ]


def test_hints_tell_what_a_library_registers_from_what_pytorch_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (found,) = judged(entry("return torch.ops.nobody.registers_this(x)"))
    assert "importing that library" in found.hint
    monkeypatch.delattr(torch, "relu")
    (found,) = judged(entry("return torch.relu(x)"))
    assert "torch version" in found.hint
    assert found.message == "'torch.relu' does not exist in this process"


def test_operators_that_a_library_registers_are_held_against_their_schema() -> None:
    library = torch.library.Library("astgen_lint_tests", "FRAGMENT")
    library.define("scaled(Tensor x, *, float by) -> Tensor")
    call = "return torch.ops.astgen_lint_tests.scaled"
    assert messages(f"{call}(x, by=2)") == []
    assert messages(f"{call}.default(x)") == [
        "AG505 call of 'torch.ops.astgen_lint_tests.scaled.default': "
        "argument 'by' is missing"
    ]


def test_operators_without_schema_only_have_to_exist() -> None:
    assert messages("return torch.ops.higher_order.cond(x, 1, 2, 3, 4, bogus=5)") == []
    assert messages("return torch.add(1, 2, 3, 4, bogus=5)") == []


@pytest.mark.parametrize(
    "path",
    [
        "torch.ops.load_library",
        "torch.ops.import_module",
        "torch.ops.nobody._private",
        "torch.ops.nobody.__class__",
        "torch.hub.load",
        "torch._inductor.config",
        "operator.attrgetter",
        "os.system",
        "x.__class__.__base__",
    ],
)
def test_nothing_is_looked_up_that_is_not_listed(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*names: str) -> None:
        raise AssertionError(names)

    monkeypatch.setattr("astgen.lint.operators.operator.attrgetter", refuse)
    assert messages(f"return {path}(x)", f"{path}") == []
    with pytest.raises(AssertionError):
        messages("return torch.ops.aten.relu.default(x)")


def test_deep_programs_are_walked_without_recursion() -> None:
    deep = ast.parse("torch.ops.aten.relu.default(x, 1)", mode="eval").body
    assert isinstance(deep, ast.Call)
    for _ in range(5000):
        deep = ast.Call(deep.func, [ast.List([deep], ast.Load())], [])
    found = judge_operators(ast.Module([ast.Expr(deep)], []))
    assert len(found) == 5001


def functions(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Operators of many kinds, as make_fx spells them."""
    x = tensors[0]
    y = torch.nn.functional.layer_norm(x, (8,))
    y = torch.nn.functional.scaled_dot_product_attention(y, y, y)
    y = torch.nn.functional.interpolate(y[None], scale_factor=2.0)[0]
    y = torch.nn.functional.pad(y, (1, 1), value=0.5)
    z = torch.cat([y, y], dim=-1).view(2, -1).to(torch.float64)
    z[:, :2] = 0
    z = torch.where(z > 0, z, 1.0).sum(0, keepdim=True)
    return z, torch.arange(3, device=x.device), torch.full((2,), float("inf"))


@pytest.mark.parametrize("mode", ["real", "symbolic"])
def test_traced_functions_fit(mode: str) -> None:
    gm = make_fx(functions, tracing_mode=mode)(torch.randn(2, 4, 8))
    code = astgen.generate(gm).code
    assert code.count("torch.ops.aten.") > 15
    assert judged(code) == []


def test_an_attribute_of_a_result_is_no_path() -> None:
    assert messages("return torch.ops.aten.relu.default(x).bogus.more") == []
