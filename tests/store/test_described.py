"""What a manifest says of the constants is what they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.artifacts import forged
from support.stored import policy_for
from support.stored_constants import SAMPLES

from astgen.errors import ArtifactError
from astgen.program import Program
from astgen.store import Artifact, load_artifact
from astgen.store.artifact import pack_artifact
from astgen.store.codec import DecodePolicy, dumps, encode
from astgen.store.container import read
from astgen.store.inspect import verify_artifact

CODE = """\
import torch


def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.add.Tensor(x, __vllm_consts__[0])
"""
SHARED = [1, 2]
CONSTS: list[Any] = [torch.ones(2), SHARED, [SHARED, 3], torch.float16, torch.relu]


def remade(
    change: Callable[[list[dict[str, str]]], object],
    other: Callable[[dict[str, Any]], object] = lambda said: None,
    consts: list[Any] = CONSTS,
) -> bytes:
    """An artifact with right digests, and a manifest that was changed."""
    data = pack_artifact(Artifact(CODE, (), consts))
    members = dict(read(data).members)
    start = 30 + len("manifest.json")
    end = start + int.from_bytes(data[18:22], "little")
    said = json.loads(data[start:end])
    change(said["consts"])
    other(said)
    return forged(members, said)


def swap(slots: list[dict[str, str]]) -> None:
    slots[0], slots[3] = slots[3], slots[0]


LIES: dict[str, Callable[[list[dict[str, str]]], object]] = {
    "fewer": lambda slots: slots.pop(),
    "none": lambda slots: slots.clear(),
    "more": lambda slots: slots.append(dict(slots[0])),
}
WORSE: dict[str, Callable[[list[dict[str, str]]], object]] = {
    "swapped": swap,
    "key": lambda slots: slots[3].update(key='{"dtype":"float32"}'),
    "shared": lambda slots: slots[1].update(key="object 0"),
    "kind": lambda slots: slots[4].update(kind="torch.float16"),
    "shown": lambda slots: slots[0].update(shown="torch.float16"),
}


@pytest.mark.parametrize("lie", [*LIES, *WORSE])
def test_a_manifest_that_contradicts_the_constants_is_refused(lie: str) -> None:
    assert len(load_artifact(remade(lambda slots: None)).consts) == len(CONSTS)
    with pytest.raises(ArtifactError) as caught:
        load_artifact(remade({**LIES, **WORSE}[lie]))
    assert caught.value.field.startswith("consts") and caught.value.rule == "AG607"


@pytest.mark.parametrize("lie", LIES)
def test_verifying_counts_the_constants(lie: str) -> None:
    assert verify_artifact(remade(lambda slots: None))
    with pytest.raises(ArtifactError, match="constants, and there are 5") as caught:
        verify_artifact(remade(LIES[lie]))
    assert caught.value.rule == "AG607"


@pytest.mark.parametrize("data", [b"[]", b'{"slots":{}}', b"{", b"[" * 400, b"\xff"])
def test_verifying_refuses_what_is_no_list_of_constants(data: bytes) -> None:
    with pytest.raises(ArtifactError, match="consts.json"):
        verify_artifact(forged({"execution.py": CODE.encode(), "consts.json": data}))


def test_another_version_may_have_other_words_but_no_other_keys() -> None:
    def older(said: dict[str, Any]) -> None:
        said["producer"] = "astgen 0.0.9"

    lie = WORSE["shown"]
    assert load_artifact(remade(lie, older)).consts[3] is torch.float16
    with pytest.raises(ArtifactError):
        load_artifact(remade(WORSE["key"], older))


def test_loading_describes_every_kind_as_saving_does() -> None:
    consts = list(SAMPLES.values())
    twice = [torch.ones(1), *consts, consts]
    program = Program(CODE, (), twice)
    data = pack_artifact(Artifact(CODE, (), twice))
    policy = policy_for(program)
    assert len(load_artifact(data, constants=policy).consts) == len(twice)


def test_a_device_that_is_mapped_is_no_lie() -> None:
    consts: list[Any] = [torch.device("cuda:0"), [torch.device("cuda:1")]]
    data = pack_artifact(Artifact(CODE, (), consts))
    policy = DecodePolicy(device_map={"cuda:0": "cpu", "cuda:1": "cpu"})
    found = load_artifact(data, constants=policy).consts
    assert found == [torch.device("cpu"), [torch.device("cpu")]]
    assert dumps(encode(found).document)
