"""Programs that are saved and loaded: what comes back, and what is not handed out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hostile.programs import CANARY, HOSTILE, Hostile
from support.artifacts import CODE, KINDS, forged, packed
from support.compare import assert_same
from support.graphs import graph
from support.stored import policy_for

import astgen
from astgen import Dialect
from astgen.errors import ArtifactError, ConstantError, InvalidProgramError
from astgen.program import Program
from astgen.store import (
    EnvironmentPolicy,
    EnvironmentWarning,
    Opaque,
    load_artifact,
    save_artifact,
)
from astgen.store.artifact import Artifact, pack_artifact
from astgen.store.container import read

FOREIGN = """\
import torch


def execution_fn(x, *, __vllm_submods__):
    return torch.ops.mylib.scale.default(x)
"""

_events: list[str] = []
_watching: list[bool] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    watched = ("exec", "os.system", "subprocess.Popen", "socket.connect")
    writes = event == "open" and any(mode in str(args[1]) for mode in "wax+")
    if _watching and (event in watched or writes):
        _events.append(event)


@pytest.fixture(scope="module", autouse=True)
def audit() -> None:
    sys.addaudithook(_audit)


def allowance(error: ArtifactError) -> str:
    """What to pass to whatever refused, as the error says it."""
    told, _, code = error.hint.partition("allow them: ")
    assert told == "if you know them, "
    return code


def piece(x: torch.Tensor, dtypes: list[Any]) -> torch.Tensor:
    return x.to(dtypes[0])


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    for kind, artifact in KINDS.items():
        path = tmp_path / kind
        save_artifact(path, artifact)
        assert path.read_bytes() == packed(kind)
        found = load_artifact(path, trust=True)
        assert found.code == CODE and found.submod_names == ("piece",)
        assert_same(found.consts, list(artifact.consts))
        assert (found.blobs, found.extra) == (artifact.blobs, artifact.extra)
        assert found.dialect == artifact.dialect and found.withheld == ()


def test_a_program_comes_back_and_means_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.astgen"
    program = Program(CODE, ("piece",), [[torch.float64, "other"]])
    program.save(path)
    found = Program.load(path)
    assert found == program and found.module is None
    x, y = torch.tensor([1, 2]), torch.tensor(0.5)
    actual = found.compile({"piece": piece})(x, y)
    assert_same(actual, torch.tensor([3.0, 5.0], dtype=torch.float64))


SAVE = """
import sys, torch
from torch import fx
from support.graphs import graph
import astgen

def body(g, x):
    y = g.call_function(torch.ops.aten.sum.dim_IntList, (x, [0]), {"dtype": torch.float64})
    return g.call_function(torch.full, ((2, 2), float("inf")), {"dtype": torch.int8}), y

