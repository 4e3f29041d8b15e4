"""AG701 to AG703, and AG106: what could be shorter."""

from __future__ import annotations

import pytest

from astgen.check import scan
from astgen.check.finding import Finding, Profile
from astgen.lint.advice import advise
from astgen.lint.subject import Subject

ENTRY = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"


def advice(text: str, code: str, profile: Profile = "vllm-0.32") -> list[Finding]:
    """The findings of one rule."""
    found = scan(text)
    assert found.tree is not None and found.in_grammar
    findings = advise(Subject(text), found.tree, profile)
    return [finding for finding in findings if finding.rule == code]


def two(first: str, second: str) -> str:
    """A program of two inlined functions."""
    functions = [first.replace("f(", "__vllm_inlined_submods__0(", 1)]
    functions += [second.replace("f(", "__vllm_inlined_submods__1(", 1)]
    return "import torch\n" + "\n".join(functions) + "\n" + ENTRY


EQUAL = [
    ("def f(a, b):\n    return (b, a)", "def f(x, y):\n    return (y, x)"),
    ("def f(a):\n    b = a[0]\n    return b", "def f(b):\n    a = b[0]\n    return a"),
    (
        "def f(a):\n    return torch.ops.aten.add.Tensor(a, 1)",
        "def f( b ):\n    return torch.ops.aten.add.Tensor(b, 0x1)",
    ),
    ("def f(a, *, k):\n    return (a, k)", "def f(b, *, k):\n    return (b, k)"),
    ("def f(a=(1, 2)):\n    return a", "def f(b=(1, 2)):\n    return b"),
    ("def f(*a):\n    return a", "def f(*b):\n    return b"),
]


@pytest.mark.parametrize("first, second", EQUAL)
def test_functions_of_one_shape_are_shareable(first: str, second: str) -> None:
    (finding,) = advice(two(first, second), "AG701")
    assert "'__vllm_inlined_submods__1' is equal to" in finding.message
    assert finding.edits


DIFFERENT = [
    ("def f(a, b):\n    return (a, b)", "def f(a, b):\n    return (b, a)"),
    ("def f(a):\n    return 0", "def f(a):\n    return 0.0"),
    ("def f(a):\n    return 0.0", "def f(a):\n    return -0.0"),
    ("def f(a):\n    return 1", "def f(a):\n    return True"),
    ("def f(a):\n    return 'a'", "def f(a):\n    return b'a'"),
    ("def f(a):\n    return (a,)", "def f(a):\n    return [a]"),
    ("def f(a):\n    return ((), a)", "def f(a):\n    return ((a,),)"),
    ("def f(a, *, k):\n    return (a, k)", "def f(a, *, m):\n    return (a, m)"),
    ("def f(a=1):\n    return a", "def f(a=2):\n    return a"),
    ("def f(a=1):\n    return a", "def f(a):\n    return a"),
    ("def f(a):\n    return a", "def f(*a):\n    return a"),
    ("def f(a):\n    return a.add(a)", "def f(a):\n    return a.mul(a)"),
    ("def f(a):\n    return torch.neg(a)", "def f(a):\n    return torch.abs(a)"),
    (
        "def f(a):\n    return __vllm_consts__[0]",
        "def f(a):\n    return __vllm_consts__[1]",
    ),
    ("def f(a):\n    return a[0:]", "def f(a):\n    return a[:0]"),
    ("def f(a):\n    return a.add(other=a)", "def f(a):\n    return a.add(alpha=a)"),
]


@pytest.mark.parametrize("first, second", DIFFERENT)
def test_functions_of_another_shape_are_not(first: str, second: str) -> None:
    assert advice(two(first, second), "AG701") == []


def test_a_function_with_comments_is_left_for_people() -> None:
    text = two("def f(a):\n    return a", "def f(a):\n    # for layer 1\n    return a")
    (finding,) = advice(text, "AG701")
    assert finding.edits == ()


def test_uses_as_values_are_renamed_too() -> None:
    use = "torch.ops.higher_order.cond(x, __vllm_inlined_submods__1, (x,))"
    text = two("def f(a):\n    return a", "def f(a):\n    return a")
    text = text.replace("return x\n", f"return {use}\n")
    (finding,) = advice(text, "AG701")
    assert len(finding.edits) == 2


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_chains_begin_with_three_items(count: int) -> None:
    lines = "".join(f"    v{i} = y[{i}]\n" for i in range(count))
    text = ENTRY.replace("    return", "    y = __vllm_submods__[0](x)\n    return")
    found = advice(text.replace("    return", f"{lines}    return"), "AG702")
    assert len(found) == (count >= 3)
    assert all(f"{count} items of 'y'" in finding.message for finding in found)


@pytest.mark.parametrize(
    "lines",
    [
        ["a = x[0]", "b = y[0]", "c = x[1]"],
        ["a = x[0]", "b = x[1]", "torch.neg(x)", "c = x[2]"],
        ["a = x[0:1]", "b = x[1:2]", "c = x[2:3]"],
        [f"{name} = __vllm_consts__[{i}]" for i, name in enumerate("abc")],
    ],
)
def test_other_lines_are_no_chain(lines: list[str]) -> None:
    body = "".join(f"    {line}\n" for line in lines)
    text = f"import torch\ndef execution_fn(x, y, *, __vllm_submods__):\n{body}    return x\n"
    assert advice(text, "AG702") == []


def test_lookups_are_counted_for_each_function() -> None:
    op = "torch.ops.aten.neg.default"
    text = two(
        f"def f(a):\n    return ({op}(a), {op}(a))",
        "def f(a):\n    return torch.neg(a)",
    ).replace("return x\n", f"return {op}(torch.ops.vllm.all_reduce(x))\n")
    first, second = advice(text, "AG703")
    assert first.message.startswith("2 operators are looked up at each call of '__vllm")
    assert second.message.endswith("at each call of 'execution_fn'")


@pytest.mark.parametrize("code", ["AG701", "AG702", "AG703"])
def test_our_own_text_is_not_told_what_it_does_by_itself(code: str) -> None:
    text = two("def f(a):\n    return a", "def f(a):\n    return a")
    lines = "    a = x[0]\n    b = x[1]\n    c = torch.ops.aten.neg.default(x)\n"
    text = text.replace("    return x\n", f"{lines}    d = x[2]\n    return x\n")
    assert advice(text, code, "astgen-1") == []


IMPORTS = {
    "import torch\nimport operator\n": ["operator"],
    "import torch, operator\n": ["operator"],
    "import torch\nimport torch\n": ["torch"],
    "import torch, torch\n": ["torch"],
    "import torch\n": [],
    "import operator, torch, operator\n": ["operator", "operator"],
}


@pytest.mark.parametrize("head", IMPORTS)
def test_imports_that_nothing_needs(head: str) -> None:
    text = head + ENTRY.replace("return x", "return torch.neg(x)")
    found = advice(text, "AG106")
    assert [finding.message.split("'")[1] for finding in found] == IMPORTS[head]


def test_our_own_head_is_always_the_same() -> None:
    text = "import torch\nimport operator\n" + ENTRY
    assert advice(text, "AG106", "astgen-1") == []
    assert len(advice(text, "AG106")) == 2


def test_a_default_needs_its_import() -> None:
    text = f"import torch\n{ENTRY}".replace("(x,", "(x=torch.float16,")
    assert advice(text, "AG106") == []
