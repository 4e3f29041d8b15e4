"""Constants that are not stored: by slot, named by the file, handed over when loading."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.artifacts import forged
from support.compare import assert_same
from support.graphs import graph, module
from torch import fx

import astgen
from astgen.errors import ArtifactError, ConstantError
from astgen.program import Program
from astgen.store import load_artifact
from astgen.store.artifact import Artifact, pack_artifact
from astgen.store.codec import decode, encode
from astgen.store.container import read
from astgen.store.inspect import inspect_artifact, verify_artifact

X = torch.tensor([1.0, -2.0])


def scaled(factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x * factor


class Table:
    """Nothing says how one is stored."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("nobody has to compare")

    def look(self, x: torch.Tensor) -> torch.Tensor:
        return x + len(self.sizes)


def of_closure(function: Callable[..., Any]) -> Program:
    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        half = g.call_method("to", (x, torch.float64))
        return g.call_function(function, (half,))

    return astgen.generate(graph(body, "x"))


def slot_of(program: Program, value: object) -> int:
    [slot] = [slot for slot, one in enumerate(program.consts) if one is value]
    return slot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.astgen"


def test_a_save_that_would_lose_something_is_refused_unless_it_is_supplied(
    path: Path,
) -> None:
    function = scaled(3.0)
    program = of_closure(function)
    slot = slot_of(program, function)
    with pytest.raises(ConstantError, match=rf"supplied=\[{slot}\]") as caught:
        program.save(path)
    assert (caught.value.slot, caught.value.type_name) == (slot, "function")
    assert not path.exists()
    program.save(path, supplied=[slot])
    run = Program.load(path, supplied={slot: scaled(5.0)}).compile()
    assert_same(run(X), X.double() * 5)


def test_loading_without_it_names_slot_node_argument_and_type(path: Path) -> None:
    table = Table(1)

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        return g.call_function(dict, (), {"v": [x, table]})

    program = astgen.generate(graph(body, "x"))
    with pytest.raises(ConstantError) as refused:
        program.save(path)
    program.save(path, supplied=[slot := slot_of(program, table)])
    with pytest.raises(ArtifactError) as caught:
        Program.load(path)
    wanted = "dict_1, kwargs['v'][1]"
    assert refused.value.use == wanted and f"({wanted})" in str(refused.value)
    assert f"constant {slot} ({wanted}): a {__name__}.Table is" in str(caught.value)
    assert f"supplied={{{slot}: …}}" in caught.value.hint
    assert caught.value.rule == "AG604" and str(path) in caught.value.path


def test_only_the_type_that_the_program_had_is_taken(path: Path) -> None:
    look = Table(1).look
    program = of_closure(look)
    program.save(path, supplied=[slot := slot_of(program, look)])
    with pytest.raises(ArtifactError, match="and not a function") as caught:
        Program.load(path, supplied={slot: scaled(1.0)})
    assert caught.value.rule == "AG604"
    run = Program.load(path, supplied={slot: Table(1, 2).look}).compile()
    assert_same(run(X), X.double() + 2)


def test_a_module_with_hooks_is_supplied_as_what_it_is(path: Path) -> None:
    def child() -> fx.GraphModule:
        inner = graph(lambda g, x: g.call_function(torch.neg, (x,)), "x")
        inner.register_forward_hook(lambda module, args, result: result * 2)
        return inner

    root = module(inner=child())
    outer = graph(lambda g, x: g.call_module("inner", (x,)), "x", root=root)
    program = astgen.generate(outer)
    program.save(path, supplied=[0])
    run = Program.load(path, supplied={0: child()}).compile()
    assert_same(run(X), -2 * X)
    with pytest.raises(ArtifactError, match="torch.fx.graph_module.GraphModule is"):
        Program.load(path, supplied={0: torch.nn.Identity()})


def test_what_is_in_the_file_is_not_taken_from_the_caller(path: Path) -> None:
    program = of_closure(torch.relu)
    program.save(path)
    with pytest.raises(ArtifactError, match="it is in the file"):
        Program.load(path, supplied={0: program.consts[0]})


@pytest.mark.parametrize("slots", [[2], [-1], ["0"], [0.0]])
def test_slots_that_are_none_are_refused(path: Path, slots: list[Any]) -> None:
    program = of_closure(scaled(1.0))
    with pytest.raises(ValueError, match="no constant"):
        program.save(path, supplied=slots)
    with pytest.raises(ValueError, match="no constant"):
        program.check_portable(slots)


