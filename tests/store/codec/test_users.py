"""What users add and allow: types, functions, meshes, groups, devices."""

from __future__ import annotations

import dataclasses
import operator
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh

from astgen.check import Dialect
from astgen.emit.resolve import CALL, ByName
from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import (
    DecodePolicy,
    MeshReference,
    check_portable,
    decode,
    dumps,
    encode,
    loads,
    register_constant,
)
from astgen.store.codec import kinds
from support import things


class Point:
    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y


@pytest.fixture
def registry() -> Iterator[None]:
    """Forgets what a test registers."""
    users, tags = dict(kinds._USERS), dict(kinds._TAGS)
    yield
    for kept, now in ((users, kinds._USERS), (tags, kinds._TAGS)):
        now.clear()
        now.update(kept)


@dataclasses.dataclass
class Callback:
    """Data that a program could call."""

    x: int

    def __call__(self) -> None:
        raise AssertionError


def register_point(**options: Any) -> None:
    register_constant(
        Point, "tests.point", lambda p: [p.x, p.y], lambda xy: Point(*xy), **options
    )


def test_a_registered_type_is_stored(registry: None) -> None:
    register_point()
    point, items = Point(1, 2), [3]
    encoded = encode([point, (point, items), items])
    one, (two, inner), outer = decode(loads(dumps(encoded.document)), encoded.blobs)
    assert (one.x, one.y) == (1, 2) and one is two and inner is outer
    assert check_portable([point])[0].status == "portable"


def test_a_registered_type_says_what_it_is_bound_to(registry: None) -> None:
    register_point(bound_to="architecture")
    (answer,) = check_portable([[Point(1, 2)]])
    assert answer.status == "architecture" and "tests.point" in answer.why


def test_what_is_not_registered_here_is_refused(registry: None) -> None:
    register_point()
    document = encode([Point(1, 2)]).document
    kinds._USERS.clear(), kinds._TAGS.pop("tests.point")
    with pytest.raises(ArtifactError, match="'tests.point' is not known"):
        decode(document, {})


@pytest.mark.parametrize(
    ("kind", "tag"),
    [
        (Point, "dtype"),
        (Point, "tests"),
        (Point, "Tests.point"),
        (Point, "tests point.x"),
        (Point, ""),
        (list, "tests.list"),
        (bool, "tests.bool"),
        (torch.Tensor, "tests.tensor"),
    ],
)
def test_what_has_a_meaning_cannot_be_registered(kind: type, tag: str) -> None:
    with pytest.raises(ValueError):
        register_constant(kind, tag, list, list)


def test_nothing_is_registered_twice(registry: None) -> None:
    register_point()
    with pytest.raises(ValueError, match="taken"):
        register_constant(int, "tests.point", list, list)
    with pytest.raises(ValueError, match="settled"):
        register_constant(Point, "tests.other", list, list)
    with pytest.raises(ValueError, match="galaxy"):
        register_constant(dict, "tests.third", list, list, bound_to="galaxy")


def test_errors_of_users_are_ours(registry: None) -> None:
    register_constant(Point, "tests.point", lambda p: p.z, lambda xy: Point(*xy))
    with pytest.raises(ConstantError, match="raised AttributeError"):
        encode([Point(1, 2)])
    for form, reason in ((1, "raised TypeError"), ([1, 2, 3], "raised TypeError")):
        document = {
            "slots": [{"tests.point": {"list": form} if form != 1 else 1}],
            "storages": [],
            "version": 1,
        }
        with pytest.raises(ArtifactError, match=reason):
            decode(document, {})


def test_a_decoder_has_to_make_what_it_is_registered_for(registry: None) -> None:
    register_constant(Point, "tests.point", lambda p: p.x, lambda x: x)
    with pytest.raises(ArtifactError, match="decoded as a int"):
        decode(encode([Point(1, 2)]).document, {})


def test_functions_load_where_they_are_allowed() -> None:
    encoded = encode([things.scale, things.Config])
    needs = (f"{things.__name__}:Config", f"{things.__name__}:scale")
    assert encoded.needs == needs
    for modules in (frozenset(needs), frozenset({things.__name__})):
        policy = DecodePolicy(modules=modules)
        assert decode(encoded.document, {}, policy) == [things.scale, things.Config]
    for modules in (frozenset(needs[:1]), frozenset({"support"})):
        with pytest.raises(ArtifactError, match=f"allow it: .*{needs[1]}"):
            decode(encoded.document, {}, DecodePolicy(modules=modules))


def test_needs_are_what_has_to_be_allowed() -> None:
    constants = [getattr, torch.ops.astgen_tests.bump.default]
    names = [answer.needs for answer in check_portable(constants)]
    assert names == [("builtins:getattr",), ("torch.ops.astgen_tests",)]
    policy = DecodePolicy(
        modules=frozenset(names[0]), namespaces=frozenset({"astgen_tests"})
    )
    made = decode(encode(constants).document, {}, policy)
    assert [one is other for one, other in zip(made, constants)] == [True, True]


@pytest.mark.parametrize(
    "constant",
    [
        things.scale,
        getattr,
        things.Static.scaled,
        operator.attrgetter("logits"),
        operator.methodcaller("tofile"),
        CALL,
        torch.ops.astgen_tests.bump.default,
        ByName(torch, "ops.astgen_tests.op.default"),
        Callback(1),
    ],
    ids=lambda constant: type(constant).__name__,
)
def test_what_is_not_allowed_says_what_would_allow_it(constant: Any) -> None:
    encoded = encode([constant])
    with pytest.raises(ArtifactError) as caught:
        decode(encoded.document, {})
    assert caught.value.rule == "AG306"
    found = re.search(r"DecodePolicy\(.*\)", caught.value.hint)
    assert found is not None
    policy = eval(found[0], {"DecodePolicy": DecodePolicy})
    (made,) = decode(encoded.document, {}, policy)
    assert type(made) is type(constant)
    dialect = re.search(r"Dialect\(.*?\)\)", caught.value.hint)
    if dialect is not None:
        policy = DecodePolicy(
            namespaces=eval(dialect[0], {"Dialect": Dialect}).namespaces
        )
        assert decode(encoded.document, {}, policy)


