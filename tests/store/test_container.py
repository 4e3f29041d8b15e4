"""The container: what is written is a zip archive, and what is read is all of it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.artifacts import KINDS, flips, forged, packed, plain_zip, refuses

from astgen.errors import ArtifactError
from astgen.store import load_artifact
from astgen.store.container import pack, read, write
from astgen.store.limits import Limits

SMALL = packed()
PROGRAM = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"


def manifest_of(parts: dict[str, bytes], **said: object) -> bytes:
    listed = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in parts.items()
    }
    content = {
        "format": "astgen",
        "format_version": [1, 0],
        "entry": "execution_fn",
        "members": listed,
    }
    return json.dumps({**content, **said}).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_other_programs_read_it_as_a_zip_archive(kind: str) -> None:
    data = packed(kind)
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    found = {name: archive.read(name) for name in archive.namelist()}
    manifest = found.pop("manifest.json")
    assert found == dict(read(data).members)
    digest = hashlib.sha256(manifest).hexdigest()
    assert archive.comment == f"sha256:{digest}".encode()
    for info in archive.infolist():
        assert info.compress_type == zipfile.ZIP_STORED and info.extra == b""
        assert info.date_time == (1980, 1, 1, 0, 0, 0)


def test_the_order_in_which_members_are_given_does_not_matter() -> None:
    members = {"execution.py": PROGRAM, "b": b"1", "a": b"2"}
    whole = {**members, "manifest.json": manifest_of(members)}
    assert pack(whole) == pack(dict(reversed(whole.items())))


@pytest.mark.parametrize("bits", [1 << bit for bit in range(8)] + [0xFF])
def test_every_flipped_bit_is_refused(bits: int) -> None:
    assert 3000 < len(SMALL) < 5000
    for damaged in flips(SMALL, iter(range(len(SMALL))), bits):
        assert refuses(read, damaged)


def test_every_flipped_byte_is_refused_when_loading() -> None:
    load_artifact(SMALL)
    for damaged in flips(SMALL, iter(range(len(SMALL))), 0x10):
        assert refuses(load_artifact, damaged)


def test_every_truncation_and_every_beginning_cut_off_is_refused() -> None:
    for length in range(len(SMALL)):
        assert refuses(load_artifact, SMALL[:length])
        assert refuses(load_artifact, SMALL[length + 1 :])


@pytest.mark.parametrize("kind", ["tensors", "blobs"])
def test_flips_of_larger_artifacts_are_refused(kind: str) -> None:
    data, draw = packed(kind), random.Random(6)
    load_artifact(data)
    for _ in range(500):
        [damaged] = flips(
            data, iter([draw.randrange(len(data))]), draw.randrange(1, 256)
        )
        assert refuses(load_artifact, damaged)


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_more_or_less_anywhere_are_refused(kind: str) -> None:
    data, draw = packed(kind), random.Random(7)
    for _ in range(200):
        start = draw.randrange(len(data))
        size = draw.choice([1, 2, 16, 100])
        more = data[:start] + draw.randbytes(size) + data[start:]
        assert refuses(load_artifact, more)
        assert refuses(load_artifact, data[:start] + data[start + size :])
    assert refuses(load_artifact, data + b"\0")
    assert refuses(load_artifact, b"\0" + data)
    assert refuses(load_artifact, data + data)


def test_two_members_that_change_places_are_refused() -> None:
    members = {"execution.py": PROGRAM, "a": b"one", "b": b"two"}
    manifest = manifest_of(members)
    assert read(plain_zip(manifest, members)).members["a"] == b"one"
    for pair in ({"a": b"two", "b": b"one"}, {"a": b"one", "b": b"one"}):
        assert refuses(read, plain_zip(manifest, {**members, **pair}))


def test_another_spelling_of_the_same_members_is_refused() -> None:
    """What a reader of zip archives would accept, and ours could be fooled by."""
    found = zipfile.ZipFile(io.BytesIO(SMALL))
    members = {name: found.read(name) for name in found.namelist()}

    def written(method: int, **more: bytes) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as archive:
            for name, content in {**members, **more}.items():
                archive.writestr(zipfile.ZipInfo(name), content, method)
            archive.comment = found.comment
        return stream.getvalue()

    for data in (
        written(zipfile.ZIP_STORED),
        written(zipfile.ZIP_DEFLATED),
        written(zipfile.ZIP_BZIP2),
        written(zipfile.ZIP_STORED, more=b"unlisted"),
    ):
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
        assert refuses(read, data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused() -> None:
    stream = io.BytesIO(SMALL)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("execution.py", PROGRAM)
    assert refuses(read, stream.getvalue())


@pytest.mark.parametrize(
    ("said", "field", "rule"),
    [
        ({"format_version": [2, 0]}, "format_version", "AG603"),
        ({"members": {}}, "members", "AG607"),
        ({"needs": []}, "needs", "AG601"),
        ({"needs": {"namespaces": "vllm"}}, "needs.namespaces", "AG601"),
        ({"needs": {"paths": [1]}}, "needs.paths", "AG601"),
        ({"environment": {"torch": 2}}, "environment", "AG601"),
        ({"hashes": []}, "hashes", "AG601"),
        ({"producer": 1}, "producer", "AG601"),
        ({"blobs": {"a": "blobs/a"}}, "blobs['a']", "AG607"),
        ({"blobs": {"a": "execution.py"}}, "blobs['a']", "AG607"),
    ],
)
def test_a_manifest_that_says_what_it_may_not_is_refused(
    said: dict[str, object], field: str, rule: str
) -> None:
    members = {"execution.py": PROGRAM}
    data = plain_zip(manifest_of(members, **said), members)
    with pytest.raises(ArtifactError) as caught:
        read(data)
    assert (caught.value.field, caught.value.rule) == (field, rule)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../outside", {}),
        ("/etc/passwd", {}),
        ("ä", {}),
        ("blobs/" + "0" * 64, {"opaque": True, "kind": "x"}),
        ("data/" + "0" * 64, {}),
        ("other", {"opaque": True, "kind": "x"}),
        ("other", {"opaque": True}),
        ("other", {"kind": "x"}),
        ("blobs/" + hashlib.sha256(b"x").hexdigest(), {}),
    ],
)
def test_a_name_or_kind_that_a_member_may_not_have_is_refused(
    name: str, said: dict[str, object]
) -> None:
    members = {"execution.py": PROGRAM, name: b"x"}
    content = json.loads(manifest_of(members))
    content["members"][name].update(said)
    manifest = json.dumps(content).encode()
    safe = {"execution.py": PROGRAM, "x" * len(name.encode()): b"x"}
    assert refuses(read, plain_zip(manifest, safe))
    with pytest.raises(ArtifactError):
        pack({"manifest.json": manifest, **members})


def lying(size: int) -> bytes:
    """A small file in which a member says that it has any number of bytes."""
    members = {"execution.py": PROGRAM, "large": b"x"}
    content = json.loads(manifest_of(members))
    content["members"]["large"]["size"] = size
    return plain_zip(json.dumps(content).encode(), members)


@pytest.mark.parametrize("size", [2, 1 << 30, 1 << 32, 1 << 64, 10**100])
def test_a_declared_length_costs_nothing(size: int) -> None:
    import tracemalloc

    data = lying(size)
    tracemalloc.start()
    try:
        assert refuses(read, data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_declared_length_of_the_manifest_costs_nothing() -> None:
    for size in (len(SMALL), 1 << 30, (1 << 32) - 1):
        data = SMALL[:18] + size.to_bytes(4, "little") * 2 + SMALL[26:]
        assert refuses(read, data)


@pytest.mark.parametrize("brackets", ["[", '{"a":', '["', '[["x[[", '])
def test_a_million_nested_values_are_refused(brackets: str) -> None:
    members = {"execution.py": PROGRAM}
    nested = brackets.encode() * 300_000
    for manifest in (nested, b'{"format": "astgen", "x": ' + nested):
        assert refuses(read, plain_zip(manifest, members))
    # Where the constants are said, the codec has the limits.
    data = forged({"execution.py": PROGRAM, "consts.json": nested})
    assert refuses(load_artifact, data)


def test_limits_are_kept_before_anything_is_parsed() -> None:
    assert refuses(lambda data: read(data, Limits(file_bytes=len(data) - 1)), SMALL)
    assert refuses(lambda data: read(data, Limits(manifest_bytes=100)), SMALL)
    assert refuses(lambda data: read(data, Limits(code_bytes=100)), SMALL)
    assert refuses(lambda data: read(data, Limits(members=1)), SMALL)
    assert read(SMALL, Limits(file_bytes=len(SMALL), members=2)).manifest


def test_what_is_written_is_within_the_limits_of_who_reads() -> None:
    most = Limits().code_bytes
    for size in (most, most + 1):
        code = b"#" * size
        members = {
            "execution.py": code,
            "manifest.json": manifest_of({"execution.py": code}),
        }
        if size == most:
            assert len(read(pack(members)).members["execution.py"]) == most
            continue
        with pytest.raises(
            ArtifactError, match="the limit is .*split the graph"
        ) as one:
            pack(members)
        assert one.value.rule == "AG005"
    manifest = manifest_of({"execution.py": PROGRAM})
    manifest += b" " * (Limits().manifest_bytes - len(manifest))
    assert read(pack({"execution.py": PROGRAM, "manifest.json": manifest}))
    with pytest.raises(ArtifactError, match="the limit is .*use fewer") as one:
        pack({"execution.py": PROGRAM, "manifest.json": manifest + b" "})
    assert one.value.rule == "AG005"


def test_too_many_members_are_refused_with_a_way_out_for_who_writes() -> None:
    parts = {f"extra/{number}": b"" for number in range(Limits().members)}
    parts["execution.py"] = PROGRAM
    with pytest.raises(ArtifactError, match="10001 members") as caught:
        pack({**parts, "manifest.json": manifest_of(parts)})
    assert caught.value.rule == "AG005" and "put tensors together" in caught.value.hint
    del parts["extra/0"]
    assert read(pack({**parts, "manifest.json": manifest_of(parts)}))


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\3\4", b"\0" * 5000, b"\x80\x04."])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError, match="does not begin as an artifact"):
        read(data)


def test_what_is_no_file_is_refused_with_its_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in {
        "missing": "No such file",
        ".": "it is a folder",
        "pipe": "it is a pipe",
        "a\0b": "null byte",
    }.items():
        with pytest.raises(ArtifactError, match=reason) as caught:
            read(f"{tmp_path}/{name}")
        assert caught.value.path == f"{tmp_path}/{name}"
        assert caught.value.rule == "AG004"


def test_a_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.astgen"
    path.write_bytes(SMALL[:-1])
    with pytest.raises(ArtifactError, match="a.astgen: ") as caught:
        load_artifact(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    "members",
    [
        {"execution.py": PROGRAM},
        {"manifest.json": manifest_of({"execution.py": PROGRAM})},
        {
            "manifest.json": manifest_of({"execution.py": PROGRAM}),
            "execution.py": PROGRAM + b"#",
        },
        {
            "manifest.json": manifest_of({"execution.py": PROGRAM}),
            "execution.py": PROGRAM,
            "more": b"",
        },
    ],
)
def test_members_that_do_not_fit_their_manifest_are_not_written(
    members: dict[str, bytes], tmp_path: Path
) -> None:
    with pytest.raises(ArtifactError):
        write(tmp_path / "a", members)
    assert list(tmp_path.iterdir()) == []


def test_reading_needs_neither_torch_nor_libcst(tmp_path: Path) -> None:
    path = tmp_path / "a.astgen"
    path.write_bytes(SMALL)
    program = (
        "import sys\n"
        "from astgen.store.inspect import verify_artifact\n"
        "verify_artifact(sys.argv[1])\n"
        "print({'torch', 'libcst', 'numpy', 'pickle'} & set(sys.modules))\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "set()\n", done.stderr
