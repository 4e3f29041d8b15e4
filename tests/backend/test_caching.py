"""Compiled functions that one process saves and another one runs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest
import torch
from support.cache_runs import graph_of, run_process
from support.compare import assert_same
from torch import fx
from torch._dynamo.utils import counters

from astgen import BackendError
from astgen.backend import SerializableFunction, astgen_backend
from astgen.errors import ArtifactError
from astgen.store.container import pack, read
from astgen.store.manifest import write_manifest


@pytest.mark.parametrize("pieces", ["eager", "inductor"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_saved_function_runs_in_another_process_without_compiling(
    tmp_path, pieces, dynamic
):
    path = str(tmp_path / "model.aot")
    options = {"splitting_ops": ["softmax"], "pieces": pieces}
    sizes = [3, 6] if dynamic else [3]
    said = {"options": options, "path": path, "sizes": sizes}
    saved = run_process(tmp_path, "1", do="save", dynamic=dynamic, **said)
    assert saved["counters"]["stats"]["unique_graphs"] == 1
    loaded = run_process(tmp_path, "2", do="load", **said)
    assert "stats" not in loaded["counters"], "captured again"
    assert "aot_autograd" not in loaded["counters"], "compiled again"
    assert "fxgraph_cache_miss" not in loaded["counters"].get("inductor", {})
    if pieces == "eager":
        assert not any(loaded["differences"])
    assert max(loaded["differences"]) < 1e-5


OLDER = """
import torch
import torch._dynamo.aot_compile as module
del module.SerializableCallable
from astgen.backend import SerializableFunction
assert SerializableFunction.__bases__ == (object,)
compiled = torch.compile(lambda x: x.softmax(-1) + 1, backend="astgen")
x = torch.randn(3)
assert torch.equal(compiled(x), x.softmax(-1) + 1)
"""


def test_a_pytorch_that_stores_nothing_compiles_all_the_same():
    done = subprocess.run([sys.executable, "-c", OLDER], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def constants() -> SerializableFunction:
    gm = graph_of(
        lambda g, x: g.call_function(
            torch.full_like,
            (g.call_method("to", (x, torch.float64)), float("inf")),
            {"dtype": torch.float32, "device": torch.device("cpu")},
        )
    )
    return astgen_backend(gm, (), options={"splitting_ops": []})


def test_constants_come_back_in_their_order():
    function = constants()
    data = SerializableFunction.serialize_compile_artifacts(function)
    loaded = SerializableFunction.deserialize_compile_artifacts(data)
    assert loaded.code == function.code
    assert loaded.submod_names == function.submod_names
    held = [piece.program.consts for piece in function.pieces.values()]
    assert [piece.program.consts for piece in loaded.pieces.values()] == held
    assert {torch.float64, float("inf"), torch.float32} <= set(held[0])
    x = torch.randn(3)
    assert_same(loaded(x), function(x))
    assert SerializableFunction.serialize_compile_artifacts(loaded) == data


def test_a_payload_without_constants_is_legacy_and_loads():
    gm = graph_of(lambda g, x: g.call_method("exp", (x,)))
    options = {"splitting_ops": ["exp"]}
    function = astgen_backend(gm, (), options=options)
    data = SerializableFunction.serialize_compile_artifacts(function)
    archive = read(data)
    members = {
        name: content
        for name, content in archive.members.items()
        if name == "execution.py"
    }
    fields = json.loads(write_manifest(archive.manifest))
    fields["members"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in members.items()
    }
    del fields["consts"], fields["hashes"]
    old = pack({"manifest.json": json.dumps(fields).encode(), **members})
    loaded = SerializableFunction.deserialize_compile_artifacts(old)
    assert loaded.consts is None
    x = torch.randn(3)
    assert_same(loaded(x), (x.exp(),))


@pytest.mark.parametrize(
    "said",
    [{"curly": "x"}, {"entry": "x", "namespaces": "y"}, {"paths": "torch.save"}],
)
def test_names_of_a_dialect_that_are_not_known_are_left_alone(said):
    """A later version may have more of them."""
    data = SerializableFunction.serialize_compile_artifacts(constants())
    loaded = SerializableFunction.deserialize_compile_artifacts(_with(data, said))
    assert loaded.dialect == constants().dialect
    x = torch.randn(3)
    assert_same(loaded(x), constants()(x))


def test_a_dialect_of_two_equal_names_is_damage():
    data = SerializableFunction.serialize_compile_artifacts(constants())
    same = {"submods": "__vllm_x__", "consts": "__vllm_x__"}
    with pytest.raises(ArtifactError):
        SerializableFunction.deserialize_compile_artifacts(_with(data, same))


def _with(data: bytes, dialect: dict[str, str]) -> bytes:
    archive = read(data)
    fields = json.loads(write_manifest(archive.manifest))
    fields["dialect"].update(dialect)
    manifest = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    return pack({"manifest.json": manifest, **archive.members})


def test_what_was_loaded_can_be_saved_again(capture):
    """PyTorch does not store pieces of inductor's that it has loaded."""
    captured = capture(lambda x: torch.softmax(x * 2, -1) + 1, torch.randn(3, 4))
    options = {"splitting_ops": ["softmax"], "pieces": "inductor"}
    function = astgen_backend(captured.gm, (), options=options)
    data = SerializableFunction.serialize_compile_artifacts(function)
    loaded = SerializableFunction.deserialize_compile_artifacts(data)
    again = SerializableFunction.serialize_compile_artifacts(loaded)
    assert again == data
    expected = fx.Interpreter(captured.gm).run(*captured.args)
    found = SerializableFunction.deserialize_compile_artifacts(again)(*captured.args)
    torch.testing.assert_close(found, expected)