def test_it_is_told_beforehand() -> None:
    function = scaled(3.0)
    program = of_closure(function)
    slot = slot_of(program, function)
    before = program.check_portable()[slot]
    assert (before.status, before.is_stored) == ("not storable", False)
    assert (before.type_name, before.use) == ("function", "_lambda_, target")
    after = program.check_portable([slot])[slot]
    assert (after.status, after.is_stored) == ("supplied", False)
    others = [one for one in program.check_portable() if one.slot != slot]
    assert [one.status for one in others] == ["portable"]


def test_the_interface_is_another_one_with_it() -> None:
    program = of_closure(torch.relu)
    code, names, consts = program.code, program.submod_names, program.consts
    whole, apart = (
        load_artifact(
            pack_artifact(Artifact(code, names, consts, supplied=slots)),
            supplied={slot: consts[slot] for slot in slots},
        )
        for slots in ((), (0,))
    )
    assert (whole.supplied, apart.supplied) == ((), (0,))
    assert whole.hashes["interface"] != apart.hashes["interface"]
    assert whole.hashes["code"] == apart.hashes["code"]
    assert_same(apart.consts, whole.consts)


def test_saving_what_was_loaded_gives_the_same_bytes() -> None:
    table = Table(1)
    program = of_closure(table.look)
    artifact = Artifact(program.code, (), program.consts, supplied=(1,))
    data = pack_artifact(artifact)
    again = load_artifact(data, supplied={1: table.look})
    assert again.supplied == (1,) and pack_artifact(again) == data


def test_looking_at_the_file_shows_it() -> None:
    program = of_closure(Table(1).look)
    data = pack_artifact(Artifact(program.code, (), program.consts, supplied=(1,)))
    found = verify_artifact(data)
    assert found.record()["supplied"] == [
        {"slot": 1, "type": "method", "use": "look, target"}
    ]
    assert (
        inspect_artifact(pack_artifact(Artifact(program.code, (), [1, 2]))).uses == {}
    )


def test_one_object_does_not_come_back_as_two() -> None:
    shared = [1]
    tensor = torch.ones(4)
    for values, slots in (
        ([shared, (shared,)], [0]),
        ([(shared,), shared], [1]),
        ([tensor, tensor[1:]], [0]),
    ):
        with pytest.raises(ConstantError, match="that one too") as caught:
            encode(values, slots)
        assert caught.value.slot == slots[0]
        document = encode(values, [0, 1]).document
        assert decode(document, {}, supplied=dict(enumerate(values))) == values


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "hidden": lambda said: said["consts"][1].pop("supplied"),
    "more": lambda said: said["consts"][0].update(supplied=True),
    "another type": lambda said: said["consts"][1].update(kind="int"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_manifest_that_says_otherwise_is_refused(lie: str) -> None:
    table = Table(1)
    program = of_closure(table.look)
    data = pack_artifact(Artifact(program.code, (), program.consts, supplied=(1,)))
    start = 30 + len("manifest.json")
    said = json.loads(data[start : start + int.from_bytes(data[18:22], "little")])
    members = dict(read(data).members)
    assert load_artifact(forged(members, said), supplied={1: table.look}).supplied
    LIES[lie](said)
    changed = forged(members, said)
    with pytest.raises(ArtifactError):
        load_artifact(changed, supplied={1: table.look})
    with pytest.raises(ArtifactError):
        verify_artifact(changed)
    with pytest.raises(ArtifactError):
        load_artifact(changed, supplied={0: torch.float64, 1: table.look})


@pytest.mark.parametrize(
    "form",
    [
        {"supplied": None},
        {"supplied": 1},
        {"supplied": "int", "same": 0},
        [{"supplied": "int"}],
        {"tuple": [{"supplied": "int"}]},
    ],
)
def test_only_a_whole_constant_is_supplied(form: Any) -> None:
    document = {"slots": [form], "storages": [], "version": 1}
    with pytest.raises(ArtifactError):
        decode(document, {}, supplied={0: 1})
    document["slots"] = [{"supplied": "int"}]
    assert decode(document, {}, supplied={0: 1}) == [1]
