"""`astgen convert`: a pickled compile cache becomes an artifact."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import torch
from hostile.making import CANARY
from hostile.pickle_making import state, touch
from support.artifacts import CODE

from astgen.program import Program


def state_of(**changes: object) -> dict[str, object]:
    consts: list[object] = [[torch.float64, float("inf")]]
    state = {"execution_code": CODE, "submod_names": ["piece"], "consts": consts}
    return {**state, **changes}


def write(name: str, value: object) -> str:
    """What vLLM leaves: a pickle that holds another one."""
    Path(name).write_bytes(pickle.dumps({"compiled_fn": pickle.dumps(value)}))
    return name


def test_a_cache_becomes_an_artifact_that_runs(astgen) -> None:
    result = astgen("convert", write("model", state_of()), "out.astgen")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "out.astgen: 1 pieces, 1 constants, from model: compiled_fn.execution_code\n"
    )
    program = Program.load("out.astgen")
    assert (program.code, program.submod_names) == (CODE, ("piece",))
    assert program.consts == [[torch.float64, float("inf")]]
    function = program.compile({"piece": lambda x, values: x.to(values[0])})
    x = torch.tensor([1, 2])
    assert torch.equal(function(x, x), torch.tensor([4.0, 8.0], dtype=torch.float64))
    assert astgen("verify", "out.astgen").exit_code == 0
    assert astgen("lint", "--isolated", "out.astgen").exit_code == 0


def test_a_cache_from_before_constants_has_none(astgen) -> None:
    code = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    old = state_of(execution_code=code, submod_names=[])
    del old["consts"]
    assert astgen("convert", write("model", old), "out").exit_code == 0
    assert Program.load("out").consts == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"consts": [[1], pickle.Pickler]}, "consts[1]: _pickle:Pickler"),
        ({"consts": 7}, "no list that a program has"),
        ({"submod_names": [None]}, "it does not have the names of all pieces"),
        ({"execution_code": ""}, "the entry execution_code is empty"),
        ({"execution_code": 7}, "the entry execution_code is no text"),
    ],
)
def test_what_does_not_allow_it_is_said(
    astgen, changes: dict[str, object], reason: str
) -> None:
    result = astgen("convert", write("model", state_of(**changes)), "out")
    assert result.exit_code == 2 and not Path("out").exists()
    [line] = result.stderr.splitlines()
    assert line.startswith("astgen: error: model") and reason in line


def test_what_the_checker_refuses_is_not_converted(astgen) -> None:
    bad = state_of(execution_code="import os\n")
    result = astgen("convert", write("model", bad), "out")
    assert result.exit_code == 1 and "AG" in result.stderr
    assert not Path("out").exists()


def test_other_files_are_refused(astgen) -> None:
    write("model", state_of())
    Path("short").write_bytes(Path("model").read_bytes()[:-20])
    Path("empty").write_bytes(b"")
    Path("other").write_bytes(pickle.dumps({"a": 1}))
    for name, reason in {
        "short": "",
        "empty": "",
        "other": "it holds no program",
        "missing": "No such file",
        ".": "a folder",
    }.items():
        result = astgen("convert", name, "out")
        assert result.exit_code == 2 and reason in result.stderr, result.output
        assert result.stderr.startswith(f"astgen: error: {name}: ")


def test_one_of_several_programs_is_chosen(astgen) -> None:
    states = [state_of(), state_of(consts=[1])]
    Path("model").write_bytes(pickle.dumps([pickle.dumps(one) for one in states]))
    result = astgen("convert", "model", "out")
    assert result.exit_code == 2 and "--member" in result.stderr
    assert "'[0].execution_code', '[1].execution_code'" in result.stderr
    place = "[1].execution_code"
    result = astgen("convert", "--member", place, "model", "out")
    assert result.exit_code == 0, result.stderr
    assert Program.load("out").consts == [1]


def test_functions_and_namespaces_are_allowed_by_name(astgen) -> None:
    code = CODE.replace("torch.ops.aten.add.Tensor", "torch.ops.mylib.add.default")
    changes = {"execution_code": code, "consts": [json.dumps]}
    write("model", state_of(**changes))
    allow = ("--allow", "json:dumps")
    assert "json:dumps" in astgen("convert", "model", "out").stderr
    assert astgen("convert", *allow, "model", "out").exit_code == 1
    result = astgen("convert", *allow, "--namespace", "mylib", "model", "out")
    assert result.exit_code == 0, result.stderr


def test_nothing_of_a_hostile_cache_runs(astgen) -> None:
    data = b"\x80\x04" + touch() + b"0" + state() + b"."
    Path("model").write_bytes(data)
    assert astgen("convert", "model", "out").exit_code == 0
    assert not Path(CANARY).exists()