def test_what_came_from_the_cache_can_be_saved(capture, tmp_path):
    captured = capture(lambda x: torch.softmax(x * 2, -1) + 1, torch.randn(3, 4))
    options = {
        "splitting_ops": ["softmax"],
        "pieces": "inductor",
        "cache_dir": tmp_path,
        "trust_cache": True,
    }
    astgen_backend(captured.gm, (), options=options)
    counters["astgen"].clear()
    function = astgen_backend(captured.gm, (), options=options)
    assert counters["astgen"] == {"cache_hit": 1}
    data = SerializableFunction.serialize_compile_artifacts(function)
    loaded = SerializableFunction.deserialize_compile_artifacts(data)
    expected = fx.Interpreter(captured.gm).run(*captured.args)
    torch.testing.assert_close(loaded(*captured.args), expected)


def test_weights_are_not_stored_by_value():
    gm = graph_of(
        lambda g, x: g.call_function(torch.mul, (x, g.get_attr("w"))),
        w=torch.nn.Parameter(torch.randn(3)),
    )
    function = astgen_backend(gm, (), options={"splitting_ops": []})
    with pytest.raises(BackendError, match="is a weight of the model"):
        SerializableFunction.serialize_compile_artifacts(function)


def test_a_piece_that_calls_a_module_is_not_stored():
    gm = graph_of(lambda g, x: g.call_module("linear", (x,)), linear=torch.nn.ReLU())
    function = astgen_backend(gm, (), options={"splitting_ops": []})
    assert_same(function(torch.ones(2)), (torch.ones(2),))
    with pytest.raises(BackendError, match="a module is code"):
        SerializableFunction.serialize_compile_artifacts(function)


def test_damage_is_found():
    data = SerializableFunction.serialize_compile_artifacts(constants())
    for place in range(0, len(data), 97):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with pytest.raises(ArtifactError):
            SerializableFunction.deserialize_compile_artifacts(bytes(damaged))


def test_dynamo_runs_the_plain_function():
    """A wrapper in between would cost a frame for each call."""
    called = []

    def backend(gm, inputs):
        found = astgen_backend(gm, inputs)
        assert torch._dynamo.eval_frame.innermost_fn(found) is found.function
        called.append(found)
        return found

    x = torch.randn(3)
    assert_same(torch.compile(lambda x: x.sin() + 1, backend=backend)(x), x.sin() + 1)
    assert called
