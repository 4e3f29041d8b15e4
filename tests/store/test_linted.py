"""What the linter says of artifacts that were saved, and of what is hidden in them."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
from dataclasses import replace

import black
import pytest
import torch
from support.artifacts import KINDS, forged, packed
from support.stored_constants import SAMPLES

from astgen.check import RULES
from astgen.lint.program import judge
from astgen.lint.rules import ALL_RULES
from astgen.lint.settings import Settings
from astgen.lint.sources.limits import Limits
from astgen.lint.sources.read import read_bytes
from astgen.lint.subject import Contents
from astgen.store.artifact import pack_artifact
from astgen.store.codec import encode

DATA = (
    *("array", "buffers", "bytearray", "complex", "deque", "default", "dict", "dtype"),
    *("default generator", "fortran", "fx", "generator", "leaf", "leaf spec", "list"),
    *(
        "meta",
        "numpy dtype",
        "odd arrays",
        "ordered",
        "parameter",
        "placements",
        "range",
    ),
    *(
        "reduction",
        "scalars",
        "set",
        "singletons",
        "size",
        "slice",
        "strided",
        "tensor",
    ),
    *("torch", "trained", "views", "lazy", "small tensors"),
)
"""Those of the samples that need nothing of the user's and pickle as data."""
PROGRAM = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"
PICKLE = b"\x80\x04cos\nsystem\n."


def linted(data: bytes) -> Contents:
    return read_bytes(data, "a.astgen", Limits())


def told(data: bytes) -> list[tuple[str, str]]:
    return [(one.rule, one.member) for one in linted(data).findings]


@pytest.mark.parametrize("kind", ["plain", "tensors"])
def test_nothing_is_said_of_what_holds_no_blobs(kind: str) -> None:
    contents = linted(packed(kind))
    assert contents.findings == []
    [subject] = contents.subjects
    assert subject.member == "execution.py"
    assert subject.submod_names == ("piece",) and len(subject.consts or ()) == 1


def test_every_opaque_blob_is_named_with_its_kind() -> None:
    artifact = KINDS["blobs"]
    contents = linted(packed("blobs"))
    opaque = [one for one in contents.findings if "is opaque" in one.message]
    for blob in artifact.blobs.values():
        member = f"blobs/{hashlib.sha256(blob.data).hexdigest()}"
        [one] = [one for one in opaque if one.member == member]
        assert one.rule == "AG608" and repr(blob.kind) in one.message
        assert "trust=True" in one.hint


def test_names_in_a_pickle_among_the_blobs_are_judged() -> None:
    member = f"blobs/{hashlib.sha256(PICKLE).hexdigest()}"
    data = forged(
        {"execution.py": PROGRAM, member: PICKLE}, {"blobs": {"piece": member}}
    )
    assert ("AG610", member) in told(data) and ("AG608", member) in told(data)


def test_a_pickle_that_is_neither_blob_nor_data_is_judged() -> None:
    data = forged({"execution.py": PROGRAM, "extra/more": PICKLE})
    assert ("AG610", "extra/more") in told(data)


def test_bytes_of_a_constant_that_look_like_a_pickle_are_none() -> None:
    raw = pickle.dumps(["x" * 300], 4)
    tensor = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
    data = pack_artifact(replace(KINDS["plain"], consts=[[tensor, raw]]))
    assert raw in data and told(data) == []


def test_the_entry_is_called_as_the_manifest_says() -> None:
    settings = Settings()
    for name in ("stitched", "torch"):
        text = PROGRAM.replace(b"execution_fn", name.encode())
        [subject] = linted(forged({"execution.py": text}, {"entry": name})).subjects
        found = judge(subject, settings, RULES.keys(), most=10)
        assert (found == ()) == (name == "stitched")


def test_damage_is_found_by_the_linter_too() -> None:
    data = packed("tensors")
    at = data.index(b"operator.mul")
    damaged = data[:at] + b"O" + data[at + 1 :]
    assert {rule for rule, _ in told(damaged)} & {"AG601", "AG602"}


def reading(count: int) -> str:
    slots = ", ".join(f"__vllm_consts__[{slot}]" for slot in range(count))
    text = f"def execution_fn(x, *, __vllm_submods__):\n    return (x, {slots})\n"
    return black.format_str(text, mode=black.Mode())


def judged(data: bytes) -> list[str]:
    [subject] = linted(data).subjects
    found = judge(subject, Settings(), ALL_RULES.keys(), most=100)
    return [str(finding) for finding in found]


def test_nothing_is_said_of_constants_that_are_stored() -> None:
    # Tuples and lists hide what is in them: what they hold stands for itself, too.
    constants = list(SAMPLES.values())
    for value in SAMPLES.values():
        constants += value if type(value) in (tuple, list) else ()
    encoded = encode(constants)
    first: dict[str, int] = {}
    for slot, said in enumerate(encoded.slots):
        first.setdefault(said.key, slot)
    constants = [constants[slot] for slot in first.values()]
    code = reading(len(constants))
    artifact = replace(KINDS["plain"], code=code, consts=constants, submod_names=())
    data = pack_artifact(artifact)
    assert told(data) == [] and judged(data) == []
    [subject] = linted(data).subjects
    kinds = {constant.kind for constant in subject.consts or ()}
    assert {"torch.strided", "torch.nn.parameter.Parameter", "torch.Tensor"} <= kinds
    assert {"torch.ops.aten.add.Tensor", "support.things.Colour"} <= kinds


@pytest.mark.parametrize("name", DATA)
def test_data_in_a_pickle_can_be_stored_as_well(name: str) -> None:
    assert encode([SAMPLES[name]]).needs == ()
    cache = {
        "execution_code": reading(1),
        "submod_names": [],
        "consts": [SAMPLES[name]],
    }
    assert not [one for one in judged(pickle.dumps(cache, 4)) if "AG306" in one]


@pytest.mark.parametrize("name", ["enum", "dataclass", "function", "getter", "by name"])
def test_what_a_pickle_finds_by_its_name_is_told_of(name: str) -> None:
    cache = {
        "execution_code": reading(1),
        "submod_names": [],
        "consts": [SAMPLES[name]],
    }
    assert [one for one in judged(pickle.dumps(cache, 4)) if "AG306" in one]


@pytest.mark.parametrize("command", ["inspect", "verify", "lint"])
def test_looking_at_an_artifact_needs_no_torch(command: str, tmp_path) -> None:
    path = tmp_path / "a.astgen"
    path.write_bytes(packed("blobs"))
    program = (
        "import sys\n"
        "from astgen.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    print(sorted({'torch', 'libcst', 'numpy', 'black'} & set(sys.modules)))\n"
    )
    arguments = [sys.executable, "-c", program, command, str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("\n[]\n"), done.stderr
