"""The grammar as data, and the comparison with it: what is not listed has no place."""

from __future__ import annotations

import ast
import sys

import pytest

from astgen.check import check
from astgen.check.dialect import GRAMMAR, MAX_ARGUMENT_NESTING, MAX_TREE_DEPTH
from astgen.check.grammar import match

HEAD = "def execution_fn(x, y, *, __vllm_submods__):\n"

# One program for each node type that the grammar does not name.
UNNAMED_STATEMENTS = {
    "AnnAssign": "z: x = y",
    "Assert": "assert x",
    "AsyncFor": "async for z in x: z",
    "AsyncFunctionDef": "async def z(): return x",
    "AsyncWith": "async with x: y",
    "AugAssign": "x += y",
    "Break": "for z in x: break",
    "ClassDef": "class z: x",
    "Continue": "for z in x: continue",
    "For": "for z in x: z",
    "Global": "global z",
    "If": "if x: y",
    "ImportFrom": "from x import y",
    "Match": "match x:\n        case y: z",
    "Nonlocal": "nonlocal z",
    "Pass": "pass",
    "Raise": "raise x",
    "Try": "try: x\n    finally: y",
    "TryStar": "try: x\n    except* y: z",
    "TypeAlias": "type z = x",
    "While": "while x: y",
    "With": "with x: y",
}
UNNAMED_EXPRESSIONS = {
    "Await": "await x",
    "BoolOp": "x or y",
    "DictComp": "{z: z for z in x}",
    "FormattedValue": "f'{x}'",
    "GeneratorExp": "__vllm_submods__[0](z for z in x)",
    "IfExp": "x if y else x",
    "Interpolation": "t'{x}'",
    "JoinedStr": "f'{x}'",
    "Lambda": "lambda: x",
    "ListComp": "[z for z in x]",
    "NamedExpr": "(z := x)",
    "Set": "{x}",
    "SetComp": "{z for z in x}",
    "TemplateStr": "t'{x}'",
    "Yield": "(yield x)",
    "YieldFrom": "(yield from x)",
}
UNNAMED_OPERATORS = {
    "In": "x in y",
    "Is": "x is y",
    "IsNot": "x is not y",
    "Not": "not x",
    "NotIn": "x not in y",
}
SINCE = {
    "TryStar": (3, 11),
    "TypeAlias": (3, 12),
    "Interpolation": (3, 14),
    "TemplateStr": (3, 14),
}


def _names(base: type[ast.AST]) -> set[str]:
    """The node types of this Python, without the names that it deprecated."""
    old = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice"}
    return {kind.__name__ for kind in base.__subclasses__()} - old


def _named() -> set[str]:
    return {kind for place in GRAMMAR.values() for kind in place} - {"*"}


def _present(programs: dict[str, str]) -> dict[str, str]:
    return {
        kind: text
        for kind, text in programs.items()
        if sys.version_info >= SINCE.get(kind, (3, 10))
    }


SCALARS = ("@text", "@literal", "@number")


@pytest.mark.parametrize("place", GRAMMAR)
def test_the_grammar_names_nodes_fields_and_places_that_exist(place: str) -> None:
    for kind, fields in GRAMMAR[place].items():
        if isinstance(fields, str):
            assert kind == "*" and fields in GRAMMAR
            continue
        node_type = getattr(ast, kind)
        assert set(fields) <= set(node_type._fields)
        for spec in fields.values():
            assert spec.rstrip("?*+~") in GRAMMAR or spec in SCALARS


@pytest.mark.parametrize(
    "base, programs",
    [
        (ast.stmt, UNNAMED_STATEMENTS),
        (ast.expr, UNNAMED_EXPRESSIONS),
        (ast.unaryop, UNNAMED_OPERATORS),
        (ast.operator, UNNAMED_OPERATORS),
        (ast.cmpop, UNNAMED_OPERATORS),
    ],
)
def test_every_node_type_of_python_is_named_or_refused_below(
    base: type[ast.AST], programs: dict[str, str]
) -> None:
    assert _names(base) - _named() <= set(programs)
    assert not _named() & set(programs)


@pytest.mark.parametrize("kind", _present(UNNAMED_STATEMENTS))
def test_a_statement_that_is_not_named_is_refused(kind: str) -> None:
    text = f"{HEAD}    {UNNAMED_STATEMENTS[kind]}\n    return y\n"
    assert kind in {type(node).__name__ for node in ast.walk(ast.parse(text))}
    rule = "AG102" if kind == "ImportFrom" else "AG501"
    (found,) = check(text)
    assert (found.rule, found.line, found.column) == (rule, 2, 5)