def test_what_nothing_allows_says_that_and_not_to_save_again() -> None:
    for form in ({"method": ["str", "format"]}, {"operator": "aten.from_file.default"}):
        document = {"slots": [form], "storages": [], "version": 1}
        with pytest.raises(ArtifactError, match="nothing allows that") as caught:
            decode(document, {})
        assert "save the program" not in str(caught.value)


def test_an_operator_that_is_not_there_has_to_be_registered() -> None:
    document = {"slots": [{"operator": "astgen_tests.nothing"}], "storages": []}
    policy = DecodePolicy(namespaces=frozenset({"astgen_tests"}))
    with pytest.raises(ArtifactError, match="here; import what registers it") as caught:
        decode({**document, "version": 1}, {}, policy)
    assert caught.value.rule == "AG504"


_IMPORTS = """
import sys
from astgen.store.codec import DecodePolicy, decode
from astgen.errors import ArtifactError
document = {"slots": [{"enum": ["lent_module:Kind", "A"]}], "storages": [], "version": 1}
try:
    decode(document, {})
except ArtifactError as error:
    print("is not imported" in str(error), "lent_module" in sys.modules)
(made,) = decode(document, {}, DecodePolicy(modules=frozenset({"lent_module"})))
print(made)
document["slots"] = [{"enum": ["broken_module:Kind", "A"]}]
try:
    decode(document, {}, DecodePolicy(modules=frozenset({"broken_module"})))
except ArtifactError as error:
    print(error.rule)
"""


def test_only_allowed_modules_are_imported(tmp_path: Path) -> None:
    code = "import enum\nclass Kind(enum.Enum):\n    A = 1\n"
    (tmp_path / "lent_module.py").write_text(code)
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.split("\n") == ["True False", "Kind.A", "AG604", ""], done.stderr


_WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from astgen.store.codec import decode, encode
from astgen.errors import ArtifactError
import torch
encoded = encode([torch.ones(2), torch.float32, (1, 2.5), dict])
made = decode(encoded.document, encoded.blobs)
print(made[0].tolist(), made[1:3])
try:
    document = {"slots": [{"numpy_dtype": "<f4"}], "storages": [], "version": 1}
    decode(document, {})
except ArtifactError as error:
    print("numpy is not installed" in str(error))
"""


def test_numpy_is_not_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _WITHOUT_NUMPY],
        capture_output=True,
        text=True,
    )
    expected = "[1.0, 1.0] [torch.float32, (1, 2.5)]\nTrue\n"
    assert done.stdout == expected, done.stderr


def test_devices_are_mapped() -> None:
    encoded = encode([torch.device("cuda:7"), torch.ones(2)])
    mapped = DecodePolicy(device_map={"cuda:7": "cuda:1", "cpu": "meta"})
    with pytest.raises(ArtifactError):
        decode(encoded.document, encoded.blobs, DecodePolicy(device_map={"cpu": "x"}))
    device, tensor = decode(encoded.document, encoded.blobs, mapped)
    assert device == torch.device("cuda:1") and tensor.device.type == "meta"


def test_bytes_of_a_device_come_back_to_another() -> None:
    document = encode([torch.ones(2)]).document
    blobs = encode([torch.ones(2)]).blobs
    document["storages"][0]["device"] = "cuda:1"
    policy = DecodePolicy(device_map={"cuda:1": "cpu"})
    assert decode(document, blobs, policy)[0].tolist() == [1.0, 1.0]


@pytest.fixture
def group() -> Iterator[Any]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_groups_are_stored_by_name(group: Any) -> None:
    encoded = encode([group])
    assert check_portable([group])[0].status == "rank"
    assert decode(encoded.document, {})[0] is group
    assert decode(encoded.document, {}, DecodePolicy(groups=lambda _: group)) == [group]
    for found in (lambda _: None, lambda _: 1 / 0):
        with pytest.raises(ArtifactError) as caught:
            decode(encoded.document, {}, DecodePolicy(groups=found))
        assert caught.value.rule == "AG310"


def test_meshes_are_stored_by_their_axes(group: Any) -> None:
    mesh = DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))
    other = DeviceMesh("cpu", [0], mesh_dim_names=("tp",))
    encoded = encode([mesh])
    asked: list[MeshReference] = []

    def find(reference: MeshReference) -> DeviceMesh:
        asked.append(reference)
        return mesh

    assert decode(encoded.document, {}, DecodePolicy(meshes=find)) == [mesh]
    assert asked == [MeshReference("cpu", ("dp", "tp"), (1, 1))]
    assert check_portable([mesh])[0].status == "rank"
    for policy in (DecodePolicy(), DecodePolicy(meshes=lambda _: other)):
        with pytest.raises(ArtifactError) as caught:
            decode(encoded.document, {}, policy)
        assert caught.value.rule == "AG310"


def test_devices_with_an_index_are_told() -> None:
    statuses = [
        answer.status
        for answer in check_portable(
            [torch.device("cuda"), torch.device("cuda:1"), torch.device("cpu:0"), 1]
        )
    ]
    assert statuses == ["portable", "device", "portable", "portable"]
