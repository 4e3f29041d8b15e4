"""Mutants of the kinds of statements and expressions, of heads and of reserved names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mutate_program import Change, Source, loads

__all__ = ["OPERATORS"]

_STATEMENTS = (
    *("pass", "'text'", "1", "{0}", "...", "assert {0}", "raise {0}", "global {0}"),
    *("nonlocal {0}", "if {0}: pass", "while {0}: pass", "for i in {0}: pass"),
    *("with {0}: pass", "with {0} as i: pass", "try: pass\n    finally: pass"),
    *("try: pass\n    except Exception as i: pass", "class C: pass", "import torch"),
    *("class C({0}): i = 1", "def f(): pass", "async def f(): pass", "import os"),
    *("from torch import ops", "lambda: {0}", "{0} += 1", "{0}: int", "{0}: int = 1"),
    *("i = j = {0}", "i, j = {0}", "(i) = {0}", "[i] = {0}", "*i, j = {0}"),
    *("{0}.i = 1", "{0}[0] = 1", "{0}[0:1] = {0}", "del {0}.i", "del {0}[0]"),
    *("del ({0}, [{0}])", "i = yield", "i = yield {0}", "await {0}", "del ()"),
    *("i = (yield from {0})", "match {0}:\n        case _: pass", "break", "continue"),
    *("return", "return {0}", "exec('1')", "{0}()", "eval('1')", "print({0})"),
    *("__import__('os')", "open('canary', 'w')", "i = __builtins__", "i = __name__"),
    *("i = {0}.__class__", "{0}.__reduce__()", "i = torch", "i = range", "i = len"),
    *("async with {0}: pass", "async for i in {0}: pass", "i = [*{0}]", "del [{0}]"),
    *("torch.ops.aten.relu", "i = torch.os", "i = torch.ops", "torch.save({0}, 'c')"),
    *("i = {0} if {0} else 1", "i = {0} and 1", "i = not {0}", "i = {0} is None"),
    *("i = {0} in ()", "i = 1 < {0} < 2", "i = {{{0}}}", "i = {{**{0}}}", "i = 1j"),
    *("i = u''", "i = 1e999", "i = f'{{{0}}}'", "i = f''", "i = (j := {0})", "i = -1j"),
    *("i = [i for i in {0}]", "i = {{i for i in {0}}}", "i = {{i: i for i in {0}}}"),
    *("i = (i for i in {0})", "i = {0}[(j := 1)]", "i = {0}[lambda: 1]", "i = '' ''"),
    *("i = {0}(1)", "i = {0}[0](1)", "i = (1)(2)", "i = [1](2)", "i = 1 @ {0}.T"),
    *("torch = {0}", "operator = {0}", "range = {0}", "slice = {0}", "i = {0}.a.b()"),
    *(
        "del torch",
        "del operator",
        "del range",
        "def torch(): pass",
        "class slice: pass",
    ),
    *(
        "for range in {0}: pass",
        "import operator as torch",
        "i = operator.attrgetter('a')",
    ),
    *("try: pass\n    except Exception as torch: pass", "with {0} as torch: pass"),
    *(
        "i = (torch := {0})",
        "i = torch.ops.aten",
        "i = torch.__dict__",
        "[torch] = {0}",
    ),
)
_OWN_STATEMENTS = (
    *("{consts} = {0}", "{submods} = {0}", "{entry} = {0}", "{inlined}0 = {0}"),
    *("i = {consts}", "i = {submods}", "i = {entry}", "{entry}({0})", "del {consts}"),
    *("i = {submods}[0]", "{inlined}99998({0})", "i = {inlined}99998", "del {submods}"),
    *("{consts}[0] = {0}", "{consts}.append({0})", "{submods}.pop()", "del {entry}"),
    *("i = {consts}[:]", "i = {submods}[-1]({0})", "i = {inlined}", "i = {inlined}x"),
)
_TOP = (
    *("x = 1\n", "'text'\n", "1\n", "import os\n", "import sys, torch\n", "pass\n"),
    *("import torch as operator\n", "from torch import ops\n", "import torch.ops\n"),
    *("from os import *\n", "class C: pass\n", "async def f(): pass\n", "torch.relu\n"),
    *("from __future__ import annotations\n", "if 1: import torch\n", "del torch\n"),
    *("torch = 1\n", "def torch(x): return x\n", "def f(x): return x\n", "print()\n"),
    *("range = 1\n", "x: int = 1\n", "for i in (): pass\n", "import torchvision\n"),
)
_EXPRESSIONS = (
    *("(lambda: {0})", "[i for i in {0}]", "(i for i in {0})", "(i := {0})", "{{{0}}}"),
    *("f'{{{0}}}'", "(await {0})", "(yield {0})", "({0} if {0} else 0)", "*{0}"),
    *("({0} and {0})", "(not {0})", "({0} is {0})", "({0} in ({0},))", "**{0}"),
    *("({0} < {0} < {0})", "{{i: i for i in {0}}}", "{{**{0}}}", "[*{0}]", "1j"),
    *("{0}.data", "{0}.__class__", "{0}.__class__()", "{0}()", "{0}[0]()", "len({0})"),
    *("u''", "1e999", "getattr({0}, 'data')", "{0}.tofile('canary')", "{0}.numpy()"),
    *("'{{}}'.format({0})", "'%s'.__mod__({0})", "torch", "operator", "range", "slice"),
    *(
        "print",
        "open",
        "None.__class__",
        "''.join",
        "{0}.a.b()",
        "__debug__",
        "torch.ops",
    ),
    *("(yield)", "[" * 140 + "]" * 140, "_", "i", "__class__", "super()", "...()"),
)
_HEADS = (
    *("nowhere: int", "nowhere=torch.relu(1)", "nowhere=lambda: 1", "nowhere, /"),
    *(
        "torch",
        "operator",
        "range",
        "slice",
        "*torch",
        "nowhere=nowhere",
        "nowhere, nowhere",
    ),
    *(
        "nowhere=[i for i in ()]",
        "nowhere=(i := 1)",
        "nowhere=open('canary')",
        "*, nowhere",
    ),
    *("nowhere=1 + 1", "nowhere=__builtins__", "nowhere=torch.os", "nowhere={{}}"),
    *("{consts}", "{entry}", "{inlined}0", "nowhere={submods}", "nowhere={consts}"),
)


def _names(source: Source) -> dict[str, str]:
    dialect = source.dialect
    return {
        "consts": dialect.consts,
        "submods": dialect.submods,
        "entry": dialect.entry,
        "inlined": dialect.inlined,
    }


def statement_inserted(source: Source) -> Iterator[Change]:
    words = _names(source)
    for function in source.functions:
        for line in function.body:
            name = next((name.id for name in source.uses(function, line)), "None")
            for template in (*_STATEMENTS, *_OWN_STATEMENTS):
                new = template.format(name, **words)
                yield source.before(line, f"    {new}\n")


def line_inserted_between_functions(source: Source) -> Iterator[Change]:
    for node in source.tree.body:
        for line in _TOP:
            yield source.before(node, line)
    for line in _TOP:
        yield source.after(source.tree.body[-1], line)


def statement_wrapped(source: Source) -> Iterator[Change]:
    heads = (
        "if 1:",
        "for i in (1,):",
        "while 1:",
        "with torch:",
        "def f():",
        "class C:",
    )
    for _, line in source.bodies():
        block = "".join(f"    {one}\n" for one in source.block(line).splitlines())
        for head in heads:
            yield ((*source.lines(line), f"    {head}\n{block}"),)


def assignment_changed(source: Source) -> Iterator[Change]:
    templates = ("{0} += {1}", "{0}: int = {1}", "{0} = i = {1}", "{0}, i = {1}")
    more = (
        "{0}.i = {1}",
        "{0}[0] = {1}",
        "({0}, ) = {1}",
        "({0} := {1})",
        "*{0}, = {1}",
    )
    reserved = ("torch = {1}", "slice = {1}", "torch.i = {1}", "global {0}; {0} = {1}")
    for _, line in source.bodies():
        if isinstance(line, ast.Assign):
            name, value = source.text(line.targets[0]), source.text(line.value)
            for template in (*templates, *more, *reserved):
                yield source.put(line, template.format(name, value))


def expression_replaced(source: Source) -> Iterator[Change]:
    for call in source.calls():
        for arg in call.args:
            if not isinstance(arg, ast.Starred):
                for template in _EXPRESSIONS:
                    yield source.put(arg, template.format(source.text(arg)))


def returned_value_replaced(source: Source) -> Iterator[Change]:
    for function in source.functions:
        value = getattr(function.body[-1], "value", None)
        if value is not None:
            for template in _EXPRESSIONS:
                yield source.put(value, template.format(source.text(value)))


def callee_replaced(source: Source) -> Iterator[Change]:
    new = (
        "{0}.__call__",
        "{0}()",
        "(lambda *a: 1)",
        "open",
        "eval",
        "None",
        "[{0}][0]",
    )
    for call in source.calls():
        for template in new:
            yield source.put(call.func, template.format(source.text(call.func)))


def local_called(source: Source) -> Iterator[Change]:
    for _, line in source.bodies():
        for name in loads(line):
            yield source.put(name, f"{name.id}(1)")


def unpacked_into_a_call(source: Source) -> Iterator[Change]:
    for call in source.calls():
        end = source.span(call)[1] - 1
        given = ", " if call.args or call.keywords else ""
        before = source.data[:end].rstrip()
        given = " " if before.endswith(b",") else given
        for new in ("**None", "**{'a': 1, 'a': 2}", "**{1: 2}", "**{'a': lambda: 1}"):
            yield ((len(before), end, f"{given}{new}"),)


def parameter_changed(source: Source) -> Iterator[Change]:
    words = _names(source)
    for function in source.functions:
        for arg in source.parameters(function):
            for template in _HEADS:
                yield source.put(arg, template.format(**words))


def head_changed(source: Source) -> Iterator[Change]:
    for function in source.functions:
        start, _ = source.lines(function)
        for new in ("@torch.no_grad()\n", "@operator.call\n", "async ", "@(i := 1)\n"):
            yield ((start, start, new),)
        colon = source.data.rfind(b":", start, source.lines(function.body[0])[0])
        yield ((colon, colon, " -> None"),)
        yield source.before(function.body[0], '    """Text."""\n')
        bracket = source.data.find(b"(", start)
        yield ((bracket, bracket, "[T]"),)


def text_cut(source: Source) -> Iterator[Change]:
    end = len(source.data)
    for start in range(end):
        yield ((start, end, ""),)


def character_dropped(source: Source) -> Iterator[Change]:
    for start in range(len(source.data)):
        yield ((start, start + 1, ""),)


def character_doubled(source: Source) -> Iterator[Change]:
    for start in range(len(source.data)):
        if source.data[start] < 128:
            yield ((start, start, chr(source.data[start])),)


OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    make.__name__: make
    for make in (
        statement_inserted,
        line_inserted_between_functions,
        statement_wrapped,
        assignment_changed,
        expression_replaced,
        returned_value_replaced,
        callee_replaced,
        local_called,
        unpacked_into_a_call,
        parameter_changed,
        head_changed,
        text_cut,
        character_dropped,
        character_doubled,
    )
}
