"""Programs that want to run something, read something or slip past the checker.

Every program is written for this list. Where a program would leave a trace if any
of it ran, the trace is the file `CANARY`, in the working directory of the test.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

__all__ = ["CANARY", "HOSTILE", "Hostile"]

CANARY = "canary"
TOUCH = f"touch {CANARY}"
HEAD = "import torch\nimport operator\n"


@dataclass(frozen=True)
class Hostile:
    """A program and the rules that refuse it, one for each finding."""

    name: str
    rules: str
    text: str


def _body(name: str, rules: str, *lines: str) -> Hostile:
    """A program whose entry has these lines; a single one is returned."""
    if len(lines) == 1 and not lines[0].startswith(("return", "yield", "await")):
        lines = (f"return {lines[0]}",)
    body = "".join(f"    {line}\n" for line in lines)
    head = f"{HEAD}def execution_fn(x, y, *, __vllm_submods__):\n"
    return Hostile(name, rules, head + body)


def _param(name: str, rules: str, parameters: str, result: str = "1") -> Hostile:
    text = f"{HEAD}def execution_fn({parameters}, *, __vllm_submods__):\n"
    return Hostile(name, rules, f"{text}    return {result}\n")


def _text(name: str, rules: str, text: str) -> Hostile:
    return Hostile(name, rules, text)


ENTRY = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"

HOSTILE = [
    # Tunnels through the two modules
    _body("os behind torch", "AG502", f"torch.os.system({TOUCH!r})"),
    _body("sys behind torch", "AG502", "torch.sys.modules"),
    _body("builtins behind torch", "AG502", f"torch.builtins.open({CANARY!r}, 'w')"),
    _body("unpickling", "AG502", f"torch.serialization.load({CANARY!r})"),
    _body("torch.load", "AG502", f"torch.load({CANARY!r})"),
    _body("torch.save", "AG502", f"torch.save(x, {CANARY!r})"),
    _body("file mapping", "AG502", f"torch.from_file({CANARY!r}, True, 8)"),
    _body("file operator", "AG502", f"torch.ops.aten.from_file.default({CANARY!r})"),
    _body("library", "AG502", f"torch.ops.load_library({CANARY!r})"),
    _body("script classes", "AG502", f"torch.classes.load_library({CANARY!r})"),
    _body("tensor loader", "AG502", f"torch.ops.debugprims.load_tensor({CANARY!r})"),
    _body("inline extension", "AG502", "torch.utils.cpp_extension.load_inline('x')"),
    _body("hub", "AG502", "torch.hub.load('a/b', 'c')"),
    _body("compiler config", "AG502", "torch._dynamo.config.patch('x')"),
    _body("eval in torch", "AG502", "torch.jit.frontend.ast.literal_eval('1')"),
    _body("module globals", "AG502", "torch.__dict__"),
    _body("loader", "AG502", "torch.__loader__.load_module('os')"),
    _body("function globals", "AG502", "torch.add.__globals__"),
    _body("call by another name", "AG502", "torch.add.__call__(x, y)"),
    _body("attribute getter", "AG503", "operator.attrgetter('a.b')(x)"),
    _body("method caller", "AG503", "operator.methodcaller('tofile')(x)"),
    _body("operator.call", "AG502", f"operator.call(x, {TOUCH!r})"),
    _body("operator builtins", "AG502", "operator.__builtins__"),
    _body("item getter", "AG502", "operator.itemgetter(0)"),
    _body("module as a value", "AG502", "__vllm_submods__[0](torch)"),
    _body("module in a local", "AG502", "t = torch", "return t.add(x, y)"),
    _body("no such operator", "AG502", "torch.ops.aten.not_there.default(x)"),
    _body("packet attribute", "AG502", "torch.ops.vllm.all_reduce.op(x)"),
    _body("operator globals", "AG502", "torch.ops.vllm.all_reduce.__globals__"),
    _body("namespace attribute", "AG502", "torch.ops.vllm._dir.append(x)"),
    _body("too long a path", "AG502", "torch.ops.vllm.a.default.py_impl(x)"),
    _body("unknown namespace", "AG506", "torch.ops.evil.run(x)"),
    # Builtins
    _body("import function", "AG103 AG507", f"__import__('os').system({TOUCH!r})"),
    _body("builtins module", "AG103", "__builtins__['eval']"),
    _body("eval", "AG103", "eval('1')"),
    _body("exec", "AG103", "exec('import os')"),
    _body("compile", "AG103", "compile('1', '', 'eval')"),
    _body("open", "AG103", f"open({CANARY!r}, 'w')"),
    _body("getattr", "AG103", "getattr(x, '__class__')"),
    _body("globals", "AG103", "globals()"),
    _body("breakpoint", "AG103", "breakpoint()"),
    _body("debug flag", "AG103", "__debug__"),
    _body("module spec", "AG103", "__spec__.loader"),
    _body("file name", "AG101", "__file__"),
    # Dunder attributes and methods
    _body("class of a value", "AG502", "x.__class__"),
    _body("class of a literal", "AG502", "''.__class__"),
    _body("subclasses", "AG502 AG507", "().__class__.__base__.__subclasses__()"),
    _body("globals of a slot", "AG502", "__vllm_consts__[0].__globals__"),
    _body("globals of a function", "AG502", "__vllm_submods__[0](x).__globals__"),
    _body("reduce", "AG507", "x.__reduce_ex__(2)"),
    _body("getattribute", "AG507", "x.__getattribute__('__class__')"),
    _body("format", "AG507", "'{0.__class__}'.format(x)"),
    _body("file-writing method", "AG507 AG507", f"x.numpy().tofile({CANARY!r})"),
    _body("hook", "AG507", "x.register_hook(y)"),
    _body("map over elements", "AG507", "x.map_(y, __vllm_consts__[0])"),
    _body("apply", "AG507", "x.apply_(__vllm_consts__[0])"),
    _body("storage", "AG507", "x.untyped_storage()"),
    _body("pointer", "AG507", "x.data_ptr()"),
    _body("private attribute", "AG502", "x._backward_hooks"),
    # Calls of what is not known
    _body("local", "AG503", "z = __vllm_consts__[0]", "return z(x)"),
    _body("parameter", "AG503", "x(y)"),
    _body("item", "AG503", "x[0](y)"),
    _body("result", "AG503", "__vllm_submods__[0](x)(y)"),
    _body("item of a list", "AG503", "[torch.add, torch.sub][0](x, y)"),
    _body("lambda", "AG503", "(lambda: 1)()"),
    _body("conditional callee", "AG503", "(torch.add if x else torch.sub)(x, y)"),
    _body("string", "AG503", "'torch.add'(x, y)"),
    _body("itself", "AG503", "execution_fn(x, y, __vllm_submods__=x)"),
    # Expressions
    _body("lambda argument", "AG508", "__vllm_submods__[0](lambda: open)"),
    _body("list comprehension", "AG508", "[open for _ in x]"),
    _body("generator", "AG508", "__vllm_submods__[0](open(z) for z in x)"),
    _body("dict comprehension", "AG508", "{z: open for z in x}"),
    _body("set comprehension", "AG508", "{open for z in x}"),
    _body("walrus", "AG508", "__vllm_submods__[0](torch := x)"),
    _body("f-string", "AG508", "f'{x.__class__}'"),
    _body("nested f-string", "AG508", "f'{x:{y}}'"),
    _body("await", "AG508", "__vllm_submods__[0](await x)"),
    _body("yield", "AG508", "z = yield x", "return z"),
    _body("dict unpacking", "AG508", "{**x}"),
    _body("keyword unpacking", "AG508", "__vllm_submods__[0](**x)"),
    _body("repeated keyword", "AG508", "__vllm_submods__[0](a=1, a=2)"),
    _body("look-alike keyword", "AG508", "__vllm_submods__[0](a=1, ａ=2)"),
    _body("debug keyword", "AG508", "__vllm_submods__[0](__debug__=1)"),
    # Statements
    _body("global", "AG501", "global torch", "return x"),
    _body("nonlocal", "AG501", "nonlocal x", "return y"),
    _body("class", "AG501", "class z(x): a = open", "return x"),
    _body("nested function", "AG501", "def z(): return open", "return z()"),
    _body("try", "AG501", "try: z = open", "finally: z = 1", "return z"),
    _body("with", "AG501", f"with open({CANARY!r}, 'w') as z: z = 1", "return z"),
    _body("loop", "AG501", "while x: y = open", "return y"),
    _body("assert", "AG501", "assert open", "return x"),
    _body("raise", "AG501", "raise x", "return x"),
    _body("match", "AG501", "match x:", "    case open: z = 1", "return z"),
    _body("item assignment", "AG501", "x[open] = y", "return x"),
    _body("attribute assignment", "AG501", "x.grad_fn = y", "return x"),
    _body("patched torch", "AG501", "torch.add = y", "return x"),
    _body("patched constant", "AG501", "__vllm_consts__[0] = y", "return x"),
    _body("deleted attribute", "AG501", "del x.grad", "return x"),
    _body("deleted item", "AG501", "del __vllm_consts__[0]", "return x"),
    _body("unpacking", "AG501", "*z, w = x", "return z"),
    _body("import inside", "AG102", "import os", f"return os.system({TOUCH!r})"),
    _body("import from inside", "AG102", "from os import system", "return system"),
    # Rebinding
    _body("torch rebound", "AG104", "torch = x", "return torch.add(x, y)"),
    _body("operator rebound", "AG104", "operator = x", "return operator.add(x, y)"),
    _body("constants rebound", "AG104", "__vllm_consts__ = x", "return x"),
    _body("pieces rebound", "AG104", "__vllm_submods__ = x", "return x"),
    _body("range rebound", "AG104", "range = x", "return range(3)"),
    _body("function bound", "AG104", "__vllm_inlined_submods__1 = x", "return x"),
    _body("entry bound", "AG104", "execution_fn = x", "return x"),
    _body("full-width torch", "AG104", "ｔｏｒｃｈ = x", "return torch.add(x, y)"),
    _body("torch deleted", "AG104", "del torch", "return x"),
    _body("debug bound", "AG104", "__debug__ = x", "return y"),
    _body("Cyrillic torch", "AG101", "t\u043erch.add(x, y)"),
    # Parameters
    _param("torch", "AG104", "torch", "torch.add(1, 2)"),
    _text("star torch", "AG104", ENTRY.replace("*,", "*torch,")),
    _text("keyword torch", "AG104", ENTRY.replace("*,", "*, torch,")),
    _param("constants", "AG104", "__vllm_consts__=()"),
    _param("slice", "AG104", "slice", "slice(0, 1)"),
    _param("twice", "AG105", "x, x"),
    _param("positional only", "AG501", "x, /"),
    _param("annotation", "AG501", f"x: open({CANARY!r}, 'w')"),
    _param("call in a default", "AG503", f"x=open({CANARY!r}, 'w')"),
    _param("operator in a default", "AG503", "x=torch.manual_seed(0)"),
    _param("slot called in a default", "AG503", "x=__vllm_consts__[0]()"),
    _param("memory in a default", "AG503", "x=range(10000000000)"),
    _param("method in a default", "AG503", "x='{0}'.format(1)"),
    _param("lambda in a default", "AG508", f"x=lambda: open({CANARY!r}, 'w')"),
    _param("power in a default", "AG508", "x=9 ** 9 ** 9"),
    _param("name in a default", "AG103", "x=open"),
    _param("pieces in a default", "AG101", "x=__vllm_submods__"),
    # Slots
    _body("constants as a value", "AG311", "operator.setitem(__vllm_consts__, 0, x)"),
    _body("constants through getitem", "AG311", "operator.getitem(__vllm_consts__, x)"),
    _body("method of constants", "AG311", "__vllm_consts__.append(x)"),
    _body("constants in a local", "AG311", "z = __vllm_consts__", "return z[x]"),
    _body("all constants", "AG301", "__vllm_consts__[:]"),
    _body("computed constant", "AG301", "__vllm_consts__[x]"),
    _body("negative constant", "AG301", "__vllm_consts__[-1]"),
    _body("true constant", "AG301", "__vllm_consts__[True]"),
    _body("endless constant", "AG301", f"__vllm_consts__[0x{'f' * 5000}]"),
    _body("computed piece", "AG401", "__vllm_submods__[x](y)"),
    _body("negative piece", "AG401", "__vllm_submods__[-1](y)"),
    _body("piece as a value", "AG311", "__vllm_submods__[0]"),
    _body("pieces passed to a slot", "AG311", "__vllm_consts__[0](__vllm_submods__)"),
    _body("pieces deleted", "AG104", "del __vllm_submods__", "return x"),
    # Modules and functions
    _text("other import", "AG102", "import os\n" + ENTRY),
    _text("import from", "AG102", "from os import system\n" + ENTRY),
    _text("future import", "AG102", "from __future__ import annotations\n" + ENTRY),
    _text("star import", "AG102", "from torch import *\n" + ENTRY),
    _text("relative import", "AG102", "from . import torch\n" + ENTRY),
    _text("alias", "AG102", "import os as torch\n" + ENTRY),
    _text("submodule", "AG102", "import torch.os\n" + ENTRY),
    _text("code at the top", "AG501", f"open({CANARY!r}, 'w')\n" + ENTRY),
    _text("docstring", "AG501", "'''text'''\n" + ENTRY),
    _text("decorator", "AG501", "@eval\n" + ENTRY),
    _text("called decorator", "AG501", f"@open({CANARY!r}, 'w').write\n" + ENTRY),
    _text("returned annotation", "AG501", ENTRY.replace(":\n", " -> open('x'):\n", 1)),
    _text("async entry", "AG501", "async " + ENTRY),
    _text("class at the top", "AG501", "class A: x = open\n" + ENTRY),
    _text("condition at the top", "AG501", f"if open({CANARY!r}, 'w'): pass\n" + ENTRY),
    _text("function called torch", "AG104", "def torch(x):\n    return x\n" + ENTRY),
    _text("foreign function", "AG405", "def system(x):\n    return x\n" + ENTRY),
    _text("no entry", "AG405", ENTRY.replace("execution_fn", "forward")),
    _text("second entry", "AG105", ENTRY + ENTRY.replace("return x", "return 1")),
    _text(
        "recursion",
        "AG404",
        "def __vllm_inlined_submods__0(x):\n"
        "    return __vllm_inlined_submods__0(x)\n" + ENTRY,
    ),
    _text(
        "false pieces",
        "AG406",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n"
        "    return __vllm_submods__[0](x)\n"
        "def execution_fn(x, y, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(x, y)\n",
    ),
    _text(
        "false pieces through a higher-order operator",
        "AG311",
        "import torch\n"
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n"
        "    return __vllm_submods__[0](x)\n"
        "def execution_fn(x, y, *, __vllm_submods__):\n"
        "    return torch.ops.higher_order.cond(\n"
        "        x, __vllm_inlined_submods__0, __vllm_consts__[0], (x, y)\n"
        "    )\n",
    ),
    # Text that is no text
    _text("null byte", "AG001", ENTRY + "\0"),
    _text("lone surrogate", "AG001", ENTRY + "# \ud800\n"),
    _text("byte order mark", "AG001", "\ufeff" + ENTRY),
    _text("end of file character", "AG001", ENTRY + "\x1a"),
    _text("endless number", "AG001", ENTRY.replace("x\n", "9" * 5000 + "\n")),
    _text("parentheses", "AG001", ENTRY.replace("x\n", "(" * 9000 + ")" * 9000)),
    _text("signs", "AG001", ENTRY.replace("x\n", "-" * 100_000 + "1\n")),
    _body("lists", "AG509", "[" * 190 + "x" + "]" * 190),
    _body("sum", "AG509", "x" + " + x" * 500),
    _body("chain of calls", "AG509", "x" + ".abs()" * 300),
    _text("empty", "AG405", ""),
    _text("only a comment", "AG405", "# coding: rot13\n"),
]

if sys.version_info >= (3, 12):
    HOSTILE += [
        _body("type alias", "AG501", "type z = open", "return x"),
        _text("type parameter", "AG501", ENTRY.replace("(x", "[T: open](x", 1)),
    ]
if sys.version_info >= (3, 11):
    HOSTILE += [
        _body("exception group", "AG501", "try: z = 1", "except* x: z = 2", "return z"),
        _body("starred index", "AG508", "x[*y]"),
    ]
if sys.version_info >= (3, 14):
    HOSTILE += [_body("t-string", "AG508", "t'{x}'")]
