"""A cache whose files are damaged, whose folder is not writable, that many share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from support.cache_runs import environment, graph_of
from support.compare import assert_same
from torch import fx
from torch._dynamo.utils import counters

from astgen.backend import astgen_backend
from astgen.backend.cache.folder import entries, entry_path
from astgen.store.artifact import Artifact, Opaque, save_artifact
from astgen.store.loading import load_artifact
from astgen.store.notation import write_json

PROCESSES = 16
SECONDS = float(os.environ.get("ASTGEN_RACE_SECONDS", "5"))
X = torch.randn(3)


def graph() -> fx.GraphModule:
    return graph_of(
        lambda g, x: g.call_method("to", (g.call_method("exp", (x,)), torch.float64))
    )


@pytest.fixture
def run(tmp_path: Path) -> Callable[[], tuple[dict[str, int], list[str]]]:
    """`run()`: compile the graph, check what it computes; counters and warnings."""

    def compile_it() -> tuple[dict[str, int], list[str]]:
        counters["astgen"].clear()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function: Any = astgen_backend(
                graph(), (), options={"cache_dir": tmp_path / "c"}
            )
        assert_same(function(X), (X.exp().double(),))
        return dict(counters["astgen"]), [str(one.message) for one in caught]

    return compile_it


def entry(tmp_path: Path) -> Path:
    (found,) = entries(str(tmp_path / "c"))
    return Path(found.path)


@pytest.mark.parametrize("kind", ["flipped", "truncated", "empty", "text", "other"])
def test_a_damaged_entry_is_put_aside_with_one_warning(tmp_path, run, kind):
    run()
    path = entry(tmp_path)
    data = path.read_bytes()
    if kind == "other":
        text = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"
        save_artifact(path, Artifact(text))
    else:
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]
        damaged = {"flipped": flipped, "truncated": data[:-9], "empty": b""}
        path.write_bytes(damaged.get(kind, b"not an artifact"))
    found, warned = run()
    assert found == {"cache_damaged": 1, "cache_miss": 1}
    assert len(warned) == 1 and "was put aside" in warned[0]
    assert path.read_bytes() == data, "compiled anew, and kept"
    assert path.with_suffix(".damaged").exists()
    assert run() == ({"cache_hit": 1}, [])


def test_every_flipped_byte_is_found(tmp_path, run):
    run()
    path = entry(tmp_path)
    data = path.read_bytes()
    for place in range(0, len(data), max(len(data) // 60, 1)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        found, _ = run()
        assert found == {"cache_damaged": 1, "cache_miss": 1}, place


def test_an_entry_under_the_key_of_another_is_not_taken(tmp_path, run):
    run()
    path = entry(tmp_path)
    other = graph_of(lambda g, x: g.call_method("sin", (x,)))
    astgen_backend(other, (), options={"cache_dir": tmp_path / "c"})
    (wrong,) = {one.path for one in entries(str(tmp_path / "c"))} - {str(path)}
    os.replace(wrong, path)
    found, warned = run()
    assert found == {"cache_damaged": 1, "cache_miss": 1}
    assert "compiled from something else" in warned[0]


NO_SLOTS: dict[str, Any] = {"": {}, "submod_0": {}}
BODY = "    return (__vllm_submods__[0](x),)\n"


@pytest.mark.parametrize(
    "bindings",
    [
        {"pieces": ["nope"], "slots": NO_SLOTS},
        {"pieces": ["__class__"], "slots": NO_SLOTS},
        {"pieces": [""], "slots": NO_SLOTS},
        {"pieces": ["submod_0.forward"], "slots": NO_SLOTS},
        {"pieces": "submod_0", "slots": NO_SLOTS},
        {"pieces": [], "slots": []},
        {"pieces": [], "slots": {"": {}}},
        {"pieces": [], "slots": {"": {}, "submod_0": {"0": -1}}},
        {"pieces": [], "slots": {"": {}, "submod_0": {"-1": 0}}},
        {"pieces": [], "slots": {"": {}, "submod_0": {"0": True}}},
        {"pieces": [], "slots": {"": {}, "submod_0": {"00": 0}}},
        {"pieces": [], "slots": {"": {}, "submod_0": {"0": 10**9}}},
        {"pieces": [], "slots": {"": {"0": 0}, "submod_0": {}}},
        [],
    ],
)
def test_bindings_that_do_not_fit_are_damage(tmp_path, run, bindings):
    run()
    extra = {"bindings.json": write_json(bindings)}
    _poisoned(entry(tmp_path), lambda one: replace(one, extra={**one.extra, **extra}))
    found, warned = run()
    assert found == {"cache_damaged": 1, "cache_miss": 1}
    assert len(warned) == 1 and "was put aside" in warned[0]
    assert run() == ({"cache_hit": 1}, [])


@pytest.mark.parametrize(
    "parameters",
    ["*, __vllm_submods__", "x, y, *, __vllm_submods__", "x, *, y, __vllm_submods__"],
)
def test_an_entry_with_other_parameters_is_damage(tmp_path, run, parameters):
    run()
    body = BODY if "x" in parameters else "    return (1,)\n"
    code = f"def execution_fn({parameters}):\n{body}"
    _poisoned(entry(tmp_path), lambda one: replace(one, code=code))
    found, warned = run()
    assert found == {"cache_damaged": 1, "cache_miss": 1}
    assert "other parameters than the graph" in warned[0]


def test_an_entry_that_calls_a_piece_that_is_not_there_is_damage(tmp_path, run):
    run()
    _poisoned(entry(tmp_path), lambda one: replace(one, submod_names=("not_there",)))
    assert run()[0] == {"cache_damaged": 1, "cache_miss": 1}


def _poisoned(path: Path, edit: Callable[[Artifact], Artifact]) -> None:
    """Change an entry into another one whose digests are in order."""
    save_artifact(path, edit(load_artifact(path)))


def _compiled(
    folder: Path, capture: Callable[..., Any], x: torch.Tensor
) -> tuple[Any, dict[str, Any]]:
    """A graph that inductor has compiled into a cache that is trusted; the options."""
    captured = capture(lambda x: torch.softmax(x * 2, -1) + 1, x)
    options = {
        "splitting_ops": ["softmax"],
        "pieces": "inductor",
        "cache_dir": folder / "c",
        "trust_cache": True,
    }
    astgen_backend(captured.gm, (), options=options)
    return captured, options


def test_a_piece_that_cannot_be_loaded_here_is_a_miss(tmp_path, capture, monkeypatch):
    """There may be no compiler; the entry is sound, and stays for the others."""
    captured, options = _compiled(tmp_path, capture, torch.randn(3, 4))
    path = entry(tmp_path)

    def load(*_: Any, **__: Any) -> Any:
        raise RuntimeError("No working C++ compiler found")

    monkeypatch.setattr(torch._inductor.CompiledArtifact, "load", load)
    counters["astgen"].clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function = astgen_backend(captured.gm, (), options=options)
    assert dict(counters["astgen"]) == {"cache_miss": 1}
    assert entry(tmp_path) == path, "put aside"
    expected = fx.Interpreter(captured.gm).run(*captured.args)
    torch.testing.assert_close(function(*captured.args), expected)


def test_assumptions_that_are_no_expression_are_damage(tmp_path, capture):
    x = torch.randn(3, 4)
    torch._dynamo.mark_dynamic(x, 0)
    captured, options = _compiled(tmp_path, capture, x)
    path = entry(tmp_path)
    found = load_artifact(path, trust=True)
    guards = Opaque(found.blobs["guards"].kind, b"1 +")
    save_artifact(path, replace(found, blobs={**found.blobs, "guards": guards}))
    counters["astgen"].clear()
    with pytest.warns(UserWarning, match="was put aside"):
        astgen_backend(captured.gm, (), options=options)
    assert dict(counters["astgen"]) == {"cache_damaged": 1, "cache_miss": 1}


def test_a_cache_that_cannot_be_written_is_warned_of(tmp_path, run):
    (tmp_path / "c").write_text("a file where the folder should be")
    found, warned = run()
    assert found == {"cache_miss": 1}
    assert len(warned) == 1 and "nothing is kept in the cache" in warned[0]


def test_what_a_killed_writer_left_is_no_entry(tmp_path, run):
    run()
    path = entry(tmp_path)
    Path(entry_path(str(tmp_path / "c"), "0" * 63)).write_bytes(b"no key")
    (tmp_path / "c" / ".astgen-00000000-1-0123456789abcdef.tmp").write_bytes(b"half")
    assert entry(tmp_path) == path


def test_many_processes_share_a_cache(tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    command = [sys.executable, "-m", "support.cache_race", str(folder), str(SECONDS)]
    started = [
        subprocess.Popen(
            command,
            env={**environment(str(number)), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob("ready*"))) < PROCESSES:
        assert time.monotonic() < deadline
        assert all(process.poll() is None for process in started)
        time.sleep(0.1)
    (tmp_path / "go").touch()
    seen = []
    for process in started:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        seen.append(json.loads(output))
    total: dict[str, int] = {}
    for found in seen:
        for name, count in found.items():
            total[name] = total.get(name, 0) + count
    assert total["wrong"] == 0
    assert "cache_damaged" not in total and "cache_bypass" not in total
    assert total["cache_hit"] > 0 and total["cache_miss"] >= 3
    left = {path.suffix for path in folder.iterdir()}
    assert left <= {".astgen"}, left
