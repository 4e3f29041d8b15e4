"""Sources of every kind, and the programs in them."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from hostile.making import CANARY
from hostile.pickle_making import state, touch
from support.artifacts import CODE
from support.review_texts import vllm_text

from astgen.errors import ArtifactError
from astgen.program import Program
from astgen.review.programs import read_programs, read_source

FOREIGN = vllm_text(2)


def cache(**changes: object) -> bytes:
    """What vLLM leaves: a pickle that holds another one."""
    names = ["piece", None]
    consts = [torch.float64, float("inf")]
    state = {"execution_code": CODE, "submod_names": names, "consts": consts}
    return pickle.dumps({"compiled_fn": pickle.dumps({**state, **changes})})


def test_a_text_is_one_program(tmp_path: Path) -> None:
    path = tmp_path / "dump.py"
    path.write_text(FOREIGN)
    (program,) = read_programs(path)
    assert program.code == FOREIGN
    assert (program.submod_names, program.constants) == (None, None)
    assert (program.place, program.profile) == ("", "vllm-0.32")


def test_a_pickled_cache_names_pieces_and_describes_constants(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(cache())
    (program,) = read_programs(path)
    assert program.code == CODE
    assert program.submod_names == ("piece", None)
    assert program.constants is not None
    assert [one.shown for one in program.constants] == ["torch.float64", "inf"]
    assert program.place == "compiled_fn.execution_code"


def test_an_artifact_has_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "gate.astgen"
    Program(CODE, ("piece",), [torch.device("cpu")]).save(path)
    (program,) = read_programs(path)
    assert (program.code, program.submod_names) == (CODE, ("piece",))
    assert program.constants is not None
    assert "cpu" in program.constants[0].shown
    assert (program.place, program.entry) == ("execution.py", "execution_fn")


def test_a_folder_gives_places_in_it(tmp_path: Path) -> None:
    for rank in range(2):
        folder = tmp_path / f"rank_{rank}_0"
        folder.mkdir()
        (folder / "model").write_bytes(cache())
    (tmp_path / "other.py").write_text("print('nothing generated')\n")
    places = [one.place for one in read_programs(tmp_path)]
    assert places == [
        "rank_0_0/model[compiled_fn.execution_code]",
        "rank_1_0/model[compiled_fn.execution_code]",
    ]
    (second,) = read_programs(tmp_path, member=places[1])
    assert second.place == places[1]


def test_an_archive_is_read_like_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", FOREIGN)
        archive.writestr("b/model", cache())
    places = [one.place for one in read_programs(path)]
    assert places == ["a.py", "b/model.compiled_fn.execution_code"]


def test_a_trace_log_is_read(tmp_path: Path) -> None:
    md5 = hashlib.md5(FOREIGN.encode()).hexdigest()
    facts = {"artifact": {"name": "vllm_execution_code"}, "has_payload": md5}
    head = f"V0102 03:04:05.000006 7 a/file.py:118] {json.dumps(facts)}\n"
    payload = "".join(f"\t{line}\n" for line in FOREIGN.split("\n"))
    path = tmp_path / "trace.log"
    path.write_text(head + payload)
    (program,) = read_programs(path)
    assert (program.code, program.place) == (
        FOREIGN,
        "vllm_execution_code#1 (line 1)",
    )


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = SimpleNamespace(buffer=io.BytesIO(FOREIGN.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    (program,) = read_programs("-")
    assert (program.code, program.place) == (FOREIGN, "")


def test_a_member_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text(FOREIGN)
    with pytest.raises(ArtifactError, match=r"no program 'b.py'; it has 'a.py'"):
        read_programs(tmp_path, member="b.py")


@pytest.mark.parametrize("data", [b"", b"print(1)\n", b"\x00\xff" * 1000])
def test_what_holds_no_program_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(ArtifactError):
        read_programs(path)
    with pytest.raises(ArtifactError, match="no generated code"):
        read_source(tmp_path)


def test_a_part_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(FOREIGN)
    (tmp_path / "model").write_bytes(cache()[:-20])
    source = read_source(tmp_path)
    assert source.programs[0].place == "good.py"
    assert {finding.rule for finding in source.findings} == {"AG601"}
    with pytest.raises(ArtifactError, match="breaks off"):
        read_programs(tmp_path)


def test_a_hostile_pickle_is_read_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"\x80\x04" + touch() + b"0" + state() + b".")
    assert read_source(path).programs
    assert not Path(CANARY).exists()


def test_reading_takes_no_torch(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(cache())
    code = (
        "import sys; from astgen.review.programs import read_programs;"
        "from astgen.review.dump import dump; dump(read_programs(sys.argv[1])[0]);"
        "print({'torch', 'libcst', 'black'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True
    )
    assert done.stdout == "set()\n", done.stderr
