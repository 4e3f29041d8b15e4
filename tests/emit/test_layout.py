"""Layout and printer against their oracles: black, and libcst's own printer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import black
import libcst as cst
import pytest
from black.strings import str_width
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.shapes import Shapes

from astgen.emit import nodes
from astgen.emit.breaking import _columns, opened
from astgen.emit.layout import laid_out, lay_out
from astgen.emit.render import render

SLOW = settings(deadline=None, max_examples=300)
SEEDS = st.integers(0, 2**32)


@contextmanager
def decimals_of_any_length() -> Iterator[None]:
    """Black's own comparison prints integers in base 10."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


@SLOW
@given(SEEDS)
def test_black_leaves_every_laid_out_module_unchanged(seed: int) -> None:
    text = render(lay_out(Shapes(seed).module()))
    assert black.format_str(text, mode=black.Mode()) == text


@SLOW
@given(SEEDS)
def test_layout_changes_whitespace_and_nothing_else(seed: int) -> None:
    module = Shapes(seed).module()
    with decimals_of_any_length():
        black.assert_equivalent(render(module), render(lay_out(module)))


@SLOW
@given(SEEDS)
def test_the_printer_agrees_with_libcst(seed: int) -> None:
    module = Shapes(seed).module()
    assert render(module) == module.code
    laid, text = laid_out(module)
    assert text == render(laid) == laid.code


@SLOW
@given(SEEDS, st.integers(1, 8), st.booleans())
def test_a_call_that_is_built_open_is_laid_out_as_a_flat_one(
    seed: int, count: int, bound: bool
) -> None:
    shapes = Shapes(seed)
    callee, target = shapes.callee(), shapes.name()
    args = [shapes.local() for _ in range(count)]
    call = opened(callee, args)
    assume(call is not None)

    def text(value: cst.BaseExpression) -> str:
        line = (
            nodes.assign(target, value) if bound else nodes.statement(cst.Expr(value))
        )
        body = cst.IndentedBlock([line])
        function = cst.FunctionDef(cst.Name("f"), cst.Parameters(), body)
        module, printed = laid_out(cst.Module([function]))
        assert printed == module.code
        return printed

    assert text(call) == text(nodes.call_of(callee, args))
    assert black.format_str(text(call), mode=black.Mode()) == text(call)


def test_calls_that_may_fit_are_not_built_open() -> None:
    names = [nodes.dotted("n" * 42), nodes.dotted("m" * 42)]
    assert opened(nodes.dotted("f"), names) is None
    assert opened(nodes.dotted("f"), [*names, nodes.number(1)]) is None
    assert opened(nodes.dotted("f"), [*names, nodes.dotted("x")]) is not None
    assert opened(nodes.dotted("f"), []) is None


def test_a_return_of_nothing_is_printed_as_libcst_prints_it() -> None:
    module = cst.parse_module("def f():\n    return\n")
    assert render(module) == module.code


@pytest.mark.parametrize("items", range(4))
def test_commas_of_one_list_may_differ(items: int) -> None:
    commas = [
        cst.MaybeSentinel.DEFAULT,
        cst.Comma(),
        cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")),
        cst.Comma(whitespace_after=cst.ParenthesizedWhitespace()),
    ]
    for drawn in product(commas, repeat=items):
        elements = [cst.Element(cst.Name("x"), comma) for comma in drawn]
        for kind in (cst.Tuple, cst.List):
            value = kind(elements)
            module = cst.Module([nodes.statement(cst.Expr(value))])
            assert render(module) == module.code


def test_whitespace_that_the_emitter_does_not_write_is_refused() -> None:
    # The printer knows no indentation but that of the whitespace itself.
    space = cst.ParenthesizedWhitespace(indent=True)
    with pytest.raises(TypeError, match="ParenthesizedWhitespace"):
        render(cst.Call(cst.Name("f"), whitespace_before_args=space))


@pytest.mark.parametrize("length", range(70, 100))
def test_every_statement_around_the_line_length(length: int) -> None:
    name = "n" * length
    bodies = [
        f"{name} = x",
        f"x = {name}",
        f"{name} = source[0]",
        f"x = {name}[0]",
        f"x = {name}[1:]",
        f"x = {name}[a, 1:]",
        f"{name} = __vllm_submods__[0]()",
        f"{name} = __vllm_submods__[0](a)",
        f"x = __vllm_consts__[0].{name}()",
        f"x = {name}.view(a)",
        f"{name} = -1",
        f"{name} = []",
        f"{name} = ()",
        f"{name} = (a,)",
        f"{name} = [a]",
        f'{name} = "a"',
        f"{name} = torch.relu",
        f"f({name})",
        f"f({name}=a)",
        f"f({name}=__vllm_consts__[0])",
        f'f(**{{"a b": {name}}})',
        f'x = {{"k": {name}}}',
        f'x = {{"k": [{name}]}}',
        f"x = {{(1, 2): {name}}}",
        f"x = {{__vllm_consts__[0]: {name}}}",
        f"del {name}",
        f"del {name}, a",
        f"return {name}",
        f"return ({name},)",
        f"return {{}}, {name}",
    ]
    for body in bodies:
        flat = cst.parse_module(f"def f(a, {name}=1, *, b):\n    {body}\n")
        text = render(lay_out(_without_bare_tuples(flat)))
        assert black.format_str(text, mode=black.Mode()) == text, body


def _without_bare_tuples(module: cst.Module) -> cst.Module:
    """The emitter parenthesises every tuple; the parser keeps what was written."""

    class Parenthesise(cst.CSTTransformer):
        def leave_Return(self, old: cst.Return, new: cst.Return) -> cst.Return:
            if isinstance(new.value, cst.Tuple) and not new.value.lpar:
                parens = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
                return new.with_changes(value=new.value.with_changes(**parens))
            return new

    return module.visit(Parenthesise())


def test_columns_are_counted_as_black_counts_them() -> None:
    letters = (chr(code) for code in range(0x80, sys.maxunicode + 1))
    wrong = [
        letter
        for letter in letters
        if f"a{letter}".isidentifier() and _columns(letter) != str_width(letter)
    ]
    assert wrong == []


@pytest.mark.parametrize("letter", ["é", "x\u0323", "日", "名", "ü"])
@pytest.mark.parametrize("length", range(60, 90))
def test_wide_letters_and_marks_around_the_line_length(
    letter: str, length: int
) -> None:
    name = "a" + letter * (length // 2) + "n" * (length % 2)
    module = cst.parse_module(f"def f({name}, b):\n    return {name}\n")
    text = render(lay_out(module))
    assert black.format_str(text, mode=black.Mode()) == text
