"""Reserved names bound by every route, parameters, look-alike letters."""

from __future__ import annotations

from hostile.making import CANARY, ENTRY, Hostile, body, param, text

__all__ = ["PROGRAMS"]

PROGRAMS: list[Hostile] = [
    # Rebinding
    body("torch rebound", "AG104", "torch = x", "return torch.add(x, y)"),
    body("operator rebound", "AG104", "operator = x", "return operator.add(x, y)"),
    body("constants rebound", "AG104", "__vllm_consts__ = x", "return x"),
    body("pieces rebound", "AG104", "__vllm_submods__ = x", "return x"),
    body("range rebound", "AG104", "range = x", "return range(3)"),
    body("function bound", "AG104", "__vllm_inlined_submods__1 = x", "return x"),
    body("entry bound", "AG104", "execution_fn = x", "return x"),
    body("full-width torch", "AG104", "ｔｏｒｃｈ = x", "return torch.add(x, y)"),
    body("torch deleted", "AG104", "del torch", "return x"),
    body("debug bound", "AG104", "__debug__ = x", "return y"),
    body("Cyrillic torch", "AG101", "t\u043erch.add(x, y)"),
    # Parameters
    param("torch", "AG104", "torch", "torch.add(1, 2)"),
    text("star torch", "AG104", ENTRY.replace("*,", "*torch,")),
    text("keyword torch", "AG104", ENTRY.replace("*,", "*, torch,")),
    param("constants", "AG104", "__vllm_consts__=()"),
    param("slice", "AG104", "slice", "slice(0, 1)"),
    param("twice", "AG105", "x, x"),
    param("positional only", "AG501", "x, /"),
    param("annotation", "AG501", f"x: open({CANARY!r}, 'w')"),
    param("call in a default", "AG503", f"x=open({CANARY!r}, 'w')"),
    param("operator in a default", "AG503", "x=torch.manual_seed(0)"),
    param("slot called in a default", "AG503", "x=__vllm_consts__[0]()"),
    param("memory in a default", "AG503", "x=range(10000000000)"),
    param("method in a default", "AG503", "x='{0}'.format(1)"),
    param("lambda in a default", "AG508", f"x=lambda: open({CANARY!r}, 'w')"),
    param("power in a default", "AG508", "x=9 ** 9 ** 9"),
    param("name in a default", "AG103", "x=open"),
    param("pieces in a default", "AG101", "x=__vllm_submods__"),
    # More ways to bind reserved names
    body("torch twice", "AG104 AG104", "torch = x", "torch = y", "return x"),
    body("slice rebound", "AG104", "slice = x", "return y"),
    body("operator deleted", "AG104", "del operator", "return x"),
    body("slice deleted", "AG104", "del slice", "return x"),
    body("constants deleted", "AG104", "del __vllm_consts__", "return x"),
    body("entry deleted", "AG104", "del execution_fn", "return x"),
    body("function deleted", "AG104", "del __vllm_inlined_submods__0", "return x"),
    body("torch in a deleted tuple", "AG104", "del (x, torch)", "return y"),
    body("constants in full width", "AG104", "__vllm_con\uff53ts__ = x", "return y"),
    body("pieces in full width", "AG104", "__vllm_\uff53ubmods__ = x", "return y"),
    body(
        "torch in bold letters",
        "AG104",
        "\U0001d42d\U0001d428\U0001d42b\U0001d41c\U0001d421 = x",
        "return y",
    ),
    body(
        "range in italics",
        "AG104",
        "\U0001d45f\U0001d44e\U0001d45b\U0001d454\U0001d452 = x",
        "return y",
    ),
    body(
        "function with letters behind",
        "AG104",
        "__vllm_inlined_submods__0x = x",
        "return y",
    ),
    body(
        "function with foreign digits",
        "AG104",
        "__vllm_inlined_submods__\u0661 = x",
        "return y",
    ),
    body(
        "function without a number", "AG104", "__vllm_inlined_submods__ = x", "return y"
    ),
    body("debug deleted", "AG104", "del __debug__", "return x"),
    text("star operator", "AG104", ENTRY.replace("*,", "*operator,")),
    text(
        "two stars torch",
        "AG405 AG104",
        "def execution_fn(x, **torch):\n    return x\n",
    ),
    text(
        "two stars pieces",
        "AG405",
        "def execution_fn(x, **__vllm_submods__):\n    return x\n",
    ),
    text(
        "star pieces",
        "AG405",
        "def execution_fn(x, *__vllm_submods__):\n    return x\n",
    ),
    text(
        "pieces with a default",
        "AG405",
        "def execution_fn(x, *, __vllm_submods__=()):\n    return x\n",
    ),
    text(
        "pieces by position",
        "AG405",
        "def execution_fn(x, __vllm_submods__):\n    return x\n",
    ),
    text("no pieces", "AG405", "def execution_fn(x):\n    return x\n"),
    text("keyword constants", "AG104", ENTRY.replace("*,", "*, __vllm_consts__=1,")),
    text("keyword range", "AG104", ENTRY.replace("*,", "*, range,")),
    text(
        "parameter that is the entry",
        "AG104",
        ENTRY.replace("(x", "(execution_fn").replace("return x", "return 1"),
    ),
    text(
        "parameter that is a function",
        "AG104",
        ENTRY.replace("(x", "(__vllm_inlined_submods__0").replace(
            "return x", "return 1"
        ),
    ),
    text(
        "full-width parameter",
        "AG104",
        ENTRY.replace("(x", "(\uff54\uff4f\uff52\uff43\uff48").replace(
            "return x", "return 1"
        ),
    ),
    text(
        "parameters that are one name",
        "AG105",
        ENTRY.replace("(x", "(a, \uff41").replace("return x", "return a"),
    ),
    text(
        "function called operator", "AG104", "def operator(x):\n    return x\n" + ENTRY
    ),
    text("function called range", "AG104", "def range(x):\n    return x\n" + ENTRY),
    text(
        "function called constants",
        "AG104",
        "def __vllm_consts__(x):\n    return x\n" + ENTRY,
    ),
    text(
        "function called pieces",
        "AG104",
        "def __vllm_submods__(x):\n    return x\n" + ENTRY,
    ),
    text(
        "function called __getattr__",
        "AG405",
        "def __getattr__(x):\n    return x\n" + ENTRY,
    ),
    text(
        "function called __import__",
        "AG405",
        "def __import__(x):\n    return x\n" + ENTRY,
    ),
    text(
        "full-width function",
        "AG104",
        "def \uff54\uff4f\uff52\uff43\uff48(x):\n    return x\n" + ENTRY,
    ),
    text("class called torch", "AG501", "class torch: pass\n" + ENTRY),
    text("import that is torch", "AG102", "import operator as torch\n" + ENTRY),
    text(
        "import that is constants", "AG102", "import torch as __vllm_consts__\n" + ENTRY
    ),
    text(
        "import that is range", "AG102", "from builtins import eval as range\n" + ENTRY
    ),
    text("import in full width", "AG102", "import \uff4f\uff53\n" + ENTRY),
    text("import of builtins", "AG102", "import builtins\n" + ENTRY),
    text(
        "import of a dotted name", "AG102", "import torch.utils.cpp_extension\n" + ENTRY
    ),
    text("import of two", "AG102", "import torch, os\n" + ENTRY),
    text("import below the functions", "AG102", ENTRY + "import torch\n"),
    text("import under its own name", "AG102", "import torch as torch\n" + ENTRY),
    # Look-alikes
    body("Cyrillic operator", "AG101", "\u043eperator.add(x, y)"),
    body("Greek torch", "AG101", "t\u03bfrch.add(x, y)"),
    body("Cyrillic entry", "AG101", "\u0435xecution_fn(x)"),
    body("Cyrillic constants", "AG101", "__vllm_c\u043ensts__[0]"),
    body("look-alike local", "AG101", "z\u0430 = x", "return za"),
    body("combining mark", "AG101", "x\u0301 = y", "return \u1e8b"),
    body("full-width eval", "AG103", "\uff45val('1')"),
    body("full-width import", "AG103", "__\uff49mport__('os')"),
    body("full-width attribute", "AG502", "torch.\uff4fs.system('x')"),
    body("full-width loader", "AG502", "torch.\uff4c\uff4f\uff41\uff44('x')"),
    body("ligature", "AG103", "o\u1d56en('x')"),
    body("letter that needs no case", "AG502", "torch.\u2113oad('x')"),
    body("Cyrillic method", "AG507", "x.\u0430dd(y)"),
    body("right-to-left override", "AG001", "torch.add(x, y)\u202e"),
    body("zero-width space", "AG001", "tor\u200bch.add(x, y)"),
    body("soft hyphen", "AG001", "tor\u00adch.add(x, y)"),
    body("no-break space", "AG001", "torch.add(x,\u00a0y)"),
    body("line separator", "AG001", "torch.add(x, y)\u2028"),
    text(
        "comment with a carriage return",
        "AG501",
        f"# \ropen({CANARY!r}, 'w')\n" + ENTRY,
    ),
    text("comment with a form feed", "AG405", "# \f" + ENTRY.replace("\n", " ") + "\n"),
    text(
        "string that looks closed",
        "AG103",
        ENTRY.replace(
            "return x", f"return torch.add('a\\'', open({CANARY!r}))"
        ).replace("def", "import torch\ndef", 1),
    ),
    # More defaults
    param("list comprehension in a default", "AG508", "x=[open for _ in (1,)]"),
    param("f-string in a default", "AG508", "x=f'{1}'"),
    param("dict in a default", "AG508", "x={'a': 1}"),
    param("set in a default", "AG508", "x={1}"),
    param("walrus in a default", "AG508", "x=(torch := 1)"),
    param("comparison in a default", "AG508", "x=1 < 2"),
    param("shift in a default", "AG508", "x=1 << 9999999999"),
    param("product in a default", "AG508", "x='x' * 9999999999"),
    param("conditional in a default", "AG508", "x=1 if 2 else 3"),
    param("await in a default", "AG508", "x=(await 1)"),
    param("star in a default", "AG508", "x=(*'ab',)"),
    param("slice in a default", "AG508", "x=__vllm_consts__[0:1]"),
    param("all constants in a default", "AG311", "x=__vllm_consts__"),
    param("sign of a slot in a default", "AG508", "x=-__vllm_consts__[0]"),
    param("item of a default", "AG501", "x=__vllm_consts__[0][1]"),
    param("attribute in a default", "AG502", "x=__vllm_consts__[0].__class__"),
    param("keyword in a default's call", "AG503 AG508", "x=torch.device(type='cpu')"),
    param("device made in a default", "AG503", "x=torch.device('cpu')"),
    param("size made in a default", "AG503", "x=torch.Size((1,))"),
    param("operator in a default's list", "AG503", "x=[torch.rand(9)]"),
    param("getitem in a default", "AG503", "x=operator.getitem('x', 0)"),
    param("function in a default", "AG404", "x=__vllm_inlined_submods__0"),
    param("other parameter in a default", "AG101", "x, y=x"),
    param("entry in a default", "AG503", "x=execution_fn"),
    text(
        "default of a keyword",
        "AG503",
        ENTRY.replace("*,", f"*, z=open({CANARY!r}, 'w'),"),
    ),
    text(
        "default of an inlined function",
        "AG503",
        f"def __vllm_inlined_submods__0(x=open({CANARY!r}, 'w')):\n    return x\n"
        + ENTRY,
    ),
    text(
        "annotation of a keyword",
        "AG501",
        ENTRY.replace("*,", f"*, z: open({CANARY!r}, 'w'),"),
    ),
    text(
        "annotation of a star",
        "AG501",
        ENTRY.replace("*,", f"*z: open({CANARY!r}, 'w'),"),
    ),
    text(
        "annotation of two stars",
        "AG501",
        ENTRY.replace("__)", f"__, **z: open({CANARY!r}, 'w'))"),
    ),
    text("annotation of the pieces", "AG501", ENTRY.replace("__)", "__: eval)")),
    text("string annotation", "AG501", ENTRY.replace("(x", "(x: 'open'")),
    text(
        "annotation of an inlined function",
        "AG501",
        f"def __vllm_inlined_submods__0(x) -> open({CANARY!r}):\n    return x\n"
        + ENTRY,
    ),
    text(
        "comment for the type checker",
        "AG103",
        ENTRY.replace("return x", "return eval  # type: ignore"),
    ),
]
