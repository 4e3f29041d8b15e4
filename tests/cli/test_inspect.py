"""`astgen inspect`: what is in an artifact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.artifacts import forged, packed

from astgen.store.container import read

PIECE = "__vllm_submods__[0]"


def test_everything_that_is_there_is_shown(astgen) -> None:
    Path("a.astgen").write_bytes(packed("blobs"))
    result = astgen("inspect", "a.astgen")
    assert result.exit_code == 0
    manifest = read("a.astgen").manifest
    wanted = {
        "a.astgen",
        "entry           execution_fn(x, y)",
        "0     piece  2 arguments",
        "0     torch.device  torch.device('cpu')",
        "opaque, inductor",
        "opaque, triton",
        *manifest.members,
        *manifest.hashes.values(),
        *manifest.environment.values(),
        manifest.producer,
        "trust=True",
    }
    assert [text for text in wanted if text not in result.stdout] == []


def test_json_has_all_of_it(astgen) -> None:
    Path("a.astgen").write_bytes(packed("blobs"))
    found = json.loads(astgen("inspect", "--json", "a.astgen").stdout)
    manifest = read("a.astgen").manifest
    assert found["members"].keys() == manifest.members.keys()
    assert found["blobs"] == manifest.blobs and found["hashes"] == manifest.hashes
    assert found["parameters"] == [
        ["positional", "x", False],
        ["positional", "y", False],
    ]
    assert found["pieces"] == [["piece", [[2, []]]]]
    assert found["operators"] == ["operator.mul", "torch.ops.aten.add.Tensor"]
    assert found["consts"][0]["kind"] == "torch.device"
    assert found["findings"] == []


def test_an_artifact_of_nothing_says_none(astgen) -> None:
    text = b"def execution_fn(*, __vllm_submods__):\n    return None\n"
    Path("a").write_bytes(forged({"execution.py": text}))
    shown = astgen("inspect", "a").stdout
    assert "Pieces: none" in shown and "Constants: none" in shown
    assert "Opaque" not in shown and "execution_fn()" in shown


def test_what_is_not_in_the_file_is_shown(astgen) -> None:
    text = (
        b"import torch\n\n\ndef execution_fn(x, *, __vllm_submods__):\n"
        b"    y = __vllm_submods__[0](x, __vllm_consts__[0])\n    return y\n"
    )
    slot = {"kind": "m.Table", "shown": "supplied", "key": "slot 0", "supplied": True}
    said = {"submod_names": ["piece"], "consts": [slot]}
    Path("a").write_bytes(forged({"execution.py": text}, said))
    shown = astgen("inspect", "a").stdout
    assert "0     m.Table  y, args[1]" in shown and "supplied={slot: object}" in shown
    found = json.loads(astgen("inspect", "--json", "a").stdout)
    assert found["supplied"] == [{"slot": 0, "type": "m.Table", "use": "y, args[1]"}]


@pytest.mark.parametrize(("args", "count"), [("x", "1 argument"), ("x, x", "2 arg")])
def test_one_argument_is_one(astgen, args: str, count: str) -> None:
    text = f"def execution_fn(x, *, __vllm_submods__):\n    return {PIECE}({args})\n"
    Path("a").write_bytes(
        forged({"execution.py": text.encode()}, {"submod_names": ["piece"]})
    )
    shown = astgen("inspect", "a").stdout
    assert count in shown and "1 arguments" not in shown


@pytest.mark.parametrize("name", ["torch", "class", "__vllm_consts__"])
def test_names_that_mean_something_else_are_looked_at(astgen, name: str) -> None:
    text = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    said = {"dialect": {"submods": name}}
    Path("a").write_bytes(forged({"execution.py": text}, said))
    assert astgen("inspect", "a").exit_code == 0


def test_what_the_checker_refuses_is_said(astgen) -> None:
    Path("a").write_bytes(forged({"execution.py": b"import os\n"}))
    result = astgen("inspect", "a")
    assert result.exit_code == 0
    assert "The checker refuses the program" in result.stdout
    assert "AG" in result.stdout and "execution_fn(...)" in result.stdout


def test_nothing_that_a_file_says_moves_the_terminal(astgen) -> None:
    text = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    evil = "\x1b[2J\r\n\u202e\udc80" + "x" * 1000
    said = {
        "submod_names": [evil],
        "consts": [{"kind": evil, "shown": evil, "key": evil}],
        "producer": evil,
        "environment": {evil: evil},
        "hashes": {evil: evil},
        "needs": {"namespaces": [evil], "paths": [evil, "torch.x"]},
        "dialect": {"submods": evil},
    }
    Path("a").write_bytes(forged({"execution.py": text}, said))
    result = astgen("inspect", "a")
    assert result.exit_code == 0
    assert all(line.isprintable() for line in result.stdout.splitlines())
    assert max(map(len, result.stdout.splitlines())) < 500
    assert json.loads(astgen("inspect", "--json", "a").stdout)["producer"] == evil


def test_damage_and_what_is_no_file_are_errors(astgen) -> None:
    Path("a").write_bytes(packed()[:-1])
    for name in ("a", "missing", "."):
        result = astgen("inspect", name)
        assert result.exit_code == 2 and result.stdout == ""
        [line] = result.stderr.splitlines()
        assert line.startswith(f"astgen: error: {name}: ")
