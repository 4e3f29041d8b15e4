"""A valid program, broken in one place, has exactly the finding for that place."""

from __future__ import annotations

import pytest

from astgen.check import check

PROGRAM = """\
import torch
import operator


def __vllm_inlined_submods__1(q, k, v, out, layer):
    cache = torch.ops.vllm.unified_kv_cache_update(k, v, layer)
    torch.ops.vllm.unified_attention_with_output(
        q, k, v, out, layer, kv_cache_dummy_dep=cache
    )
    return ()


def __vllm_inlined_submods__3(x, w, __vllm_submods__):
    y = __vllm_submods__[4](x, w)
    del x, w
    z = operator.getitem(y, (..., slice(0, 2)))
    return (z, y)


def execution_fn(tokens, weight, scale, layer, n=1, *, __vllm_submods__):
    first = __vllm_submods__[0](tokens, weight, n)
    del tokens
    q = first[0]
    k = first[1]
    v = first[2]
    out = first[3]
    del first
    __vllm_inlined_submods__1(q, k, v, out, layer)
    del q, k, v
    second = __vllm_submods__[2](out, weight, dtype=__vllm_consts__[0])
    del out
    third = __vllm_inlined_submods__3(second, scale, __vllm_submods__)
    del second
    left = third[0]
    right = third[1]
    del third
    size = torch.ops.aten.sym_size.int(left, 0)
    flat = left.view(size, -1).add(right, alpha=2.5)
    del (
        left,
        right,
    )
    result = torch._C._nn.gelu(flat, approximate="none")
    del flat
    return (result, {"size": size, "kind": __vllm_consts__[1]}, None)
"""

# What is changed, what it becomes, and the one finding: its rule and its line.
BREAKS = {
    "a name is misspelt where it is used": ("weight, n)", "wieght, n)", "AG101", 21),
    "a name is misspelt where it is bound": (
        "    v = first",
        "    w = first",
        "AG101",
        28,
    ),
    "an assignment is lost": ("    v = first[2]\n", "", "AG101", 27),
    "two lines change places": (
        "    size = torch.ops.aten.sym_size.int(left, 0)\n"
        "    flat = left.view(size, -1).add(right, alpha=2.5)\n",
        "    flat = left.view(size, -1).add(right, alpha=2.5)\n"
        "    size = torch.ops.aten.sym_size.int(left, 0)\n",
        "AG101",
        37,
    ),
    "a value is written with repr": ("alpha=2.5", "alpha=inf", "AG101", 38),
    "an import is lost": ("import operator\n", "", "AG101", 15),
    "another module is imported": (
        "import operator",
        "import operator, os",
        "AG102",
        2,
    ),
    "a module gets another name": (
        "import torch",
        "import torch as operator",
        "AG102",
        1,
    ),
    "a part is imported": (
        "import operator",
        "from operator import getitem",
        "AG102",
        2,
    ),
    "a builtin is called": ("slice(0, 2)", "tuple(0, 2)", "AG103", 16),
    "a builtin is a value": ("slice(0, 2)", "slice", "AG103", 16),
    "a parameter takes the name of a module": ("n=1", "n=1, torch=2", "AG104", 20),
    "a parameter takes the name of a builtin": ("n=1", "n=1, slice=2", "AG104", 20),
    "a local takes a reserved name": (
        "    del first\n",
        "    del first\n    range = n\n",
        "AG104",
        28,
    ),
    "a reserved name is deleted": ("del q, k, v", "del q, k, v, torch", "AG104", 29),
    "a function is there twice, and differs": (
        "def execution_fn",
        "def __vllm_inlined_submods__1(q):\n    return q\n\n\ndef execution_fn",
        "AG105",
        20,
    ),
    "a parameter is there twice": (
        "scale, layer, n=1",
        "scale, layer, scale, n=1",
        "AG105",
        20,
    ),
    "a del stands too early": (
        "    q = first[0]\n",
        "    q = first[0]\n    del weight\n",
        "AG201",
        31,
    ),
    "a line moves behind the del": (
        "    right = third[1]\n    del third\n",
        "    del third\n    right = third[1]\n",
        "AG201",
        36,
    ),
    "a del stands twice": (
        "    del flat\n",
        "    del flat\n    del flat\n",
        "AG202",
        45,
    ),
    "a del names another name": ("    del tokens\n", "    del token\n", "AG202", 22),
    "a del repeats a name": ("del q, k, v", "del q, k, q", "AG202", 29),
    "a constant is past the end": ("consts__[1]", "consts__[2]", "AG301", 45),
    "a constant is counted from the end": ("consts__[1]", "consts__[-1]", "AG301", 45),
    "a constant is taken by a name": ("consts__[1]", "consts__[n]", "AG301", 45),
    "all constants are taken": ("__vllm_consts__[1]", "__vllm_consts__", "AG311", 45),
    "a piece is not called": ("[0](tokens, weight, n)", "[0]", "AG311", 21),
    "a piece is past the end": ("submods__[2](", "submods__[5](", "AG401", 30),
    "a piece of a function is past the end": (
        "submods__[4]",
        "submods__[5]",
        "AG401",
        14,
    ),
    "a function is called that is not there": (
        "submods__3(second",
        "submods__4(second",
        "AG404",
        32,
    ),
    "a function calls itself": (
        "torch.ops.vllm.unified_kv_cache_update(",
        "__vllm_inlined_submods__1(",
        "AG404",
        6,
    ),
    "the entry has another name": ("def execution_fn", "def forward", "AG405", 20),
    "the entry does not take the pieces": (", *, __vllm_submods__)", ")", "AG405", 20),
    "an argument is lost": (
        "(q, k, v, out, layer)\n    del q",
        "(q, k, v, out)\n    del q",
        "AG406",
        28,
    ),
    "an argument is there twice": (
        "1(q, k, v, out, layer)\n    del q",
        "1(q, q, k, v, out, layer)\n    del q",
        "AG406",
        28,
    ),
    "the pieces are not passed on": (
        "scale, __vllm_submods__)",
        "scale, n)",
        "AG406",
        32,
    ),
    "an item of a result is past the end": ("third[1]", "third[2]", "AG406", 35),
    "a statement is put in": (
        "    del second\n",
        "    del second\n    assert third\n",
        "AG501",
        34,
    ),
    "a condition is put in": (
        "    del second\n",
        "    del second\n    if n: del n\n",
        "AG501",
        34,
    ),
    "a decorator is put in": (
        "def execution_fn",
        "@operator.call\ndef execution_fn",
        "AG501",
        20,
    ),
    "an annotation is put in": ("n=1", "n: int = 1", "AG501", 20),
    "an assignment becomes another": ("    cache = ", "    cache += ", "AG501", 6),
    "a docstring is put in": (
        "    q = first[0]\n",
        "    'text'\n    q = first[0]\n",
        "AG501",
        23,
    ),
    "an operator has another name": (
        "aten.sym_size.int",
        "aten.sym_sise.int",
        "AG502",
        37,
    ),
    "an overload has another name": (
        "aten.sym_size.int",
        "aten.sym_size.float",
        "AG502",
        37,
    ),
    "a function has another name": ("_nn.gelu", "_nn.gleu", "AG502", 43),
    "an attribute is read": ("(result, {", "(result.shape, {", "AG502", 45),
    "a path leads elsewhere": ("operator.getitem", "operator.attrgetter", "AG502", 16),
    "a local is called": ("first[0]\n", "first(0)\n", "AG503", 23),
    "an item is called": ("first[0]\n", "first[0](n)\n", "AG503", 23),
    "a call stands in a default": ("n=1", "n=torch.zeros(1)", "AG503", 20),
    "a namespace is unknown": (
        "ops.vllm.unified_attention",
        "ops.other.unified_attention",
        "AG506",
        7,
    ),
    "a method is not listed": (".view(size, -1)", ".numpy()", "AG507", 38),
    "a lambda is put in": ("alpha=2.5", "alpha=lambda: 1", "AG508", 38),
    "a format string is put in": ('"none"', 'f"{n}"', "AG508", 43),
    "a keyword stands twice": ("alpha=2.5", "alpha=2.5, alpha=3", "AG508", 38),
    "an argument is nested too deeply": ('"none"', "[" * 140 + "]" * 140, "AG509", 43),
    "the return is lost": ("    return ()\n", "", "AG510", 5),
    "a return stands too early": (
        "    q = first[0]\n",
        "    return n\n    q = first[0]\n",
        "AG510",
        23,
    ),
    "a bracket is lost": ("    return ()\n", "    return (\n", "AG001", 10),
}


