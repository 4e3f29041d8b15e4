"""Names on a straight line: programs, and exactly what is found in them.

In a program of the table, `# AG…` behind a line stands for one finding each in that
line; the text that a finding spans stands behind the colon.
"""

from __future__ import annotations

import re

import pytest

from astgen.check import DEFAULT_DIALECT, Dialect, Finding, check, scan

INLINED = "__vllm_inlined_submods__"

PROGRAMS = {
    "names": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a = torch.add(x, b)  # AG101: b
    c = torch.add(a, c)  # AG101: c
    return (d, e, d)  # AG101: d  # AG101: e  # AG101: d
""",
    "names of another function": """\
def __vllm_inlined_submods__0(a):
    b = a[0]
    return b
def execution_fn(x, *, __vllm_submods__):
    return (a, b)  # AG101: a  # AG101: b
""",
    "a lost assignment is reported at its uses, not at its del": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    b = torch.neg(a)  # AG101: a
    c = torch.neg(a)  # AG101: a
    del a, x
    return (b, c)
""",
    "deleted, used, deleted again": """\
import torch
def execution_fn(x, y, *, __vllm_submods__):
    del x
    a = x[0]  # AG201: x
    del x
    del y, y  # AG202: y
    return a
""",
    "deleted and bound again": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    del x
    x = torch.zeros(1)
    x = torch.neg(x)
    del x
    return x  # AG201: x
""",
    "operands and callees": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    del x
    a = x.add(1)  # AG201: x
    b = x[0]  # AG201: x
    c = x(1)  # AG201: x
    d = x.numpy()  # AG201: x  # AG507: x.numpy
    return a + b < -c
""",
    "everything in one expression": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a = torch.add(b, *c, d=e, **{'f': g})  # AG101: b  # AG101: c  # AG101: e  # AG101: g
    return {h: [i], 1: (j, x[k:l, m])}  # AG101: h  # AG101: i  # AG101: j  # AG101: k  # AG101: l  # AG101: m
""",
    "refused parts hide what they bind": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    for i in x: j = i  # AG501: for i in x: j = i
    a, b = x  # AG501: a, b
    c = torch.add((d := 1), x)  # AG508: d := 1
    del i
    return (i, j, a, b, c, d)
""",
    "refused parts do not hide what stands beside them": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a, b = torch.load(x)  # AG501: a, b  # AG502: torch.load
    torch.add(lambda: c, d)  # AG508: lambda: c  # AG101: d
    return print  # AG103: print
""",
    "refused names are not bound": """\
import torch
def execution_fn(torch, *, __vllm_submods__):  # AG104: torch
    range = torch.add(1, 2)  # AG104: range
    del range
    return torch.os  # AG502: torch.os
""",
    "parameters": """\
def execution_fn(a, a, *b, c, __vllm_consts__=1, b, __vllm_submods__, **slice):  # AG105: a  # AG104: __vllm_consts__  # AG105: b  # AG104: slice
    return (a, b, c, __vllm_consts__[0], slice)
""",
    "defaults are read outside of the function": """\
def execution_fn(x, y=x, *, z=abs, __vllm_submods__):  # AG101: x  # AG103: abs
    return (x, y, z)
""",
    "nothing is called in defaults": """\
import torch
def execution_fn(a=range(9), b=print(c), *, __vllm_submods__):  # AG503: range  # AG503: print  # AG101: c
    return (a, b)
""",
    "imports": """\
import torch
import os, operator  # AG102: os
import torch as t  # AG102: torch as t
from os import path  # AG102: from os import path
def execution_fn(x, *, __vllm_submods__):
    return (os.name, t.add(x), path.join(x), operator.add(x, 1))
""",
    "a module that is not imported is reported once": """\
import operator
def execution_fn(x, *, __vllm_submods__):
    a = torch.neg(x)  # AG101: torch
    b = torch.neg(a)
    return operator.add(a, b)
""",
    "modules are no values": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a = torch  # AG502: torch
    return (a, operator)  # AG502: operator
""",
    "attributes": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a = x.shape  # AG502: x.shape
    b = x.grad.data.add(1)  # AG502: x.grad.data
    c = x[0].shape.numel().real  # AG502: x[0].shape.numel().real  # AG502: x[0].shape
    d = torch.add(x, 1).shape  # AG502: torch.add(x, 1).shape
    e = os.path.join(x)  # AG101: os
    return (a, b, c, d, e)
""",
    "functions": """\
def __vllm_inlined_submods__0(x):
    return __vllm_inlined_submods__2(x)  # AG404: __vllm_inlined_submods__2
def __vllm_inlined_submods__2(x):
    return (x, __vllm_inlined_submods__2)  # AG404: __vllm_inlined_submods__2
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__0(__vllm_inlined_submods__7)  # AG404: __vllm_inlined_submods__7
    return __vllm_inlined_submods__(a)  # AG101: __vllm_inlined_submods__
""",
    "functions below the entry": """\
def execution_fn(x, *, __vllm_submods__):  # AG405: execution_fn
    return __vllm_inlined_submods__0(x)
def __vllm_inlined_submods__0(x):
    return x
""",
    "names of functions": """\
def helper(x):  # AG405: helper
    return x
def operator(x):  # AG104: operator
    return x
def __vllm_inlined_submods__x(x):  # AG104: __vllm_inlined_submods__x
    return x
def  forward(x, *, __vllm_submods__):  # AG405: forward
    return helper(x)
""",
    "two definitions": """\
def __vllm_inlined_submods__0(x):
    return 1
def __vllm_inlined_submods__0(x):  # AG105: __vllm_inlined_submods__0
    return True
def execution_fn(x, *, __vllm_submods__):
    return __vllm_inlined_submods__0(x, x)
""",
    "the entry is not called": """\
def __vllm_inlined_submods__0(x):
    return execution_fn(x)  # AG503: execution_fn
def execution_fn(x, *, __vllm_submods__):
    return execution_fn  # AG503: execution_fn
""",
    "pieces in functions": """\
def __vllm_inlined_submods__0(x):
    return __vllm_submods__[0](x)  # AG101: __vllm_submods__
def __vllm_inlined_submods__1(x, __vllm_submods__):
    return __vllm_submods__[0](x)
def __vllm_inlined_submods__2(x, __vllm_submods__):
    return __vllm_inlined_submods__1(x, __vllm_submods__)
def __vllm_inlined_submods__3(x, __vllm_submods__=1):  # AG104: __vllm_submods__
    return __vllm_submods__[0](x)
def __vllm_inlined_submods__4(x, *, __vllm_submods__):  # AG104: __vllm_submods__
    return x
def __vllm_inlined_submods__5(*__vllm_submods__):  # AG104: __vllm_submods__
    return 1
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__2(x, __vllm_submods__)
    b = __vllm_inlined_submods__2(__vllm_submods__, x)  # AG406: __vllm_inlined_submods__2(__vllm_submods__, x)  # AG311: __vllm_submods__
    c = __vllm_inlined_submods__2(x)  # AG406: __vllm_inlined_submods__2(x)
    d = __vllm_inlined_submods__0(__vllm_submods__)  # AG311: __vllm_submods__
    return (a, b, c, d, __vllm_inlined_submods__2)  # AG311: __vllm_inlined_submods__2
""",
    "arity": """\
def __vllm_inlined_submods__0(x, y=1, *, k, l=1):
    return (x, y, k, l)
def __vllm_inlined_submods__1(x, *a, **b):
    return (x, a, b)
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__0(x, k=1)
    b = __vllm_inlined_submods__0(x, 1, l=1, **{'k': 1})
    c = __vllm_inlined_submods__0(k=1)  # AG406: __vllm_inlined_submods__0(k=1)
    d = __vllm_inlined_submods__0(x, y=1, k=1)  # AG406: __vllm_inlined_submods__0(x, y=1, k=1)
    e = __vllm_inlined_submods__0(x, k=1, m=1)  # AG406: __vllm_inlined_submods__0(x, k=1, m=1)
    f = __vllm_inlined_submods__0(x, 1, 2, k=1)  # AG406: __vllm_inlined_submods__0(x, 1, 2, k=1)
    g = __vllm_inlined_submods__1(x, 1, 2, z=1)
    h = __vllm_inlined_submods__1(1, x=1)  # AG406: __vllm_inlined_submods__1(1, x=1)
    return (a, b, c, d, e, f, g, h)
""",
    "items of results": """\
def __vllm_inlined_submods__0(x):
    return (x, x)
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_inlined_submods__0(x)
    b = (a[0], a[-2], a[:9], a[x])
    c = a[2]  # AG406: a[2]
    d = a[-3]  # AG406: a[-3]
    a = __vllm_submods__[0](x)
    return (a[7], b, c, d)
""",
    "constants": """\
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_consts__[0](__vllm_consts__[1])
    b = __vllm_consts__[2]  # AG301: __vllm_consts__[2]
    c = __vllm_consts__[-1].add(__vllm_consts__['a'])  # AG301: __vllm_consts__[-1]  # AG301: __vllm_consts__['a']
    d = __vllm_consts__[9](x)  # AG301: __vllm_consts__[9]
    e = __vllm_consts__[0, 1]  # AG301: __vllm_consts__[0, 1]
    f = __vllm_consts__[lambda: x]  # AG508: lambda: x
    return (a, b, c, d, e, f, __vllm_consts__)  # AG311: __vllm_consts__
""",
    "pieces": """\
def execution_fn(x, *, __vllm_submods__):
    a = __vllm_submods__[0](x)
    b = __vllm_submods__[1](x)
    c = __vllm_submods__[2](x)  # AG401: __vllm_submods__[2]
    d = __vllm_submods__[0x7fffffffffffffffffffffffffffff](x)  # AG401: __vllm_submods__[0x7fffffffffffffffffffffffffffff]
    e = __vllm_submods__[0].add(x)  # AG311: __vllm_submods__[0]
    return (a, b, c, d, e, [__vllm_submods__[0]])  # AG311: __vllm_submods__[0]
""",
    "returns": """\
def __vllm_inlined_submods__0(x):
    return x  # AG510: return x
    del x
    return 1
def __vllm_inlined_submods__1(x):  # AG510: __vllm_inlined_submods__1
    del x
def execution_fn(x, *, __vllm_submods__):
    if x: return 1  # AG501: if x: return 1
""".replace(
        "return y  # AG201: y", "return 1"
    ),
    "characters, not bytes": """\
import torch
def execution_fn(größe, *, __vllm_submods__):
    a = torch.add("äöü€😀", größe, ß, b)  # AG101: ß  # AG101: b
    return (a, "\\x0c", c)  # AG101: c
""",
    "lines as Python counts them": """\
import torch
def execution_fn(x, *, __vllm_submods__):
    a = torch.add(
        "\u2028\x0b\x1c\x85",
        x,
        \x0cb,  # AG101: b
    )
    return \\
        c  # AG101: c
""",
    "a del in brackets": """\
def execution_fn(x, y, *, __vllm_submods__):
    del (
        x,
        z,  # AG202: z
        y[0],  # AG501: y[0]
    )
    return y
""",
}

EXPECTED = re.compile(r"  # (AG\d{3}): (.*?)(?=  # AG|$)", re.MULTILINE)


def _expected(text: str) -> list[tuple[int, str, str]]:
    return [
        (number, found[1], found[2])
        for number, line in enumerate(text.split("\n"), 1)
        for found in EXPECTED.finditer(line)
    ]


def _found(text: str, finding: Finding) -> tuple[int, str, str]:
    line = text.split("\n")[finding.line - 1]
    assert finding.end_line == finding.line
    span = line[finding.column - 1 : finding.end_column - 1]
    return finding.line, finding.rule, span


@pytest.mark.parametrize("name", PROGRAMS)
def test_exactly_these_places_are_found(name: str) -> None:
    text = PROGRAMS[name]
    found = check(text, consts=2, submods=2)
    assert sorted(_found(text, finding) for finding in found) == sorted(_expected(text))


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_come_in_the_order_of_the_text(name: str) -> None:
    found = check(PROGRAMS[name])
    places = [(finding.line, finding.column) for finding in found]
    assert places == sorted(places)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_positions_do_not_depend_on_line_endings(ending: str) -> None:
    for text in PROGRAMS.values():
        assert check(text.replace("\n", ending)) == check(text)


def test_what_a_program_needs_from_outside_is_kept() -> None:
    text = (
        "import torch, operator\n"
        "def execution_fn(x, y=torch.Size, *, __vllm_submods__):\n"
        "    z = __vllm_submods__[3](torch.add(x, y), operator.add)\n"
        "    return torch.ops.vllm.f.default(__vllm_submods__[0](z))\n"
    )
    found = scan(text)
    assert found.findings == ()
    assert found.pieces == {0, 3}
    assert found.paths == {
        "torch.Size",
        "torch.add",
        "operator.add",
        "torch.ops.vllm.f.default",
    }


def test_slots_are_counted_only_if_their_number_is_known() -> None:
    text = (
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_submods__[5](__vllm_consts__[7])\n"
    )
    assert check(text) == ()
    assert check(text, consts=8, submods=6) == ()
    assert [found.rule for found in check(text, consts=7)] == ["AG301"]
    assert [found.rule for found in check(text, submods=5)] == ["AG401"]
    assert [found.rule for found in check(text, consts=0)] == ["AG301"]


def test_the_entry_and_the_namespaces_are_settings() -> None:
    text = (
        "import torch\n"
        "def forward(x, *, __vllm_submods__):\n"
        "    return torch.ops.mine.run(x)\n"
    )
    assert [found.rule for found in check(text)] == ["AG405", "AG506"]
    dialect = Dialect(entry="forward", namespaces=frozenset({"mine"}))
    assert check(text, dialect=dialect) == ()
    assert DEFAULT_DIALECT.is_reserved("execution_fn")
    assert not dialect.is_reserved("execution_fn")


def test_a_namespace_of_torch_is_never_allowed_as_a_whole() -> None:
    text = (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.ops.aten.from_file.default(x)\n"
    )
    dialect = Dialect(namespaces=frozenset({"aten"}))
    assert [found.rule for found in check(text, dialect=dialect)] == ["AG502"]
