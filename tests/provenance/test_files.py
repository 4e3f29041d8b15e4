"""Provenance in files: it travels as it is, and no damage of it keeps a program back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from click.testing import CliRunner, Result
from support.captured import capture
from support.compare import assert_same
from torch import fx
from torch._dynamo.utils import counters

import astgen
from astgen import Program
from astgen.backend import SerializableFunction, astgen_backend
from astgen.cli import main
from astgen.provenance import document, read_provenance
from astgen.review.programs import read_source
from astgen.store import load_artifact
from astgen.store.artifact import Artifact, pack_artifact
from astgen.store.inspect import inspect_artifact


def model(x: torch.Tensor) -> Any:
    y = torch.relu(x + 1)
    return torch.softmax(y.view(-1), 0).to(torch.float64), y


def captured() -> tuple[fx.GraphModule, tuple[Any, ...]]:
    return capture(model, torch.ones(4, 6), dynamic=False)


@pytest.fixture(scope="module")
def program() -> Program:
    return astgen.generate(captured()[0], provenance=True)


def packed(program: Program, provenance: bytes | None) -> bytes:
    return pack_artifact(
        Artifact(
            program.code,
            program.submod_names,
            program.consts,
            program.dialect,
            provenance=provenance,
        )
    )


def cli(*args: str) -> Result:
    return CliRunner().invoke(main, args, catch_exceptions=False)


def _bad(name: str, data: bytes) -> bytes:
    content: dict[str, Any] = json.loads(data)
    if name == "a place":
        content["functions"]["execution_fn"]["statements"][0][1][0] = 10**6
    elif name == "a type":
        content["storages"] = {"0": 1}
    elif name == "a version":
        content["version"] = 99
    elif name == "a field":
        del content["modules"]
    elif name == "nested":
        return b'{"version": 1, "types": ' + b"[" * 100_000
    elif name == "no JSON":
        return data[:-1]
    elif name == "no text":
        return b"\xff\x00" * 10
    elif name == "empty":
        return b""
    return json.dumps(content).encode()


BAD = [
    "a place",
    "a type",
    "a version",
    "a field",
    "nested",
    "no JSON",
    "no text",
    "empty",
]


@pytest.mark.parametrize("name", BAD)
def test_damage_keeps_no_program_back(name: str, program: Program, tmp_path) -> None:
    path = tmp_path / "bad.astgen"
    assert program.provenance is not None
    path.write_bytes(packed(program, _bad(name, program.provenance)))
    loaded = Program.load(path)
    gm, inputs = captured()
    assert_same(loaded.compile({})(*inputs), fx.Interpreter(gm).run(*inputs))
    source = read_source(path)
    (found,) = source.programs
    assert (found.code, found.provenance) == (program.code, None)
    (finding,) = source.findings
    assert finding.member == "provenance.json"


@pytest.mark.parametrize("name", BAD)
def test_commands_say_what_is_damaged(name: str, program: Program, tmp_path) -> None:
    path = tmp_path / "bad.astgen"
    assert program.provenance is not None
    path.write_bytes(packed(program, _bad(name, program.provenance)))
    whole = tmp_path / "whole.astgen"
    whole.write_bytes(packed(program, program.provenance))
    verified = cli("verify", str(path))
    assert verified.exit_code == 1
    assert "damaged: it does not say where statements come from" in verified.stdout
    linted = cli("lint", str(path))
    # Its digest is right, and what runs is.
    assert linted.exit_code == cli("lint", str(whole)).exit_code == 0
    dumped = cli("dump", "--annotate", str(path))
    assert dumped.exit_code == 1
    assert "types, modules and lines: not in the source" in dumped.stdout
    assert program.code.rstrip() in dumped.stdout
    assert "provenance.json" in dumped.stderr
    for one in (verified, linted, dumped):
        assert "Traceback" not in one.output


def test_no_process_ends_with_a_traceback(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "bad.astgen"
    path.write_bytes(packed(program, b"{"))
    for command in (["verify"], ["lint"], ["dump", "--annotate"], ["inspect"]):
        done = subprocess.run(
            [sys.executable, "-m", "astgen", *command, str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr + done.stdout


def test_a_program_keeps_its_bytes(program: Program, tmp_path: Path) -> None:
    path, again, plain = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    program.save(path)
    loaded = Program.load(path)
    assert loaded.provenance == program.provenance
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    (read,) = read_source(path).programs
    assert read.provenance == read_provenance(program.provenance or b"")
    astgen.generate(captured()[0]).save(plain)
    assert Program.load(plain).provenance is None
    with_it, without = inspect_artifact(path), inspect_artifact(plain)
    assert with_it.hashes == without.hashes
    assert with_it.manifest.hashes == without.manifest.hashes


def test_loading_does_not_look_into_it(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "a"
    program.save(path)
    with mock.patch.object(document, "parse_json", side_effect=AssertionError):
        Program.load(path)
        load_artifact(path)


def test_a_cache_keeps_it_and_does_not_mix(tmp_path: Path) -> None:
    def compiled(**options: Any) -> tuple[SerializableFunction, dict[str, int]]:
        counters["astgen"].clear()
        gm, _ = captured()
        given = {"splitting_ops": ["softmax"], "cache_dir": tmp_path / "c", **options}
        function = astgen_backend(gm, (), options=given)
        assert isinstance(function, SerializableFunction)
        return function, dict(counters["astgen"])

    plain, counted = compiled()
    assert plain.provenance is None and counted == {"cache_miss": 1}
    first, counted = compiled(provenance=True)
    assert first.provenance is not None and counted == {"cache_miss": 1}
    again, counted = compiled(provenance=True)
    assert again.provenance == first.provenance and counted == {"cache_hit": 1}
    known = read_provenance(first.provenance)
    assert {*known.pieces} == {*first.submod_names}
    assert all(piece.structure for piece in known.pieces.values())
    plain, counted = compiled()
    assert plain.provenance is None and counted == {"cache_hit": 1}


def test_what_aot_compile_stores_has_it() -> None:
    gm, inputs = captured()
    options = {"splitting_ops": ["softmax"], "provenance": True}
    function = astgen_backend(gm, (), options=options)
    data = SerializableFunction.serialize_compile_artifacts(function)
    loaded = SerializableFunction.deserialize_compile_artifacts(data)
    assert function.provenance is not None
    assert loaded.provenance == loaded.program.provenance == function.provenance
    assert_same(loaded(*inputs), function(*inputs))
    assert SerializableFunction.serialize_compile_artifacts(loaded) == data
