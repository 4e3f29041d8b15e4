"""Generated functions as files: what they are called, and who else writes there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from astgen.review.programs import read_programs
from astgen.vllm.start import start
from support.graphs import carry, chain, tensor
from support.vllm_standin import LINES, in_process, write_standin

Logged = Callable[[], list[tuple[str, str]]]
aten = torch.ops.aten


def run(vllm: SimpleNamespace, gm: Any, part: str = "backbone", rank: int = 0) -> Any:
    """Has vLLM's backend compile a graph, on a rank."""
    parallel = SimpleNamespace(rank=rank, data_parallel_index=rank % 2)
    config = SimpleNamespace(parallel_config=parallel)
    return vllm.backends.VllmBackend(config, part)(gm)


def index(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "index.json").read_text())["functions"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_each_part_and_rank_has_a_file(plugged, tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    vllm = plugged("three", dump=str(folder))
    gm = carry(torch.float16, threading.Lock())
    code = vllm.codegen.generate_execution_code(gm)[0]
    for part, rank in [("backbone", 0), ("backbone", 1), ("eagle/head", 0)]:
        run(vllm, gm, part, rank)
    entries = index(folder)
    assert [
        (one["part"], one["rank"], one["data_parallel_rank"]) for one in entries
    ] == [("backbone", 0, 0), ("backbone", 1, 1), ("eagle/head", 0, 0)]
    for one in entries:
        assert (folder / one["file"]).read_text(encoding="utf-8") == code
        assert one["lines"] == len(code.splitlines())
        assert one["constants"] == [
            {"type": "type", "value": "builtins.dict"},
            {"type": "torch.dtype", "value": "torch.float16"},
            {"type": "_thread.lock"},
        ]
    suffixes = {path.suffix for path in folder.iterdir()}
    assert suffixes == {".py", ".astgen", ".json", ""}


def test_what_is_generated_is_an_artifact_for_reviews_too(
    plugged, tmp_path: Path
) -> None:
    folder = tmp_path / "dump"
    vllm = plugged("three", dump=str(folder))
    gm = carry(torch.float16, threading.Lock())
    (placeholder,) = gm.graph.find_nodes(op="placeholder")
    placeholder.meta["example_value"] = torch.ones(2, 3, dtype=torch.bfloat16)
    run(vllm, gm)
    (entry,) = index(folder)
    (program,) = read_programs(folder / entry["artifact"])
    assert program.code == (folder / entry["file"]).read_text(encoding="utf-8")
    assert program.provenance is not None
    parameters = program.provenance.functions["execution_fn"].parameters
    assert parameters["x"].type == "bf16[2, 3]"
    # The lock cannot be stored, and is described.
    assert program.manifest is not None and program.manifest.consts is not None
    assert [one.supplied for one in program.manifest.consts] == [False, False, True]


def test_what_only_comes_from_a_cache_has_no_graph_to_ask(
    plugged, tmp_path: Path
) -> None:
    vllm = plugged("three", dump=str(tmp_path))
    config = SimpleNamespace(
        parallel_config=SimpleNamespace(rank=0, data_parallel_index=0)
    )
    state = {"code": vllm.codegen.OWN_TEXT, "names": [], "consts": []}
    vllm.caching.rebuild(state, "backbone", config)
    (entry,) = index(tmp_path)
    assert "artifact" not in entry
    assert not list(tmp_path.glob("*.astgen"))


def test_a_cached_text_is_written_as_it_runs(plugged, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    vllm = plugged("three", dump=str(folder))
    config = SimpleNamespace(
        parallel_config=SimpleNamespace(rank=3, data_parallel_index=0)
    )
    state = {"code": vllm.codegen.OWN_TEXT, "names": [], "consts": []}
    vllm.caching.rebuild(state, "backbone", config)
    (one,) = index(folder)
    assert (one["part"], one["rank"]) == ("backbone", 3)
    assert (folder / one["file"]).read_text() == vllm.codegen.OWN_TEXT


def test_the_same_programs_give_the_same_bytes_in_any_order(
    plugged, tmp_path: Path
) -> None:
    graphs = [chain(aten.relu.default), chain(aten.neg.default), carry(object())]
    seen = []
    for number, order in enumerate([graphs, graphs[::-1]]):
        folder = tmp_path / str(number)
        vllm = plugged("three", dump=str(folder))
        for gm in order:
            run(vllm, gm)
        seen.append(files(folder))
        # The next order has a plugin of its own, as in another process.
        start.cache_clear()
        for name in ("codegen", "backends", "caching"):
            vars(getattr(vllm, name)).update(vllm.own[name])
    # The object of the third one cannot be stored, and is described.
    assert len(seen[0]) == 8
    assert seen[0] == seen[1]


def test_different_programs_of_one_rank_do_not_overwrite_each_other(
    plugged, tmp_path: Path
) -> None:
    vllm = plugged("three", dump=str(tmp_path / "dump"))
    for target in (aten.relu.default, aten.neg.default, aten.relu.default):
        run(vllm, chain(target))
    texts = {
        (tmp_path / "dump" / one["file"]).read_text()
        for one in index(tmp_path / "dump")
    }
    assert len(texts) == 2


def test_many_processes_write_into_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    script = f"""{LINES}
import os
from types import SimpleNamespace
import torch
from torch import fx
import astgen.vllm
astgen.vllm.register()
from vllm.compilation.backends import VllmBackend

def compile(rank, count):
    graph = fx.Graph()
    x = graph.placeholder("x")
    for _ in range(count):
        x = graph.call_function(torch.ops.aten.neg.default, (x,))
    graph.output(x)
    parallel = SimpleNamespace(rank=rank, data_parallel_index=0)
    config = SimpleNamespace(parallel_config=parallel)
    VllmBackend(config, "backbone")(fx.GraphModule({{}}, graph))

children = []
for rank in range(6):
    child = os.fork()
    if not child:
        for count in range(1, 9):
            compile(rank, count)
        os._exit(len(lines.lines) != 1)
    children.append(child)
print(json.dumps([os.waitpid(child, 0)[1] for child in children]))
"""
    write_standin(tmp_path, "three")
    ended = in_process(tmp_path, script, ASTGEN_VLLM="1", ASTGEN_VLLM_DUMP=str(folder))
    assert ended == [0] * 6
    entries = index(folder)
    assert len(entries) == 48
    names = {one[key] for one in entries for key in ("file", "artifact")}
    names |= {"index.json", ".lock"}
    assert names == {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("error", [OSError(28, "no space"), ValueError("no path")])
def test_a_dump_that_fails_is_told_once_and_the_model_runs(
    plugged, logged: Logged, tmp_path: Path, monkeypatch: Any, error: Exception
) -> None:
    def full(path: Any, chunks: Any, mode: Any = None) -> None:
        raise error

    vllm = plugged("three", dump=str(tmp_path / "dump"))
    monkeypatch.setattr("astgen.vllm.dump.put", full)
    for _ in range(2):
        function = run(vllm, chain(aten.neg.default))
        assert torch.equal(function(tensor(1)), tensor(-1))
    ((level, line),) = logged()
    assert level == "WARNING" and str(error) in line


def test_a_dump_to_what_is_no_folder_is_told(
    plugged, logged: Logged, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    vllm = plugged("three", dump=str(tmp_path / "file"))
    run(vllm, chain(aten.neg.default))
    ((level, line),) = logged()
    assert level == "WARNING" and str(tmp_path / "file") in line


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"functions": [1]}'])
def test_a_damaged_index_is_made_anew(plugged, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "index.json").write_text(damage)
    run(plugged("three", dump=str(folder)), chain(aten.neg.default))
    assert len(index(folder)) == 1


def test_a_rank_that_vllm_does_not_tell_is_the_first(plugged, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    vllm = plugged("three", dump=str(folder))
    code, names, consts = vllm.codegen.generate_execution_code(chain(aten.neg.default))
    vllm.codegen.compile_execution_fn(code, {}, names, consts)
    (one,) = index(folder)
    assert (one["part"], one["rank"], one["data_parallel_rank"]) == ("model", 0, 0)