@pytest.mark.parametrize("name", BREAKS)
def test_one_break_is_one_finding(name: str) -> None:
    old, new, rule, line = BREAKS[name]
    assert PROGRAM.count(old) == 1
    found = check(PROGRAM.replace(old, new), consts=2, submods=5)
    assert [(finding.rule, finding.line) for finding in found] == [(rule, line)]


LINES = PROGRAM.splitlines(keepends=True)
NEEDED = [
    number
    for number, line in enumerate(LINES)
    if " = " in line or line.startswith(("import", "def")) or "return" in line
]
DELS = [
    number
    for number, line in enumerate(LINES)
    if line.lstrip().startswith("del ") and "(" not in line
]


@pytest.mark.parametrize("number", NEEDED)
def test_a_lost_line_is_found(number: int) -> None:
    text = "".join(LINES[:number] + LINES[number + 1 :])
    assert check(text, consts=2, submods=5) != ()


@pytest.mark.parametrize("number", DELS)
def test_a_repeated_del_is_found_for_each_of_its_names(number: int) -> None:
    text = "".join(LINES[: number + 1] + LINES[number:])
    found = check(text, consts=2, submods=5)
    assert {finding.rule for finding in found} == {"AG202"}
    assert {finding.line for finding in found} == {number + 2}
    assert len(found) == LINES[number].count(",") + 1


@pytest.mark.parametrize("number", DELS)
def test_a_lost_del_leaves_a_valid_program(number: int) -> None:
    text = "".join(LINES[:number] + LINES[number + 1 :])
    assert check(text, consts=2, submods=5) == ()


def test_several_breaks_are_all_found() -> None:
    text = PROGRAM
    for name in (
        "a value is written with repr",
        "a del repeats a name",
        "a constant is past the end",
        "an item of a result is past the end",
        "an operator has another name",
    ):
        old, new, _, _ = BREAKS[name]
        text = text.replace(old, new)
    found = check(text, consts=2, submods=5)
    assert [finding.rule for finding in found] == [
        "AG202",
        "AG406",
        "AG502",
        "AG101",
        "AG301",
    ]
