"""What mending makes of a program, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from astgen.check import scan
from astgen.check.finding import Edit, Finding, Profile
from astgen.lint.advice import advise
from astgen.lint.fix import mend
from astgen.lint.subject import Subject

HEAD = "import torch\ndef execution_fn(x, w, *, __vllm_submods__):\n"


def mended(text: str, profile: Profile = "astgen-1") -> str:
    """The text after all rounds; a second run changes nothing."""

    def lint(text: str) -> Sequence[Finding]:
        found = scan(text)
        if found.tree is None or not found.in_grammar:
            return found.findings
        return [*found.findings, *advise(Subject(text), found.tree, profile)]

    done = mend(text, lint)
    assert mend(done, lint) == done
    return done


def body(*lines: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in lines)


def test_a_del_is_added_behind_the_last_use() -> None:
    before = body("y = torch.neg(x)", "z = torch.relu(y)", "return torch.neg(z)")
    wanted = body(
        "y = torch.neg(x)", "z = torch.relu(y)", "del y", "return torch.neg(z)"
    )
    assert mended(before) == wanted


def test_a_name_is_added_to_the_del_that_is_there() -> None:
    lines = ["y = torch.neg(x)", "z = torch.abs(x)", "v = torch.add(y, z)"]
    before = body(*lines, "del z", "return torch.neg(v)")
    assert mended(before) == body(*lines, "del z, y", "return torch.neg(v)")


def test_names_that_die_together_share_a_del() -> None:
    lines = ["y = torch.neg(x)", "z = torch.abs(x)", "v = torch.add(y, z)"]
    before = body(*lines, "return torch.neg(v)")
    assert mended(before) == body(*lines, "del y, z", "return torch.neg(v)")


def test_a_del_in_parentheses_takes_the_name_inside() -> None:
    lines = ["y = torch.neg(x)", "v = torch.add(y, w)"]
    before = body(*lines, "del (x,", "     w,  # weights", ")", "return torch.neg(v)")
    wanted = body(
        *lines, "del (x,", "     w, y,  # weights", ")", "return torch.neg(v)"
    )
    assert mended(before) == wanted


def test_comments_stay_where_they_are() -> None:
    before = body(
        "y = torch.neg(x)  # one",
        "torch.relu_(y)  # two",
        "# three",
        "del x  # four",
        "return torch.neg(w)  # five",
    )
    assert mended(before) == before.replace("del x  #", "del x, y  #")
    before = before.replace("    del x  # four\n", "")
    assert mended(before) == before.replace("# two\n", "# two\n    del y\n")


def test_a_del_goes_and_its_comment_stays() -> None:
    before = body("torch.relu_(x)", "del x  # input", "return w")
    assert mended(before) == body("torch.relu_(x)", "# input", "return w")


def test_statements_on_one_line_get_a_del_between_them() -> None:
    before = body("y = torch.neg(x); torch.relu_(y); return torch.neg(w)")
    wanted = body("y = torch.neg(x); torch.relu_(y); del y; return torch.neg(w)")
    assert mended(before) == wanted


def test_a_function_on_one_line_gets_a_del_too() -> None:
    line = "def execution_fn(x, *, __vllm_submods__): y = torch.neg(x); torch.relu_(y)"
    before = f"import torch\n{line}; return torch.neg(x)\n"
    wanted = f"import torch\n{line}; del y; return torch.neg(x)\n"
    assert mended(before) == wanted


def test_a_call_of_several_lines_gets_the_del_behind_it() -> None:
    lines = ["y = torch.neg(x)", "z = torch.add(", "    y,", "    w,", ")"]
    before = body(*lines, "return torch.neg(z)")
    assert mended(before) == body(*lines, "del y", "return torch.neg(z)")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_ends_of_lines_stay_what_they_are(newline: str) -> None:
    before = body("y = torch.neg(x)", "z = torch.relu(y)", "return torch.neg(z)")
    wanted = before.replace("relu(y)\n", "relu(y)\n    del y\n")
    assert mended(before.replace("\n", newline)) == wanted.replace("\n", newline)


def test_a_text_without_last_newline_stays_without() -> None:
    before = body("torch.relu_(x)", "del x", "return w").rstrip("\n")
    assert mended(before) == body("torch.relu_(x)", "return w").rstrip("\n")


def test_letters_of_any_size_are_counted() -> None:
    lines = ["é = torch.cat([x, 'ü€𝄞'])", "z = torch.add(é, 'ü€𝄞')"]
    before = body(*lines, "return torch.neg(z)")
    assert mended(before) == body(*lines, "del é", "return torch.neg(z)")


def test_a_result_that_nobody_reads_loses_its_name() -> None:
    before = body("y  =  torch.neg(x)", "return torch.neg(w)")
    assert mended(before) == body("torch.neg(x)", "return torch.neg(w)")


def test_a_name_that_is_only_deleted_goes_everywhere() -> None:
    before = body("y = torch.neg(x)", "del x, y", "return torch.neg(w)")
    assert mended(before) == body("torch.neg(x)", "del x", "return torch.neg(w)")


@pytest.mark.parametrize(
    "line", ["y = (torch.neg(x))", "y = x[0]", "y = (x, w)", "y = (\n        x.neg())"]
)
def test_what_is_no_call_of_its_own_is_left_for_people(line: str) -> None:
    before = body(line, "return torch.neg(w)")
    assert mended(before) == before


def test_a_useless_del_goes() -> None:
    before = body("y = torch.neg(x)", "torch.relu_(y)", "del y", "del x", "return w")
    assert mended(before) == body("y = torch.neg(x)", "torch.relu_(y)", "return w")


@pytest.mark.parametrize(
    "dels", [["del (x,  # input", "    w)"], ["torch.abs(x); del x"]]
)
def test_a_del_that_cannot_go_alone_stays(dels: list[str]) -> None:
    before = body("torch.neg(x)", *dels, "return 1")
    assert mended(before) == before


IMPORTS = [
    ("import torch\nimport operator\n", "import torch\n"),
    ("import operator, torch\n", "import torch\n"),
    ("import torch, torch\n", "import torch\n"),
    ("import operator  # for items\nimport torch\n", "# for items\nimport torch\n"),
    ("import torch; import operator\n", "import torch; import operator\n"),
]


@pytest.mark.parametrize("head, wanted", IMPORTS)
def test_imports_that_nothing_needs_go(head: str, wanted: str) -> None:
    rest = "def execution_fn(x, *, __vllm_submods__):\n    return torch.neg(x)\n"
    assert mended(head + rest, "vllm-0.32") == wanted + rest


SHARED = """\
import torch

