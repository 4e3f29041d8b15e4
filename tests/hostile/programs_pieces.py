"""Slots, pieces, functions and imports."""

from __future__ import annotations

from hostile.making import CANARY, ENTRY, Hostile, body, param, text

__all__ = ["PROGRAMS"]

PROGRAMS: list[Hostile] = [
    # Slots
    body("constants as a value", "AG311", "operator.setitem(__vllm_consts__, 0, x)"),
    body("constants through getitem", "AG311", "operator.getitem(__vllm_consts__, x)"),
    body("method of constants", "AG311", "__vllm_consts__.append(x)"),
    body("constants in a local", "AG311", "z = __vllm_consts__", "return z[x]"),
    body("all constants", "AG301", "__vllm_consts__[:]"),
    body("computed constant", "AG301", "__vllm_consts__[x]"),
    body("negative constant", "AG301", "__vllm_consts__[-1]"),
    body("true constant", "AG301", "__vllm_consts__[True]"),
    body("endless constant", "AG301", f"__vllm_consts__[0x{'f' * 5000}]"),
    body("computed piece", "AG401", "__vllm_submods__[x](y)"),
    body("negative piece", "AG401", "__vllm_submods__[-1](y)"),
    body("piece as a value", "AG311", "__vllm_submods__[0]"),
    body("pieces passed to a slot", "AG311", "__vllm_consts__[0](__vllm_submods__)"),
    body("pieces deleted", "AG104", "del __vllm_submods__", "return x"),
    # Modules and functions
    text("other import", "AG102", "import os\n" + ENTRY),
    text("import from", "AG102", "from os import system\n" + ENTRY),
    text("future import", "AG102", "from __future__ import annotations\n" + ENTRY),
    text("star import", "AG102", "from torch import *\n" + ENTRY),
    text("relative import", "AG102", "from . import torch\n" + ENTRY),
    text("alias", "AG102", "import os as torch\n" + ENTRY),
    text("submodule", "AG102", "import torch.os\n" + ENTRY),
    text("code at the top", "AG501", f"open({CANARY!r}, 'w')\n" + ENTRY),
    text("docstring", "AG501", "'''text'''\n" + ENTRY),
    text("decorator", "AG501", "@eval\n" + ENTRY),
    text("called decorator", "AG501", f"@open({CANARY!r}, 'w').write\n" + ENTRY),
    text("returned annotation", "AG501", ENTRY.replace(":\n", " -> open('x'):\n", 1)),
    text("async entry", "AG501", "async " + ENTRY),
    text("class at the top", "AG501", "class A: x = open\n" + ENTRY),
    text("condition at the top", "AG501", f"if open({CANARY!r}, 'w'): pass\n" + ENTRY),
    text("function called torch", "AG104", "def torch(x):\n    return x\n" + ENTRY),
    text("foreign function", "AG405", "def system(x):\n    return x\n" + ENTRY),
    text("no entry", "AG405", ENTRY.replace("execution_fn", "forward")),
    text("second entry", "AG105", ENTRY + ENTRY.replace("return x", "return 1")),
    text(
        "recursion",
        "AG404",
        "def __vllm_inlined_submods__0(x):\n"
        "    return __vllm_inlined_submods__0(x)\n" + ENTRY,
    ),
    text(
        "false pieces",
        "AG406",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n"
        "    return __vllm_submods__[0](x)\n"
        "def execution_fn(x, y, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(x, y)\n",
    ),
    text(
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
    # More slots
    body("constants in a container", "AG311", "[__vllm_consts__]"),
    body("constants as a keyword", "AG311", "torch.add(x, out=__vllm_consts__)"),
    body("constants behind a star", "AG311", "torch.add(*__vllm_consts__)"),
    body("constants in arithmetic", "AG311", "__vllm_consts__ + [x]"),
    body("constants compared", "AG311", "__vllm_consts__ < x"),
    body("constants returned", "AG311", "__vllm_consts__"),
    body("constants called", "AG311", "__vllm_consts__(x)"),
    body("constants as an index", "AG311", "x[__vllm_consts__]"),
    body("item set through a method", "AG311", "__vllm_consts__.__setitem__(0, x)"),
    body(
        "item of constants through a method", "AG311", "__vllm_consts__.__getitem__(x)"
    ),
    body("attribute of constants", "AG311", "__vllm_consts__.__class__"),
    body("constant by a float", "AG301", "__vllm_consts__[0.0]"),
    body("constant by a string", "AG301", "__vllm_consts__['0']"),
    body("constant by None", "AG301", "__vllm_consts__[None]"),
    body("constant by arithmetic", "AG301", "__vllm_consts__[0 + 1]"),
    body("constant by a plus", "AG301", "__vllm_consts__[+1]"),
    body("constant by two", "AG301", "__vllm_consts__[0, 1]"),
    body("constant by a call", "AG301", f"__vllm_consts__[open({CANARY!r}, 'w')]"),
    body("constant by a constant", "AG301", "__vllm_consts__[__vllm_consts__[0]]"),
    body("constant by a walrus", "AG508", "__vllm_consts__[(z := 0)]"),
    body("constant far away", "AG301", "__vllm_consts__[99999999999999]"),
    body("piece by a call", "AG401", f"__vllm_submods__[open({CANARY!r}, 'w')](x)"),
    body("piece by a slice", "AG401", "__vllm_submods__[0:1](x)"),
    body("piece by a string", "AG401", "__vllm_submods__['a'](x)"),
    body("piece in a local", "AG311", "z = __vllm_submods__[0]", "return z"),
    body("piece in a container", "AG311", "[__vllm_submods__[0]]"),
    body("piece as an argument", "AG311", "torch.add(x, __vllm_submods__[0])"),
    body("attribute of a piece", "AG311 AG502", "__vllm_submods__[0].forward"),
    body("method of a piece", "AG311", "__vllm_submods__[0].to(x)"),
    body("pieces in a container", "AG311", "(__vllm_submods__, x)"),
    body("pieces behind a star", "AG311", "torch.add(*__vllm_submods__)"),
    body("pieces as a keyword", "AG311", "torch.add(x, out=__vllm_submods__)"),
    body("method of the pieces", "AG311", "__vllm_submods__.__setitem__(0, x)"),
    body("pieces called", "AG311", "__vllm_submods__(x)"),
    param("piece in a default", "AG101", "x=__vllm_submods__[0]"),
    param("constant by a name in a default", "AG301", "x=__vllm_consts__[range]"),
    param("negative constant in a default", "AG301", "x=__vllm_consts__[-1]"),
    # More functions
    text(
        "functions that call each other",
        "AG404",
        "def __vllm_inlined_submods__0(x):\n    return __vllm_inlined_submods__1(x)\ndef __vllm_inlined_submods__1(x):\n    return __vllm_inlined_submods__0(x)\n"
        + ENTRY,
    ),
    text(
        "entry calls itself",
        "AG503",
        ENTRY.replace("return x", "return execution_fn(x, __vllm_submods__=x)"),
    ),
    text("entry as a value", "AG503", ENTRY.replace("return x", "return execution_fn")),
    text(
        "function behind the entry",
        "AG405",
        ENTRY + "def __vllm_inlined_submods__0(x):\n    return x\n",
    ),
    text(
        "other function with the same name",
        "AG105",
        "def __vllm_inlined_submods__0(x):\n    return x\ndef __vllm_inlined_submods__0(x):\n    return 1\n"
        + ENTRY,
    ),
    text(
        "copy with a decorator",
        "AG501 AG105",
        "def __vllm_inlined_submods__0(x):\n    return x\n@eval\ndef __vllm_inlined_submods__0(x):\n    return x\n"
        + ENTRY,
    ),
    text(
        "copy with another default",
        "AG105",
        "def __vllm_inlined_submods__0(x=1):\n    return x\ndef __vllm_inlined_submods__0(x=True):\n    return x\n"
        + ENTRY,
    ),
    text(
        "method of a function",
        "AG507",
        "def __vllm_inlined_submods__0(x):\n    return x\ndef execution_fn(x, *, __vllm_submods__):\n    return __vllm_inlined_submods__0.__get__(x)\n",
    ),
    text(
        "attribute of a function",
        "AG502",
        "def __vllm_inlined_submods__0(x):\n    return x\ndef execution_fn(x, *, __vllm_submods__):\n    return __vllm_inlined_submods__0.__globals__\n",
    ),
    text(
        "pieces without the parameter",
        "AG101",
        "def __vllm_inlined_submods__0(x):\n    return __vllm_submods__[0](x)\n"
        + ENTRY,
    ),
    text(
        "pieces returned by a function",
        "AG311",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n    return __vllm_submods__\n"
        + ENTRY,
    ),
    text(
        "function with pieces in a local",
        "AG311",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n    return __vllm_submods__[0](x)\ndef execution_fn(x, *, __vllm_submods__):\n    z = __vllm_inlined_submods__0\n    return z\n",
    ),
    text(
        "false pieces from a slot",
        "AG406",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n    return __vllm_submods__[0](x)\ndef execution_fn(x, *, __vllm_submods__):\n    return __vllm_inlined_submods__0(x, __vllm_consts__[0])\n",
    ),
    text(
        "false pieces by keyword",
        "AG406",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n    return __vllm_submods__[0](x)\ndef execution_fn(x, *, __vllm_submods__):\n    return __vllm_inlined_submods__0(x, __vllm_submods__=x)\n",
    ),
    text(
        "false pieces in a list",
        "AG406",
        "def __vllm_inlined_submods__0(x, __vllm_submods__):\n    return __vllm_submods__[0](x)\ndef execution_fn(x, *, __vllm_submods__):\n    return __vllm_inlined_submods__0(x, [x])\n",
    ),
    text("import of a slot", "AG102", "from __vllm_consts__ import x\n" + ENTRY),
]
