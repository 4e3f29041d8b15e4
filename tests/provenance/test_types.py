"""Types and sizes are those that the values have when the graph runs."""

from __future__ import annotations

import re
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.captured import capture
from support.graphs import graph, module
from torch import fx
from torch.utils._sympy.functions import FloorDiv, Max, Min, Mod, ModularIndexing

import astgen
from astgen.provenance import read_provenance
from astgen.provenance.sizes import MOST_PARTS, Size, evaluate, parse_size
from astgen.provenance.symbols import Symbols
from astgen.provenance.types import type_text

_SYMBOLS = [sympy.Symbol(f"s{i}", positive=True, integer=True) for i in range(3)]
_NUMBERS = {"s0": 7, "s1": 12, "s2": 5}
_LETTERS = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}


def dtype_of(text: str) -> torch.dtype:
    """The dtype that a type text means, by its own reading of it."""
    kind, bits, rest = re.fullmatch(r"([a-z]+)(\d+)(\w*)", text).groups()
    if kind == "b":
        return torch.bool
    return getattr(torch, f"{_LETTERS[kind]}{bits}" + (f"_{rest}" if rest else ""))


def model(x: torch.Tensor, y: torch.Tensor) -> Any:
    z = torch.cat([x, y]).to(torch.bfloat16)
    n = x.shape[0] + y.shape[0] * 3
    w = (z > 0).view(-1)
    v = torch.zeros(n, n // 2, dtype=torch.complex64)
    return z.t(), w, v[1:].real, x.sum(), torch.arange(n), x.argmax(), y[: max(2, n)]


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_type_is_what_the_value_is(dynamic: bool) -> None:
    gm, inputs = capture(model, torch.ones(4, 6), torch.ones(5, 6), dynamic=dynamic)
    program = astgen.generate(gm, provenance=True)
    assert program.provenance is not None
    known = read_provenance(program.provenance)
    run = _Keeping(gm)
    run.run(*inputs)
    hints = {name: one.hint for name, one in known.symbols.items()}
    checked = 0
    for origin in known.functions["execution_fn"].statements:
        if origin is None or origin.value is None:
            continue
        actual, text = run.kept[origin.node], origin.value.type
        if isinstance(actual, torch.Tensor):
            kind, shape = re.fullmatch(r"(\w+)\[(.*)\]", text).groups()
            sizes = eval(f"[{shape}]", {"Max": max, "Min": min}, dict(hints))
            assert (dtype_of(kind), sizes) == (actual.dtype, [*actual.shape]), text
            checked += 1
        elif text.startswith("Sym("):
            assert eval(text[4:-1], {"Max": max, "Min": min}, dict(hints)) == actual
    assert checked > 8
    assert bool(known.symbols) is dynamic
    for symbol in known.symbols.values():
        assert symbol.low <= symbol.hint


class _Keeping(fx.Interpreter):
    def __init__(self, gm: fx.GraphModule) -> None:
        super().__init__(gm, garbage_collect_values=False)
        self.kept: dict[str, Any] = {}

    def run_node(self, n: fx.Node) -> Any:
        self.kept[n.name] = super().run_node(n)
        return self.kept[n.name]


_DTYPES = sorted(
    {one for one in vars(torch).values() if isinstance(one, torch.dtype)}, key=str
)


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_every_dtype_has_a_text_of_its_own(dtype: torch.dtype) -> None:
    try:
        value = torch.empty((2, 0), dtype=dtype, device="meta")
    except (RuntimeError, NotImplementedError, TypeError):
        pytest.skip("no tensor has it")
    kind, shape = re.fullmatch(r"(\w+)\[(.*)\]", type_text(value)).groups()
    assert shape == "2, 0"
    if not kind.startswith("q") and "x" not in kind and "bits" not in kind:
        assert dtype_of(kind) == dtype


def test_containers_and_what_has_no_shape() -> None:
    ragged = [torch.ones(2), torch.ones(3)]
    assert type_text([torch.ones(2), None, 3]) == "(f32[2], None, int)"
    assert type_text((True,)) == "(bool,)"
    assert type_text(torch.nested.nested_tensor(ragged)) == "f32[...]"
    endless: list[Any] = []
    endless.append(endless)
    assert type_text(endless) == "((((list,),),),)"


def test_tensors_without_a_shape_of_numbers_are_no_fault() -> None:
    ragged = [torch.ones(2), torch.ones(3)]
    for value in (
        torch.nested.nested_tensor(ragged),
        torch.nested.nested_tensor(ragged, layout=torch.jagged),
        torch.eye(2).to_sparse(),
        torch.ones(2, 2).to_mkldnn(),
    ):
        gm = graph(lambda g, x: g.call_function(torch.neg, (x,)), "x", root=module())
        for node in gm.graph.nodes:
            node.meta["val"] = value
        assert astgen.generate(gm, provenance=True).provenance is not None


def expression(random: Random, depth: int) -> sympy.Expr:
    if not depth or random.random() < 0.2:
        leaves = [*_SYMBOLS, sympy.Integer(random.choice([-5, -1, 0, 1, 2, 3, 16]))]
        return random.choice(leaves)
    left, right = expression(random, depth - 1), expression(random, depth - 1)
    kind = random.randrange(8)
    if kind == 0:
        return left + right
    if kind == 1:
        return left * right
    if kind == 2:
        return FloorDiv(left, sympy.Integer(random.choice([1, 2, 3, 7])))
    if kind == 3:
        return Mod(abs_of(left), sympy.Integer(random.choice([2, 3, 5])))
    if kind == 4:
        return Max(left, right)
    if kind == 5:
        return Min(left, right)
    if kind == 6:
        return left ** random.choice([2, 3])
    return left - right


def abs_of(expr: sympy.Expr) -> sympy.Expr:
    """Something that is not negative: PyTorch's remainder is for nothing else."""
    return Max(expr, 0)


def sized(expr: sympy.Expr) -> Size | None:
    """The size of a symbolic number with this expression."""
    shapes = SimpleNamespace(backed_var_to_val={}, var_to_range={})
    node = SimpleNamespace(expr=sympy.sympify(expr), shape_env=shapes)
    return Symbols().size(SimpleNamespace(node=node))


@pytest.mark.parametrize("seed", range(300))
def test_a_size_is_what_sympy_makes_of_it(seed: int) -> None:
    random = Random(seed)
    expr = sympy.sympify(expression(random, random.randint(0, 4)))
    size = sized(expr)
    assert size is not None
    numbers = {symbol: _NUMBERS[str(symbol)] for symbol in _SYMBOLS}
    wanted = int(expr.subs(numbers))
    assert evaluate(parse_size(_listed(size)), _NUMBERS) == wanted


def _listed(size: Any) -> Any:
    return [*map(_listed, size)] if isinstance(size, tuple) else size


@pytest.mark.parametrize(
    "expr",
    [
        _SYMBOLS[0] / 2,
        sympy.sqrt(_SYMBOLS[0]),
        _SYMBOLS[0] ** _SYMBOLS[1],
        _SYMBOLS[0] ** 9,
        ModularIndexing(_SYMBOLS[0], 2, 3),
        sympy.oo,
        sympy.Float(1.5),
        sympy.Integer(1 << 62),
        sympy.Symbol("a b"),
        sympy.Symbol("ü"),
        sympy.sin(_SYMBOLS[0]),
        sympy.Gt(_SYMBOLS[0], 3),
    ],
    ids=str,
)
def test_what_cannot_be_written_is_unknown(expr: Any) -> None:
    assert sized(expr) is None


def test_powers_of_powers_are_not_multiplied_out() -> None:
    expr = _SYMBOLS[0]
    for _ in range(7):
        expr = sympy.Pow(expr + 1, 8, evaluate=False)
    assert sized(expr) is None


_SIZES = st.recursive(
    st.integers(-(1 << 63), (1 << 63) - 1) | st.sampled_from(["s0", "s1", "s9"]),
    lambda inner: st.builds(
        lambda operator, parts: [operator, *parts],
        st.sampled_from(["+", "*", "//", "%", "min", "max"]),
        st.lists(inner, min_size=2, max_size=4),
    ),
    max_leaves=12,
)


@given(_SIZES)
def test_evaluating_is_what_python_makes_of_it(content: Any) -> None:
    size = parse_size(content)
    assert _listed(size) == content
    try:
        wanted = _python(content)
    except (KeyError, ZeroDivisionError, OverflowError):
        wanted = None
    assert evaluate(size, _NUMBERS) == wanted


def _python(content: Any) -> int:
    """The number, by an expression of Python for every operator."""
    if not isinstance(content, list):
        return content if isinstance(content, int) else _NUMBERS[content]
    operator, *parts = content
    numbers = [_python(part) for part in parts]
    call = f"{operator}({', '.join(map(str, numbers))})"
    text = operator.join(f"({one})" for one in numbers)
    result = eval(call if operator.isalpha() else text)
    if not -(1 << 63) <= result < 1 << 63:
        raise OverflowError
    return result


@pytest.mark.parametrize(
    "content",
    [
        True,
        None,
        1.5,
        1 << 63,
        -(1 << 63) - 1,
        "",
        "1a",
        "ü",
        [],
        ["+"],
        ["+", 1],
        ["-", 1, 2],
        [["+"], 1, 2],
        {"+": 1},
        ["+", 1, True],
        ["*", *[2] * (MOST_PARTS + 1)],
    ],
    ids=lambda one: repr(one)[:20],
)
def test_what_is_no_size_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match="it is no size"):
        parse_size(content)


def test_a_symbol_without_a_number_of_63_bits_has_no_value() -> None:
    assert evaluate("s0", {"s0": 1 << 63}) is None
    assert evaluate(("*", "s0", "s0"), {"s0": 1 << 5000}) is None