def __vllm_inlined_submods__0(x):
    y = torch.neg(x)
    return (y,)

def __vllm_inlined_submods__1(a):
    b = torch.neg(a)
    return (b,)


def __vllm_inlined_submods__2(a):
    return __vllm_inlined_submods__0(a)
def __vllm_inlined_submods__3(a):
    return __vllm_inlined_submods__1(a)

def execution_fn(x, *, __vllm_submods__):
    return (__vllm_inlined_submods__2(x), __vllm_inlined_submods__3(x))
"""

SHARING = """\
import torch

def __vllm_inlined_submods__0(x):
    y = torch.neg(x)
    return (y,)


def __vllm_inlined_submods__2(a):
    return __vllm_inlined_submods__0(a)

def execution_fn(x, *, __vllm_submods__):
    return (__vllm_inlined_submods__2(x), __vllm_inlined_submods__2(x))
"""


def test_equal_functions_become_one_round_by_round() -> None:
    assert mended(SHARED, "vllm-0.32") == SHARING


def test_a_function_that_is_written_twice_is_written_once() -> None:
    function = "def __vllm_inlined_submods__0(x):\n    return torch.neg(x)\n\n"
    entry = (
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return [__vllm_inlined_submods__0(x), __vllm_inlined_submods__0(x)]\n"
    )
    before = f"import torch\n\n{function}{function}{entry}"
    assert mended(before, "vllm-0.32") == f"import torch\n\n{function}{entry}"


def test_one_mended_line_shows_the_next_problem() -> None:
    before = body(
        "y = torch.neg(x)", "z = torch.relu(y)", "v = z.add(y)", "return torch.neg(w)"
    )
    wanted = body(
        "y = torch.neg(x)",
        "z = torch.relu(y)",
        "z.add(y)",
        "del y, z",
        "return torch.neg(w)",
    )
    assert mended(before) == wanted


def test_a_round_that_adds_an_error_is_left_out() -> None:
    text = body("return torch.neg(x)")
    bad = Finding(1, 1, 1, 1, "AG901", "m", edits=(Edit(3, 5, 3, 11, "retrun"),))
    assert mend(text, lambda _: [bad]) == text


def test_mending_that_never_ends_is_ended() -> None:
    text = body("return torch.neg(x)")
    more = Finding(1, 1, 1, 1, "AG901", "m", edits=(Edit(1, 1, 1, 1, "# more\n"),))
    assert 0 < mend(text, lambda _: [more]).count("# more") <= 1000


def test_a_text_that_is_no_program_is_left_alone() -> None:
    assert mended("def f(:\n") == "def f(:\n"
