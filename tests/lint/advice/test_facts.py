"""What one look at a program gathers."""

from __future__ import annotations

import ast

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.lint.advice.facts import Facts, gather

TEXT = """\
import torch, operator
def __vllm_inlined_submods__1(a, b=__vllm_consts__[4], *, __vllm_submods__):
    c = torch.ops.aten.add.Tensor(a, b)
    return __vllm_submods__[2](c.view(1), c[a], k=__vllm_consts__[0])
def execution_fn(x, *rest, __vllm_submods__, **more):
    y = __vllm_submods__[0](x, {"k": [rest]})
    part = (y, -x, x[0:1])
    z = __vllm_inlined_submods__1(part, __vllm_submods__)
    del x, (y, part)
    y = operator.add(z, __vllm_consts__[0])
    __vllm_submods__[0](y)
    return y
"""


def facts(text: str = TEXT, dialect: Dialect = DEFAULT_DIALECT) -> Facts:
    return gather(ast.parse(text), dialect)


def line(node: ast.AST) -> int | None:
    return getattr(node, "lineno", None)


def test_slots_are_known_with_the_place_of_their_first_use() -> None:
    found = facts()
    assert {slot: line(node) for slot, node in found.consts.items()} == {4: 2, 0: 4}
    pieces = found.pieces()
    assert {slot: [line(node) for node in nodes] for slot, nodes in pieces.items()} == {
        2: [4],
        0: [6, 11],
    }


def test_statements_are_known_by_what_they_do() -> None:
    entry = facts().entry
    assert entry is not None
    assert list(entry.parameters) == ["x", "__vllm_submods__", "rest", "more"]
    assert entry.bound == {"y": 0, "part": 1, "z": 2}
    assert [name.id for name in entry.rebound] == ["y"]
    assert entry.deleted == {"x": [3], "y": [3], "part": [3]}
    assert entry.running == [0, 2, 4, 5] and entry.parts == {1}
    last = {name: entry.last[name] for name in ("x", "rest", "part", "z", "y")}
    assert last == {"x": 1, "rest": 0, "part": 2, "z": 4, "y": 6}


def test_calls_are_known_in_order() -> None:
    inlined, entry = facts().bodies
    assert [use.slot for use in inlined.uses] == [2]
    uses = [(use.slot, use.name) for use in entry.uses]
    assert uses == [(0, ""), (None, "__vllm_inlined_submods__1"), (0, "")]
    assert [ast.unparse(node) for node in inlined.lookups] == [
        "torch.ops.aten.add.Tensor"
    ]
    assert {"torch", "operator", "__vllm_inlined_submods__1"} <= facts().names


def test_an_item_is_no_use_of_the_whole() -> None:
    inlined, entry = facts().bodies
    assert "c" in inlined.whole
    assert "x" in entry.whole
    (other,) = facts("def execution_fn(a, b):\n    return (a[0], a[b], b[0])\n").bodies
    assert other.whole == {"b"}


def test_the_names_of_a_dialect_count() -> None:
    dialect = Dialect(submods="_submods")
    found = facts("def execution_fn(_submods):\n    return _submods[3](1)\n", dialect)
    assert list(found.pieces()) == [3]


def test_what_the_grammar_would_refuse_is_passed_over() -> None:
    text = (
        "x = 1\nif x:\n    pass\ndef f(a):\n    while a:\n        pass\n    a[0] = 1\n"
    )
    (body,) = facts(text).bodies
    assert body.bound == {} and facts(text).entry is None
