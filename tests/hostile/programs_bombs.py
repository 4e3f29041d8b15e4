"""Text that is no text, nesting, and what takes long to read or to compile."""

from __future__ import annotations

from hostile.making import ENTRY, Hostile, body, param, text

__all__ = ["PROGRAMS"]

PROGRAMS: list[Hostile] = [
    # Text that is no text
    text("null byte", "AG001", ENTRY + "\0"),
    text("lone surrogate", "AG001", ENTRY + "# \ud800\n"),
    text("byte order mark", "AG001", "\ufeff" + ENTRY),
    text("end of file character", "AG001", ENTRY + "\x1a"),
    text("endless number", "AG001", ENTRY.replace("x\n", "9" * 5000 + "\n")),
    text("parentheses", "AG001", ENTRY.replace("x\n", "(" * 9000 + ")" * 9000)),
    text("signs", "AG001", ENTRY.replace("x\n", "-" * 100_000 + "1\n")),
    body("lists", "AG509", "[" * 190 + "x" + "]" * 190),
    body("sum", "AG509", "x" + " + x" * 500),
    body("chain of calls", "AG509", "x" + ".abs()" * 300),
    text("empty", "AG405", ""),
    text("only a comment", "AG405", "# coding: rot13\n"),
    # More text that is no text
    text("null byte in a string", "AG001", ENTRY.replace("return x", "return 'a\0b'")),
    text("null byte in a comment", "AG001", ENTRY + "# \0open\n"),
    text("null byte first", "AG001", "\0" + ENTRY),
    text("lone surrogate in a name", "AG001", ENTRY.replace("x", "x\udc80")),
    text(
        "lone surrogate in a string",
        "AG001",
        ENTRY.replace("return x", "return '\ud83d'"),
    ),
    text(
        "byte order mark inside", "AG001", ENTRY.replace("return x", "return \ufeffx")
    ),
    text("two byte order marks", "AG001", "\ufeff\ufeff" + ENTRY),
    text("escape character", "AG001", "\x1b[2J" + ENTRY),
    text("backspaces", "AG001", "\b\b" + ENTRY),
    text("unclosed string", "AG001", ENTRY + "'''"),
    text("unclosed bracket", "AG001", ENTRY + "("),
    text("backslash at the end", "AG001", ENTRY + "\\"),
    text(
        "tabs and spaces",
        "AG001",
        ENTRY.replace("    return", "\tz = x\n        return"),
    ),
    text(
        "bad escape of a character",
        "AG001",
        ENTRY.replace("return x", "return '\\N{no such name}'"),
    ),
    text("bad escape of a number", "AG001", ENTRY.replace("return x", "return '\\x1'")),
    text("letters in bytes", "AG001", ENTRY.replace("return x", "return b'\u0430'")),
    text("old octal number", "AG001", ENTRY.replace("return x", "return 0777")),
    text("old print", "AG001", ENTRY.replace("return x", "print x")),
    text("old backticks", "AG001", ENTRY.replace("return x", "return `x`")),
    text("old exec", "AG001", ENTRY.replace("return x", "exec 'import os'")),
    text("barry", "AG102", "from __future__ import barry_as_FLUFL\n" + ENTRY),
    text("cookie for rot13", "AG501", "# -*- coding: rot13 -*-\nbcra('k')\n" + ENTRY),
    text("cookie for UTF-7", "AG501", "# coding: utf-7\n'+AGE-'\n" + ENTRY),
    text(
        "cookie for escapes",
        "AG501",
        "# coding: unicode_escape\n'\\x27, open()'\n" + ENTRY,
    ),
    text("UTF-7 that opens a line", "AG405", "# coding: utf-7\n#+AAo-import os\n"),
    text("spaces only", "AG405", "   \n"),
    text("form feeds only", "AG405", "\f\f\n"),
    text("ends in the middle", "AG001", ENTRY[:30]),
    text("binary", "AG001", "".join(map(chr, range(256)))),
    # Nesting
    body("tuples", "AG509", "(" * 150 + "x" + ",)" * 150),
    body("dicts", "AG509", "{'a':" * 150 + "x" + "}" * 150),
    body("subscripts", "AG509", "x" + "[0]" * 300),
    body("subscripts in subscripts", "AG509", "x[" * 150 + "0" + "]" * 150),
    body("arguments in arguments", "AG509", "torch.neg(" * 150 + "x" + ")" * 150),
    body("attributes", "AG502", "torch" + ".a" * 100),
    body("many attributes", "AG001", "torch" + ".a" * 300),
    body("attributes of a value", "AG001", "x" + ".a" * 300),
    body("powers", "AG509", "x" + " ** x" * 150),
    body("signs of a name", "AG509", "-" * 300 + "x"),
    body("unpacked in unpacked", "AG509", "torch.add(*" * 90 + "x" + ")" * 90),
    body("comparisons", "AG508", "x" + " < x" * 3000),
    body("lambdas", "AG508", "torch.add(x, " + "lambda: " * 60 + "x)"),
    body("conditionals", "AG508", "x if y else " * 60 + "x"),
    body(
        "nested functions",
        "AG501",
        *("def f():".rjust(8 + n) for n in range(50)),
        " " * 50 + "z = 1",
        "return x",
    ),
    param("lists in a default", "AG509", "x=" + "[" * 150 + "]" * 150),
    text(
        "functions in functions",
        "AG001",
        "".join(" " * n + "def f():\n" for n in range(150))
        + " " * 150
        + "x = 1\n"
        + ENTRY,
    ),
    text(
        "brackets of all kinds",
        "AG001",
        ENTRY.replace("x\n", "([{" * 100 + "}])" * 100 + "\n"),
    ),
    text(
        "attributes without end", "AG001", ENTRY.replace("x\n", "x" + ".a" * 900 + "\n")
    ),
    body(
        "keywords without end",
        "AG508",
        f"torch.add({', '.join(f'a{n}=x' for n in range(50_000))})",
    ),
    # Numbers
    body("long number", "AG508", f"torch.add(x, 0x1{'0' * 40_000})"),
    body(
        "division of long numbers",
        "AG508 AG508",
        f"0x{'f' * 60_000} // 0x{'e' * 40_000}",
    ),
    body(
        "remainder of long numbers",
        "AG508 AG508",
        f"0x{'f' * 60_000} % 0x{'e' * 40_000}",
    ),
    body("long number in a container", "AG508", f"(0b{'1' * 200_000}, 1)[0] // x"),
    body("long number as a key", "AG508", f"{{0o{'7' * 60_000}: x}}"),
    body("long number as an item", "AG508", f"x[0x{'f' * 40_000}]"),
    body("piece far away", "AG401", f"__vllm_submods__[0x{'f' * 5000}](x)"),
    body("decimal without end", "AG001", "9" * 20_000),
    body("exponent without end", "AG508", "1e" + "9" * 100),
    param("long number in a default", "AG508", f"x=0x{'f' * 40_000}"),
    param("sign of a long number in a default", "AG508", f"x=-0x{'f' * 40_000}"),
]