astgen.generate(graph(body, "x")).save(sys.argv[1])
"""


def test_equal_programs_give_equal_bytes_in_any_process(tmp_path: Path) -> None:
    found = set()
    for seed in ("0", "1"):
        folder = tmp_path / seed
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", SAVE, "a.astgen"],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        found.add((folder / "a.astgen").read_bytes())
    assert len(found) == 1


def test_saving_what_was_loaded_gives_the_same_bytes(tmp_path: Path) -> None:
    for kind in KINDS:
        data = packed(kind)
        assert pack_artifact(load_artifact(data, trust=True)) == data


def test_a_generated_program_with_another_entry_comes_back(tmp_path: Path) -> None:
    gm = graph(lambda g, x: g.call_function(torch.add, (x, 1)), "x")
    program = astgen.generate(gm, "stitched")
    program.save(tmp_path / "a")
    found = Program.load(tmp_path / "a")
    assert found.dialect.entry == "stitched"
    assert_same(found.compile()(torch.tensor(1)), torch.tensor(2))


@pytest.mark.parametrize("entry", ["torch", "slice", "__vllm_inlined_submods__0"])
def test_an_entry_with_a_name_of_another_meaning_is_refused(entry: str) -> None:
    text = f"def {entry}(x, *, __vllm_submods__):\n    return x\n"
    data = forged({"execution.py": text.encode()}, {"entry": entry})
    with pytest.raises(ArtifactError) as caught:
        load_artifact(data)
    assert (caught.value.field, caught.value.rule) == ("entry", "AG104")


def test_opaque_blobs_are_handed_out_to_who_says_that_he_trusts_them() -> None:
    data = packed("blobs")
    found = load_artifact(data)
    assert found.blobs == {} and found.withheld == ("other", "piece")
    blobs = load_artifact(data, trust=True).blobs
    assert blobs == KINDS["blobs"].blobs
    assert found.extra == {"notes": b"none"}


def test_equal_blobs_are_stored_once() -> None:
    one = Opaque("inductor", b"\0" * 5000)
    artifact = replace(KINDS["plain"], blobs={"a": one, "b": one, "c": one})
    data = pack_artifact(artifact)
    assert len(data) < len(packed()) + 6000
    assert load_artifact(data, trust=True).blobs == artifact.blobs


def test_the_same_bytes_are_of_one_kind() -> None:
    blobs = {"a": Opaque("x", b"1"), "b": Opaque("y", b"1")}
    for wrong in (blobs, {"a": Opaque("", b"1")}):
        with pytest.raises(ArtifactError, match="say the kind of a blob"):
            pack_artifact(replace(KINDS["plain"], blobs=wrong))


def test_a_text_that_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    for code, names in (("import os\n", ()), (CODE, ())):
        with pytest.raises(InvalidProgramError):
            Program(code, names, [1]).save(tmp_path / "a")
    with pytest.raises(ConstantError):
        Program(CODE, ("piece",), [object()]).save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_program_says_beforehand_what_cannot_be_stored() -> None:
    program = Program(CODE, ("piece",), [torch.float32, object(), torch.device("cuda")])
    found = [answer.status for answer in program.check_portable()]
    assert found[:2] == ["portable", "not storable"] and found[2] != "not storable"


def test_foreign_operators_are_allowed_by_who_loads(tmp_path: Path) -> None:
    path = tmp_path / "a"
    mine = Dialect(namespaces=frozenset({"mylib"}))
    Program(FOREIGN, dialect=mine).save(path)
    assert read(path).manifest.namespaces == ("mylib",)
    with pytest.raises(ArtifactError, match="operators of 'mylib'") as caught:
        Program.load(path)
    assert (caught.value.field, caught.value.rule) == ("needs.namespaces", "AG506")
    assert eval(f"dict({allowance(caught.value)})") == {"dialect": mine}
    assert Program.load(path, dialect=mine).check() == ()


def test_a_text_of_many_megabytes_is_saved_and_loaded(tmp_path: Path) -> None:
    text = FOREIGN.replace(
        "torch.ops.mylib.scale.default(x)", f'(x, "{"a" * (12 << 20)}")'
    )
    Program(text).save(tmp_path / "a")
    assert Program.load(tmp_path / "a").code == text


def test_a_file_that_hides_what_it_needs_is_refused_by_the_checker() -> None:
    data = forged({"execution.py": FOREIGN.encode()})
    found = load_artifact(data)
    program = Program(found.code, found.submod_names, found.consts)
    assert [finding.rule for finding in program.check()] == ["AG506"]


def test_paths_beside_the_list_are_allowed_by_who_loads(tmp_path: Path) -> None:
    path = "torch.testing.assert_close"
    text = FOREIGN.replace("torch.ops.mylib.scale.default", path)
    mine = Dialect(paths=frozenset({path}))
    Program(text, dialect=mine).save(tmp_path / "a")
    with pytest.raises(ArtifactError, match=path) as caught:
        Program.load(tmp_path / "a")
    assert (caught.value.field, caught.value.rule) == ("needs.paths", "AG502")
    assert eval(f"dict({allowance(caught.value)})") == {"dialect": mine}
    assert Program.load(tmp_path / "a", dialect=mine).check() == ()


def test_other_names_are_allowed_by_who_loads(tmp_path: Path) -> None:
    mine = Dialect(submods="pieces")
    text = CODE.replace("__vllm_submods__", "pieces")
    program = Program(text, ("piece",), [1], dialect=mine)
    program.save(tmp_path / "a")
    with pytest.raises(ArtifactError, match="pieces") as caught:
        Program.load(tmp_path / "a")
    assert (caught.value.field, caught.value.rule) == ("dialect", "AG405")
    assert eval(f"dict({allowance(caught.value)})") == {"dialect": mine}
    assert Program.load(tmp_path / "a", dialect=mine) == program


@pytest.mark.parametrize("field", ["python", "torch", "platform", "device"])
def test_the_caller_decides_on_each_field_of_the_environment(
    field: str, recwarn: pytest.WarningsRecorder
) -> None:
    here = dict(load_artifact(packed()).environment)
    data = pack_artifact(replace(KINDS["plain"], environment={**here, field: "other"}))
    same = packed()
    recwarn.clear()
    load_artifact(data, policy=EnvironmentPolicy(torch="accept"))
    assert not recwarn.list
    policy = EnvironmentPolicy(**{"torch": "accept", field: "warn"})
    load_artifact(data, policy=policy)
    assert [one.category for one in recwarn.list] == [EnvironmentWarning]
    policy = EnvironmentPolicy(**{"torch": "accept", field: "refuse"})
    load_artifact(same, policy=policy)
    with pytest.raises(ArtifactError, match=f"{field}='accept'") as caught:
        load_artifact(data, policy=policy)
    assert caught.value.field == f"environment.{field}"
    assert caught.value.rule == "AG604"


def test_a_verdict_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="torch is 'ignore'; choose"):
        EnvironmentPolicy(torch="ignore")  # type: ignore[arg-type]


def test_blobs_of_another_environment_are_not_handed_out() -> None:
    artifact = replace(KINDS["blobs"], environment={"torch": "1.0"})
    data = pack_artifact(artifact)
    with pytest.raises(ArtifactError, match="environment"):
        load_artifact(data, trust=True)
    with pytest.warns(EnvironmentWarning, match="torch '1.0'"):
        load_artifact(data)
    lenient = EnvironmentPolicy(torch="accept")
    assert load_artifact(data, trust=True, policy=lenient).blobs == artifact.blobs


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"execution.py": b"\xff\xfe"}, {}),
        ({"execution.py": CODE.encode()}, {"submod_names": None}),
        ({"execution.py": CODE.encode()}, {"submod_names": [None]}),
        ({"execution.py": CODE.encode(), "consts.json": b"{}"}, {}),
        ({"execution.py": CODE.encode(), "consts.json": b"[1.5]"}, {}),
        ({"execution.py": CODE.encode(), "consts.json": b"\xff"}, {}),
        ({"execution.py": CODE.encode(), "consts.json": b""}, {}),
    ],
)
def test_members_that_are_whole_and_wrong_are_refused(
    members: dict[str, bytes], said: dict[str, object]
) -> None:
    with pytest.raises(ArtifactError):
        load_artifact(forged(members, said))


def test_constants_that_name_a_callable_are_refused() -> None:
    honest = pack_artifact(Artifact(CODE, ("piece",), [torch.relu]))
    consts = read(honest).members["consts.json"]
    for name in ("os:system", "posix:system", "builtins:exec", "subprocess:Popen"):
        document = consts.replace(b"torch:relu", name.encode())
        assert document != consts
        data = forged({"execution.py": CODE.encode(), "consts.json": document})
        with pytest.raises(ArtifactError, match="consts.json"):
            load_artifact(data)


@pytest.mark.parametrize("program", HOSTILE, ids=lambda program: program.name)
def test_a_hostile_program_in_a_whole_container_is_refused_and_nothing_runs(
    program: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = program.text.encode("utf-8", "surrogatepass")
    data = forged({"execution.py": text}, {"submod_names": ["a"]})
    _events.clear()
    _watching.append(True)
    try:
        with pytest.raises((ArtifactError, InvalidProgramError)) as caught:
            found = load_artifact(data)
            Program(
                found.code, found.submod_names, found.consts, dialect=found.dialect
            ).compile({"a": print})
    finally:
        _watching.clear()
    assert _events == [] and not (tmp_path / CANARY).exists()
    if isinstance(caught.value, InvalidProgramError):
        rules = {finding.rule for finding in caught.value.findings}
        assert set(program.rules.split()) <= rules
    else:
        assert "it is no text" in str(caught.value)


def test_the_policy_that_a_program_asks_for_is_enough(tmp_path: Path) -> None:
    program = Program(CODE, ("piece",), [[json.dumps]])
    program.save(tmp_path / "a")
    with pytest.raises(ArtifactError, match="json:dumps"):
        Program.load(tmp_path / "a")
    found = Program.load(tmp_path / "a", constants=policy_for(program))
    assert found.consts == [[json.dumps]]


def test_loading_warns_of_another_pytorch_and_of_nothing_else() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_artifact(packed("tensors"))
