"""Nodes made without their constructors, against nodes made by them."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from support.random_graphs import RandomGraph

from support.shapes import Shapes

import astgen
from astgen.emit import construct, nodes
from astgen.emit.layout import lay_out
from astgen.emit.unfrozen import unfrozen

X, Y, ONE = cst.Name("x"), cst.Name("y"), cst.Integer("1")
COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
TIGHT = cst.SimpleWhitespace("")
EQUAL = cst.AssignEqual(whitespace_before=TIGHT, whitespace_after=TIGHT)
BREAK = cst.ParenthesizedWhitespace(last_line=cst.SimpleWhitespace("    "))
LEFT = cst.LeftSquareBracket(whitespace_after=BREAK)
RIGHT = cst.RightSquareBracket(whitespace_before=BREAK)
PAREN = cst.LeftParen(whitespace_after=BREAK)
INDEX, SLICE = cst.Index(ONE), cst.Slice(lower=None, upper=ONE)
ITEM, ELEMENT = cst.SubscriptElement(INDEX), cst.Element(X)
ARG, TARGET = cst.Arg(X), cst.AssignTarget(X)

PAIRS: list[tuple[str, cst.CSTNode, cst.CSTNode]] = [
    ("name", construct.name("a"), cst.Name("a")),
    ("wide name", construct.name("日"), cst.Name("日")),
    ("integer", construct.integer("12"), cst.Integer("12")),
    ("hex", construct.integer("0xFF"), cst.Integer("0xFF")),
    ("string", construct.string('"a"'), cst.SimpleString('"a"')),
    ("bytes", construct.string("b'\"'"), cst.SimpleString("b'\"'")),
    ("attribute", construct.attribute(X, Y), cst.Attribute(X, Y)),
    ("index", construct.index(X), cst.Index(X)),
    ("item", construct.subscript_element(INDEX), cst.SubscriptElement(INDEX)),
    (
        "item and comma",
        construct.subscript_element(SLICE, COMMA),
        cst.SubscriptElement(SLICE, COMMA),
    ),
    ("subscript", construct.subscript(X, (ITEM,)), cst.Subscript(X, (ITEM,))),
    (
        "broken subscript",
        construct.subscript(X, (ITEM,), LEFT, RIGHT),
        cst.Subscript(X, (ITEM,), LEFT, RIGHT),
    ),
    ("argument", construct.argument(X), cst.Arg(X)),
    ("starred", construct.argument(X, star="**"), cst.Arg(X, star="**")),
    ("keyword", construct.argument(X, Y), cst.Arg(X, keyword=Y, equal=EQUAL)),
    (
        "keyword and comma",
        construct.argument(X, Y, "", COMMA),
        cst.Arg(X, keyword=Y, equal=EQUAL, comma=COMMA),
    ),
    ("call", construct.call(X, (ARG,)), cst.Call(X, (ARG,))),
    ("call of nothing", construct.call(X, ()), cst.Call(X)),
    (
        "broken call",
        construct.call(X, (ARG,), BREAK),
        cst.Call(X, (ARG,), whitespace_before_args=BREAK),
    ),
    ("element", construct.element(X), cst.Element(X)),
    ("element and comma", construct.element(X, COMMA), cst.Element(X, COMMA)),
    ("tuple", construct.tuple_of((ELEMENT,)), cst.Tuple((ELEMENT,))),
    (
        "broken tuple",
        construct.tuple_of((ELEMENT,), (PAREN,)),
        cst.Tuple((ELEMENT,), lpar=(PAREN,)),
    ),
    (
        "bare tuple",
        construct.tuple_of((ELEMENT,), (), ()),
        cst.Tuple((ELEMENT,), lpar=(), rpar=()),
    ),
    ("list", construct.list_of((ELEMENT,)), cst.List((ELEMENT,))),
    ("broken list", construct.list_of((), LEFT), cst.List((), LEFT)),
    ("parameter", construct.parameter(X), cst.Param(X)),
    ("parameter and comma", construct.parameter(X, COMMA), cst.Param(X, comma=COMMA)),
    ("assign", construct.assign(X, Y), cst.Assign((TARGET,), Y)),
    ("expression", construct.expression(X), cst.Expr(X)),
    ("delete", construct.delete(X), cst.Del(X)),
    (
        "line",
        construct.line(cst.Expr(X)),
        cst.SimpleStatementLine((cst.Expr(X),)),
    ),
]
IDS = [name for name, _, _ in PAIRS]


def assert_same(made: Any, wanted: Any) -> None:
    """Nodes of the same types with the same fields, all the way down."""
    assert type(made) is type(wanted)
    if isinstance(wanted, cst.CSTNode):
        for one in fields(wanted):
            assert_same(getattr(made, one.name), getattr(wanted, one.name))
    elif isinstance(wanted, (list, tuple)):
        assert len(made) == len(wanted)
        for below, other in zip(made, wanted):
            assert_same(below, other)
    else:
        assert made == wanted


@pytest.mark.parametrize(("name", "made", "wanted"), PAIRS, ids=IDS)
def test_a_node_is_what_its_constructor_makes(
    name: str, made: cst.CSTNode, wanted: cst.CSTNode
) -> None:
    assert_same(made, wanted)
    assert made.deep_equals(wanted)
    made._validate()


@pytest.mark.parametrize(("name", "made", "wanted"), PAIRS, ids=IDS)
def test_a_node_is_frozen_and_can_be_changed_and_copied(
    name: str, made: cst.CSTNode, wanted: cst.CSTNode
) -> None:
    first = fields(wanted)[0].name
    with pytest.raises(AttributeError):
        setattr(made, first, None)
    assert_same(made.with_changes(), wanted)
    assert made.deep_clone().deep_equals(wanted)


def test_there_is_a_pair_for_every_function() -> None:
    kinds = {type(wanted).__name__ for _, _, wanted in PAIRS}
    makers = [getattr(construct, name) for name in construct.__all__]
    made = {maker.__annotations__["return"].removeprefix("cst.") for maker in makers}
    assert made == kinds


@pytest.mark.parametrize(
    ("kind", "known"),
    [(cst.Arg, "value"), (cst.Call, "func"), (cst.Name, "value"), (cst.Expr, "value")],
)
def test_fields_that_nobody_knows_get_their_defaults(kind: Any, known: str) -> None:
    made = unfrozen(kind, known)()
    setattr(made, known, X if known != "value" or kind is not cst.Name else "x")
    made.__class__ = kind
    assert_same(made, kind(getattr(made, known)))


def test_small_numbers_are_shared_and_large_ones_are_not_kept() -> None:
    for value in (0, 255, 256, 10**30):
        assert_same(nodes.number(value), cst.Integer(str(value)))
        found = nodes.numbered(X, value)
        assert_same(
            found.slice[0], cst.SubscriptElement(cst.Index(nodes.number(value)))
        )
    assert nodes.number(7) is nodes.number(7)
    assert nodes.number(10**6) is not nodes.number(10**6)


class Renames(cst.CSTTransformer):
    """Gives every name one letter more."""

    def leave_Name(self, old: cst.Name, new: cst.Name) -> cst.Name:
        return new.with_changes(value=f"{new.value}_")


def modules() -> list[cst.Module]:
    drawn = [lay_out(Shapes(seed).module()) for seed in range(30)]
    graphs = [
        astgen.generate(RandomGraph(random).module())
        for random in map(Random, range(20))
    ]
    return [*drawn, *(program.module for program in graphs if program.module)]


def test_the_whole_tree_is_a_tree_of_libcst() -> None:
    for module in modules():
        code = module.code
        clone = module.deep_clone()
        assert clone.deep_equals(module)
        assert clone.code == code
        assert module.visit(cst.CSTTransformer()).deep_equals(module)
        renamed = module.visit(Renames()).code
        assert module.code == code != renamed
        assert cst.parse_module(code).visit(Renames()).code == renamed


def test_metadata_of_the_whole_tree() -> None:
    for module in modules():
        wrapper = MetadataWrapper(module)
        positions = wrapper.resolve(PositionProvider)
        lines = module.code.split("\n")
        for node, place in positions.items():
            if isinstance(node, cst.Name) and not node.lpar:
                line = lines[place.start.line - 1]
                assert line[place.start.column : place.end.column] == node.value


def test_every_node_of_a_tree_passes_the_look_of_its_constructor() -> None:
    class Looks(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            for one in fields(node):
                getattr(node, one.name)
            node._validate()
            return True

    for module in modules():
        module.visit(Looks())
