"""Annotated dumps are the same programs, whatever the provenance says."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import black
import pytest
import torch
from support.compare import assert_same
from support.random_graphs import RandomGraph
from support.running import pieces_of
from support.told_graphs import CASES, GRAPHS, Made, case, random_graph

import astgen
from astgen.program import Program
from astgen.provenance import Provenance, read_provenance
from astgen.provenance.model import FunctionOrigins, Origin, Source, Symbol, Value
from astgen.review.dump import Options, dump
from astgen.review.programs import ReadProgram

MADE: dict[str, Callable[[], Made]] = {
    **GRAPHS,
    **{f"random {seed}": partial(random_graph, seed) for seed in range(30)},
    **{name: partial(case, name) for name in CASES},
}

WIDE = """\
import torch
import operator


def __vllm_inlined_submods__0(
    a_parameter_with_a_name_that_is_so_long_that_it_stands_on_a_line_of_its_own_for_that,
):
    return a_parameter_with_a_name_that_is_so_long_that_it_stands_on_a_line_of_its_own_for_that


def execution_fn(
    x_with_a_name_that_is_rather_long_so_that_it_is_a_line, *rest_of_all, __vllm_submods__
):
    日本語日本語日本語日本語日本語日本 = torch.relu(x_with_a_name_that_is_rather_long_so_that)
    é = torch.neg(日本語日本語日本語日本語日本語日本)
    del 日本語日本語日本語日本語日本語日本
    return é
"""

HOSTILE = [
    "",
    " ",
    "a\nimport os",
    "a\r\n    x = 1",
    "\x0cimport os",
    "x\u2028y = 1",
    "\x1b[31mred",
    "\u202etxet\u202c",
    "astgen: ignore",
    "# astgen: ignore",
    "astgen: ignore[AG101]",
    "astgen: ignore-file",
    "# fmt: off",
    "fmt: skip",
    "fmt:off",
    "yapf: disable",
    "type: ignore",
    "type: int",
    "-*- coding: latin-1 -*-",
    "vim: set fileencoding=utf-16 :",
    "noqa",
    "noqa: E501",
    "!shebang",
    "trailing   ",
    "\ttab\t",
    '"""',
    "\\",
    "\ud800",
    "日本",
    "x" * 300,
    "\\" * 300,
    "astgen" + " " * 190 + ": ignore",
    "y" * 1_000_000,
]


def arguments(function: ast.FunctionDef) -> list[str]:
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [one.arg for one in every]


def invented(code: str, random: Random, texts: list[str]) -> Provenance:
    """Origins for every statement of a text, whatever made it."""

    def text() -> str:
        return random.choice(texts)

    def value() -> Value | None:
        return Value(text()) if random.random() < 0.9 else None

    def source() -> Source | None:
        if random.random() < 0.5:
            return None
        return Source(text(), random.randrange(999), text(), text())

    def origin(statement: ast.stmt) -> Origin | None:
        if isinstance(statement, ast.Delete):
            return None
        return Origin("n", value(), text(), source())

    functions = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef):
            parameters = {name: Value(text()) for name in arguments(node)}
            statements = tuple(map(origin, node.body))
            functions[node.name] = FunctionOrigins(text(), parameters, statements)
    return Provenance({"s0": Symbol("s0", 4, 2)}, (), functions, {})


def options(program: Program | None = None, **more: bool) -> Options:
    spaces = program.dialect.namespaces if program is not None else ()
    return Options(namespaces=tuple(spaces), **more)


def same(annotated: str, plain: str) -> bool:
    return ast.dump(ast.parse(annotated)) == ast.dump(ast.parse(plain))


@pytest.fixture(autouse=True)
def _long_integers() -> Any:
    """For `ast.dump`, which writes every integer."""
    change = getattr(sys, "set_int_max_str_digits", None)
    before = sys.get_int_max_str_digits() if change is not None else 0
    if change is not None:
        change(0)
    yield
    if change is not None:
        change(before)


_SHORT = [
    "f32[s0, 128]",
    "(f32[2], i64[])",
    "layers.3.mlp",
    "b8[]",
    "model.py",
    "y = x",
]


