"""Annotated dumps are the same programs, whatever the provenance says."""

from __future__ import annotations

import ast
import copy
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import black
import pytest
import torch
from click.testing import CliRunner
from support.compare import assert_same
from support.random_graphs import RandomGraph
from support.running import pieces_of
from support.told_graphs import CASES, GRAPHS, Made, case, random_graph
from torch import fx

import astgen
from astgen.cli import main
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
    a_parameter_with_a_name_that_is_so_long_that_the_line_is_full, *rest
):
    return a_parameter_with_a_name_that_is_so_long_that_the_line_is_full


def execution_fn(x, *, __vllm_submods__):
    日本語日本語日本語日本語日本語日本 = torch.relu(x)
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
    "yapf: disable",
    "type: ignore",
    "type: int",
    "-*- coding: latin-1 -*-",
    "vim: set fileencoding=utf-16 :",
    "noqa: E501",
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
    before = getattr(sys, "get_int_max_str_digits", int)()
    change = getattr(sys, "set_int_max_str_digits", bool)
    change(0)
    yield
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
    # The text of the last one has comments wherever there is a statement.
    annotated = replace(program, code=found.text, module=None)
    outcomes = [_outcome(gm, one, args, kwargs) for one in (program, annotated)]
    if name not in _NOT_COMPARED:
        assert_same(outcomes[1], outcomes[0])


_NOT_COMPARED = {"const_touchy", "generator_arg", "enum_class_shadowed"}
"""Values that cannot be compared with copies, or that every run changes."""


def _outcome(gm: fx.GraphModule, program: Program, args: Any, kwargs: Any) -> Any:
    torch.manual_seed(0)
    grad = torch.is_grad_enabled()
    given, named = copy.deepcopy((args, kwargs))
    try:
        return program.compile(pieces_of(gm, program))(*given, **named)
    except Exception as error:
        return type(error), str(error)
    finally:
        torch.set_grad_enabled(grad)


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
    y = torch.ops.nowhere.op(x)
    z = unknown
    return y
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
    assert len(plain.findings) > 1 and found.text.count("#") > 4
    assert [one.rule for one in found.findings] == [one.rule for one in plain.findings]
    file = tmp_path / "execution.py"
    rules = []
    for shown in (plain.text, found.text):
        file.write_text(shown, encoding="utf-8")
        command = ["lint", str(file), "--output-format", "concise"]
        done = CliRunner().invoke(main, command, catch_exceptions=False)
        rules.append(sorted(re.findall(r" (AG[0-9]+)", done.stdout)))
    assert rules[0] == rules[1] and len(rules[0]) > 1


def test_wide_names_and_starred_parameters_have_no_room() -> None:
    for length in range(1, 60):
        known = invented(WIDE, Random(length), ["f" * length])
        found = dump(ReadProgram(WIDE, provenance=known), Options(annotate=True)).text
        assert same(found, WIDE)
        assert black.format_str(found, mode=black.Mode()) == found
        assert found.count("f" * length) > 6
        assert not re.search(r"\*rest .*#", found)


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