@pytest.mark.parametrize("kind", _present({**UNNAMED_EXPRESSIONS, **UNNAMED_OPERATORS}))
def test_an_expression_that_is_not_named_is_refused(kind: str) -> None:
    expression = {**UNNAMED_EXPRESSIONS, **UNNAMED_OPERATORS}[kind]
    text = f"{HEAD}    return [{expression}]\n"
    assert kind in {type(node).__name__ for node in ast.walk(ast.parse(text))}
    (found,) = check(text)
    assert (found.rule, found.line) == ("AG508", 2)


@pytest.mark.parametrize(
    "line",
    [
        "z = (x, [y, {'k': x, 1: None}], (), ...)",
        "z = x[0, 1:2, ::-1, None, ..., (1, y)]",
        "z = x[y][0][1:][:, x:y:2]",
        "z = -1, +2.5, ~3, -x, b'', '', 0x10, 1e300, True",
        "z = x + y - x * y / x // y % x ** y @ x << y >> x & y | x ^ y",
        "z = (x < y) == (x <= y) != (x >= y)",
        "z = __vllm_submods__[0](*x, *y, k=x, **{'from': y}, **{})",
        "z = x.view(y).add(1)",
        "__vllm_submods__[0](x)",
        "x.add_(y)",
        "del x, y",
        "del (x, y)",
        "del (x)",
        "del x, (y,)",
    ],
)
def test_what_generators_write_has_its_place(line: str) -> None:
    tree = ast.parse(f"{HEAD}    {line}\n    return None\n")
    if "==" in line:
        # Two comparisons in a row are one node, and that one is refused.
        assert [mismatch.found for mismatch in match(tree)] == ["Compare.ops"]
    else:
        assert match(tree) == []


@pytest.mark.parametrize(
    "parameters, found",
    [
        ("x=1, y=-2.5, *a, k=(), **b", []),
        ("x=torch.float32, y=[1, (__vllm_consts__[0],)]", []),
        ("x=slice(0, 1), *, k=torch.Size((1, 2))", []),
        ("x, /, y", ["arguments.posonlyargs"]),
        ("x: int, *a: int, k: int=1, **b: int", ["arg.annotation"] * 4),
        ("x=1 + 1", ["BinOp"]),
        ("x=--1", ["UnaryOp"]),
        ("x=slice(*a)", ["Starred"]),
        ("x=slice(stop=1)", ["Call.keywords"]),
        ("x={}", ["Dict"]),
        ("x=()[0]", ["Tuple"]),
        ("x=__vllm_consts__[0][5]", ["Subscript"]),
        ("x=~1", ["Invert"]),
        ("x=-'a'", ["Constant.value"]),
        ("x=lambda: 1, *, k=f'{1}'", ["JoinedStr", "Lambda"]),
    ],
)
def test_parameters_and_defaults_have_a_grammar(
    parameters: str, found: list[str]
) -> None:
    tree = ast.parse(f"def execution_fn({parameters}): return 1")
    assert sorted(mismatch.found for mismatch in match(tree)) == found


@pytest.mark.parametrize(
    "literal, is_one",
    [
        ("1", True),
        ("True", True),
        ("None", True),
        ("...", True),
        ("1.5", True),
        ("'a'", True),
        ("b'a'", True),
        ("'a' 'b'", True),
        ("1j", False),
        ("1e999", False),
        ("-1e999", False),
        ("u'a'", False),
    ],
)
def test_literals_are_plain_and_finite(literal: str, is_one: bool) -> None:
    found = check(f"{HEAD}    return {literal}\n")
    assert [finding.rule for finding in found] == ([] if is_one else ["AG508"])


def test_what_the_emitter_may_nest_is_far_from_the_limit() -> None:
    nested = "(" * MAX_ARGUMENT_NESTING + "x" + ",)" * MAX_ARGUMENT_NESTING
    assert check(f"{HEAD}    return __vllm_submods__[0](k={nested})\n") == ()
    assert MAX_TREE_DEPTH > 5 * MAX_ARGUMENT_NESTING


@pytest.mark.parametrize(
    "deep",
    [
        "[" * 150 + "x, y" + "]" * 150,
        "(" * 150 + "x, y" + ",)" * 150,
        "{1: " * 150 + "x" + "}" * 150,
        "x" + "[0]" * 150,
        "-" * 150 + "x",
        "x" + " + y" * 150,
    ],
    ids=lambda deep: deep[:2],
)
def test_each_statement_that_is_too_deep_is_one_finding(deep: str) -> None:
    found = check(f"{HEAD}    z = {deep}\n    w = {deep}\n    return z\n")
    assert [(finding.rule, finding.line) for finding in found] == [
        ("AG509", 2),
        ("AG509", 3),
    ]


def test_a_default_that_is_too_deep_is_one_finding() -> None:
    deep = "[" * 150 + "1, 2" + "]" * 150
    text = f"def execution_fn(x={deep}, *, __vllm_submods__):\n    return x\n"
    assert [finding.rule for finding in check(text)] == ["AG509"]