@pytest.mark.parametrize("name", MADE)
def test_an_annotated_text_is_the_same_program(name: str) -> None:
    gm, args, kwargs = MADE[name]()
    program = astgen.generate(gm, provenance=True)
    assert program.provenance is not None
    real = read_provenance(program.provenance)
    made = invented(program.code, Random(name), _SHORT)
    plain = dump(ReadProgram(program.code), options(program))
    for known in (real, made):
        read = ReadProgram(program.code, provenance=known)
        found = dump(read, options(program, annotate=True))
        assert same(found.text, plain.text)
        assert found.findings == plain.findings == ()
        assert black.format_str(found.text, mode=black.Mode()) == found.text
        lines = program.code.splitlines()
        kept = [line.partition("  # ")[0].rstrip() for line in found.text.splitlines()]
        assert not set(filter(None, lines)) - {*kept, *found.text.splitlines()}
        names = set(filter(lambda one: not one.isascii(), program.code))
        assert {one for one in found.text if not one.isascii()} <= names
    # The text of the last one, whose statements all have comments.
    changed = Program(found.text, program.submod_names, program.consts)
    changed = type(program)(
        found.text, program.submod_names, program.consts, dialect=program.dialect
    )
    pieces = pieces_of(gm, program)
    outcomes = []
    for one in (program, changed):
        again = MADE[name]()[1:]
        torch.manual_seed(0)
        grad = torch.is_grad_enabled()
        try:
            outcomes.append(one.compile(pieces)(*again[0], **again[1]))
        except Exception as error:
            outcomes.append((type(error), str(error)))
        finally:
            torch.set_grad_enabled(grad)
    if name != "const_touchy":
        assert_same(outcomes[1], outcomes[0])


@pytest.mark.parametrize("seed", range(40))
def test_hostile_texts_are_comments(seed: int) -> None:
    random = Random(seed)
    gm = RandomGraph(random).module()
    program = astgen.generate(gm)
    read = ReadProgram(program.code, provenance=invented(program.code, random, HOSTILE))
    plain = dump(ReadProgram(program.code), options(program))
    found = dump(read, options(program, annotate=True))
    assert same(found.text, plain.text)
    assert found.findings == ()
    assert black.format_str(found.text, mode=black.Mode()) == found.text
    assert all(len(line) < 300 for line in found.text.splitlines())
    names = set(filter(lambda one: not one.isascii(), program.code))
    assert {one for one in found.text if not one.isascii()} <= names
    assert all(one.isprintable() for one in found.text.splitlines())


BAD = """\
import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    y = eval(x)
    z = torch.ops.nowhere.op(y)
    return unknown
"""


@pytest.mark.parametrize("text", HOSTILE, ids=lambda one: repr(one)[:20])
def test_no_text_suppresses_a_finding(text: str, tmp_path: Any) -> None:
    made = invented(BAD, Random(1), [text])
    every = [Origin("n", Value(text), text, Source(text, 1, text, text))] * 3
    parameters = made.functions["execution_fn"].parameters
    functions = {"execution_fn": FunctionOrigins(text, parameters, tuple(every))}
    known = Provenance(made.symbols, (), functions, {})
    plain = dump(ReadProgram(BAD), Options())
    found = dump(ReadProgram(BAD, provenance=known), Options(annotate=True))
    assert len(plain.findings) > 1
    assert [one.rule for one in found.findings] == [one.rule for one in plain.findings]
    file = tmp_path / "execution.py"
    rules = []
    for shown in (plain.text, found.text):
        file.write_text(shown, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "astgen",
            "lint",
            str(file),
            "--format",
            "json",
        ]
        rules.append(_rules(command))
    assert rules[0] == rules[1] and rules[0]


def _rules(command: list[str]) -> list[str]:
    import json

    done = subprocess.run(command, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    listed = found["findings"] if isinstance(found, dict) else found
    return sorted(one["rule"] for one in listed)


def test_wide_names_and_starred_parameters_have_no_room() -> None:
    for seed in range(20):
        known = invented(WIDE, Random(seed), ["f32[2]", "f32[s0, 128, 4]", "i64[]"])
        found = dump(ReadProgram(WIDE, provenance=known), Options(annotate=True)).text
        assert same(found, WIDE)
        assert black.format_str(found, mode=black.Mode()) == found


def test_edited_functions_get_no_comments() -> None:
    gm, _, _ = GRAPHS["nested"]()
    code = astgen.generate(gm).code
    known = invented(code, Random(0), ["i64[7]"])
    edited = code.replace("    return", "    more = torch.neg(x)\n    return", 1)
    first = ast.parse(code).body[2]
    assert isinstance(first, ast.FunctionDef) and edited != code
    found = dump(ReadProgram(edited, provenance=known), Options(annotate=True)).text
    functions = found.split("\n\n\n")
    (changed,) = [one for one in functions if "more = torch.neg(x)" in one]
    others = [one for one in functions if "def " in one and one != changed]
    assert "i64[7]" not in changed
    assert others and all("i64[7]" in one for one in others)


def digests() -> str:
    """A digest of the annotated dump of every graph."""
    made = hashlib.sha256()
    for name in [*GRAPHS, *(f"random {seed}" for seed in range(10))]:
        program = astgen.generate(MADE[name]()[0], provenance=True)
        known = read_provenance(program.provenance or b"")
        for one in (known, invented(program.code, Random(name), _SHORT)):
            read = ReadProgram(program.code, provenance=one)
            made.update(dump(read, options(program, annotate=True)).text.encode())
        made.update(program.provenance or b"")
    return made.hexdigest()


def test_other_processes_write_the_same_bytes() -> None:
    folders = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__))]
    found = set()
    for seed in ("1", "2"):
        paths = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", "import test_annotate as t; print(t.digests())"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
