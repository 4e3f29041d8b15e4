"""Dumps mean what the programs meant: Python, torch, black and the checker judge."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from random import Random

import black
import pytest
import torch
from support.artifacts import CODE
from support.random_graphs import RandomGraph
from support.review_texts import DECODER, GATE, executed, pieces, vllm_text

import astgen
from astgen.check import check
from astgen.lint.subject import Constant
from astgen.review.dump import Options, dump
from astgen.review.programs import ReadProgram

LAYERS = 3
HEAD = "import torch\nimport operator\n\n\n"


def body(*lines: str, head: str = "def execution_fn(x, *, __vllm_submods__):") -> str:
    return HEAD + "\n".join([head, *(f"    {line}" for line in lines)]) + "\n"


def shown(code: str, **options: bool) -> str:
    return dump(ReadProgram(code), Options(**options)).text


def tree(code: str) -> str:
    """A tree in which `del (a, b)` is `del a, b`."""
    found = ast.parse(code)
    for node in ast.walk(found):
        if isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Tuple):
            node.targets = node.targets[0].elts
    return ast.dump(found)


@pytest.mark.parametrize("code", [CODE, GATE, DECODER.read_text()])
def test_own_text_stays_to_the_byte(code: str) -> None:
    assert shown(code) == code


def test_random_programs_stay_to_the_byte() -> None:
    for seed in range(20):
        code = astgen.generate(RandomGraph(Random(seed)).module()).code
        assert shown(code) == code


def test_foreign_text_gets_the_layout_of_black_and_keeps_its_tree() -> None:
    code = vllm_text(LAYERS)
    text = shown(code)
    assert text == black.format_str(code, mode=black.Mode())
    assert tree(text) == tree(code)
    assert torch.equal(executed(text, LAYERS), executed(code, LAYERS))


@pytest.mark.parametrize(
    "code",
    [
        f"# a comment\n{vllm_text(1)}",
        vllm_text(1).replace("import operator\n", "import operator\n\n", 1),
        vllm_text(1).replace("\n", "\r\n"),
    ],
)
def test_what_only_begins_like_own_text_is_laid_out(code: str) -> None:
    wanted = black.format_str(code.replace("\r\n", "\n"), mode=black.Mode())
    assert shown(code) == wanted


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("'caf\u00e9'", ascii("caf\u00e9")),
        ("'\u202e\u2066'", ascii("\u202e\u2066")),
        ("'\\\u00e9'", ascii("\\\u00e9")),
        ("r'\\\u00e9'", ascii("\\\u00e9")),
        ("'a' 'b\u00e9'", ascii("ab\u00e9")),
        ("'\x1b[31m'", ascii("\x1b[31m")),
        ("b'\x1b'", ascii(b"\x1b")),
        ("'''\u00e9\n'''", ascii("\u00e9\n")),
    ],
)
def test_strings_are_spelled_in_ascii(value: str, spelled: str) -> None:
    code = body(f"y = torch.mul(x, {value})", "return y")
    text = shown(code)
    assert text.isascii() and "\x1b" not in text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(code))
    assert spelled.strip("'b") in text


def test_comments_are_spelled_in_ascii() -> None:
    code = body("y = torch.neg(x)  # na\u00efve \u202e", "return y")
    text = shown(code)
    assert "# na\\xefve \\u202e" in text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(code))


def test_letters_that_python_reads_as_ascii_are_written_so() -> None:
    code = body("\uff59 = torch.neg(x)", "return y")
    text = shown(code)
    assert "    y = torch.neg(x)\n" in text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(code))


def test_a_name_in_other_letters_stays_and_can_get_another() -> None:
    code = body("\u0443\u0443 = torch.neg(x)", "return \u0443\u0443")
    assert shown(code) == code
    found = dump(ReadProgram(code), Options(alias=True))
    assert found.findings == () and found.text.isascii()
    assert "#   name = \\u0443\\u0443\n" in found.text
    assert "    return name\n" in found.text


def test_form_feeds_are_dropped() -> None:
    code = "\f" + body("y = torch.neg(x)", "\freturn\fy").replace("    \f", "\f    ")
    text = shown(code)
    assert "\f" not in text and ast.dump(ast.parse(text)) == ast.dump(ast.parse(code))


def test_a_broken_text_is_shown_with_what_is_wrong() -> None:
    found = dump(ReadProgram("def execution_fn(:\n    \x1b\u202e pass\n"))
    assert found.text == "def execution_fn(:\n    \\x1b\\u202e pass\n"
    assert [one.rule for one in found.findings] == ["AG001"]


@pytest.mark.parametrize("options", [{}, {"alias": True}, {"fold": True}])
def test_what_is_no_generated_code_is_shown_and_refused(options: dict) -> None:
    code = HEAD + "\n\ndef execution_fn(x):\n    return __import__('os').system(x)\n"
    found = dump(ReadProgram(code), Options(**options))
    assert found.text == black.format_str(code, mode=black.Mode())
    assert found.findings == check(found.text) != ()


def test_findings_point_into_the_text_that_is_shown() -> None:
    code = vllm_text(2).replace("return (mul_1,)", "return (mul_7,)")
    found = dump(ReadProgram(code), Options(alias=True))
    (finding,) = found.findings
    line = found.text.split("\n")[finding.line - 1]
    assert line[finding.column - 1 : finding.end_column - 1] == "mul_7"


def test_slots_beyond_those_of_the_file_are_findings() -> None:
    program = ReadProgram(GATE, ("project",), (Constant("builtins.int", "1", "1"),))
    (finding,) = dump(program).findings
    assert finding.rule == "AG301"
    assert "slot 1" in finding.message


def test_a_legend_is_no_comment_to_any_tool() -> None:
    nasty = "# astgen: ignore-file[AG1] # fmt: off coding: utf-7 \u202e\n\x1b"
    constants = (Constant("builtins.str", nasty, "1"), Constant("", "2", "2"))
    program = ReadProgram(GATE + "# \n", (nasty,), constants)
    text = dump(program, Options(legend=True), title=nasty).text
    assert text.isascii()
    head, _, rest = text.partition("import torch")
    assert len(head.split("\n")) == 5
    assert not any(word in head for word in ("astgen:", "fmt:", "coding:", "\x1b"))
    assert rest == GATE.partition("import torch")[2] + "# \n"


def test_a_dump_with_a_legend_passes_and_is_laid_out() -> None:
    found = dump(ReadProgram(vllm_text(2)), Options(alias=True, legend=True))
    assert check(found.text) == ()
    assert black.format_str(found.text, mode=black.Mode()) == found.text


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_a_line_of_any_length_is_shown(size: int) -> None:
    code = body(f"y = torch.mul(x, '{'a' * size}')", "return y").replace("\n\n\n", "\n")
    assert ast.dump(ast.parse(shown(code))) == ast.dump(ast.parse(code))


def test_the_same_bytes_come_in_any_process() -> None:
    script = (
        "from support.review_golden import GOLDEN; import hashlib;"
        "print(hashlib.sha256(''.join(one() for one in GOLDEN.values()).encode())"
        ".hexdigest())"
    )
    folder = os.path.join(os.path.dirname(__file__), os.pardir)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_pieces_of_the_fixture_differ() -> None:
    """Else a text that calls the wrong piece would seem to be right."""
    code = vllm_text(LAYERS)
    wrong = code.replace("__vllm_submods__[2]", "__vllm_submods__[4]")
    assert not torch.equal(executed(wrong, LAYERS), executed(code, LAYERS))
    assert [piece is None for piece in pieces(2)] == [False, True, False, True]
