"""A dialect's names are settings: whatever they are, all stages agree on them."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from support.compare import assert_same
from support.graphs import graph, interpret, module, tensor
from torch import fx, nn

import astgen
from astgen.emit import emit
from astgen.errors import InvalidProgramError
from astgen.review.dump import Options, dump
from astgen.review.programs import read_programs

OURS = astgen.Dialect(
    entry="run_layers", submods="__pieces__", consts="__kept__", inlined="__part_"
)


class Doubles(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + x


def stitching_graph() -> fx.GraphModule:
    """A piece, a child that calls another piece, and a constant."""

    def inner(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(torch.neg, (g.call_module("piece", (x,)),))

    def outer(g: fx.Graph, x: fx.Node) -> fx.Node:
        y = g.call_module("child", (g.call_module("piece", (x,)),))
        return g.call_method("to", (y, torch.float64))

    child = graph(inner, "x", root=module(piece=Doubles()))
    return graph(outer, "x", root=module(piece=Doubles(), child=child))


def test_all_names_are_those_of_the_dialect(tmp_path: Path) -> None:
    gm = stitching_graph()
    program = astgen.generate(gm, dialect=OURS)
    tree = ast.parse(program.code)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert functions == ["__part_1", "run_layers"]
    assert "vllm" not in program.code
    assert "__pieces__[0](" in program.code and "__kept__[0]" in program.code
    assert program.check() == ()
    program.save(tmp_path / "program.astgen")
    loaded = astgen.Program.load(tmp_path / "program.astgen", dialect=OURS)
    pieces = {name: gm.get_submodule(name) for name in ("piece", "child.piece")}
    for one in (program, loaded):
        assert_same(one.compile(pieces)(tensor(1, 2)), interpret(gm, tensor(1, 2)))


def test_a_file_says_what_its_names_mean_to_who_looks_at_it(tmp_path: Path) -> None:
    astgen.generate(stitching_graph(), dialect=OURS).save(tmp_path / "program.astgen")
    (found,) = read_programs(tmp_path / "program.astgen")
    asked = found.dialect()
    names = "entry", "submods", "consts", "inlined"
    assert [getattr(asked, name) for name in names] == [
        getattr(OURS, name) for name in names
    ]
    assert dump(found, Options(legend=True)).findings == ()


def test_a_name_that_is_given_counts_more() -> None:
    program = astgen.generate(stitching_graph(), "chosen", OURS)
    assert program.dialect.entry == "chosen"
    assert "def chosen(" in program.code and "run_layers" not in program.code
    assert emit(stitching_graph(), dialect=OURS).dialect.entry == "run_layers"


@pytest.mark.parametrize("here", [OURS, astgen.Dialect()], ids=["ours", "default"])
def test_a_text_of_another_dialect_is_refused(here: astgen.Dialect) -> None:
    other = astgen.Dialect() if here is OURS else OURS
    program = astgen.generate(stitching_graph(), dialect=other)
    wrong = astgen.Program(program.code, program.submod_names, program.consts)
    with pytest.raises(InvalidProgramError):
        astgen.Program(
            wrong.code, wrong.submod_names, wrong.consts, dialect=here
        ).compile({name: Doubles() for name in wrong.submod_names})


def test_an_error_names_all_that_a_file_needs(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\n"
        "def run_layers(x, *, __pieces__):\n"
        "    return torch.ops.mine.run(__kept__[0], x)\n"
    )
    needed = replace(OURS, namespaces=frozenset({"mine"}))
    astgen.Program(text, (), [1.5], dialect=needed).save(tmp_path / "p.astgen")
    with pytest.raises(astgen.ArtifactError) as caught:
        astgen.Program.load(tmp_path / "p.astgen")
    (told,) = re.findall(r"dialect=(Dialect\(.*\))", str(caught.value))
    dialect = eval(told, {"Dialect": astgen.Dialect, "frozenset": frozenset})
    loaded = astgen.Program.load(tmp_path / "p.astgen", dialect=dialect)
    assert (loaded.code, loaded.consts) == (text, [1.5])


def test_the_pieces_that_are_called_are_named() -> None:
    program = astgen.generate(stitching_graph(), dialect=OURS)
    assert program.submod_names == ("piece", "child", "child.piece")
    assert program.pieces == ("piece", "child.piece")
    run = program.compile({name: Doubles() for name in program.pieces})
    expected = interpret(stitching_graph(), tensor(1, 2))
    assert_same(run(tensor(1, 2)), expected)
