"""Manifests of artifacts: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json

import pytest

import astgen
from astgen.errors import ArtifactError
from astgen.lint.rules.samples import manifest
from astgen.store.manifest import Member, Slot, plain
from astgen.store.parsing import parse_manifest

GOOD = json.loads(manifest({"execution.py": b"x"}))


def parsed(**facts: object) -> object:
    return parse_manifest(json.dumps({**GOOD, **facts}).encode())


def test_a_manifest_is_read() -> None:
    found = parse_manifest(manifest({"execution.py": b"x", "a/b": b""}, names=["s"]))
    assert found.version == (1, 0) and found.entry == "execution_fn"
    assert found.submod_names == ("s",) and found.consts == ()
    assert list(found.members) == ["execution.py", "a/b"]
    assert found.members["a/b"] == Member(
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0
    )


def test_later_minor_versions_and_unknown_keys_are_read() -> None:
    slot = {"kind": "k", "shown": "s", "key": "y", "more": 1}
    found = parsed(format_version=[1, 7], new={"x": 1}, consts=[slot])
    assert getattr(found, "version") == (1, 7)
    assert getattr(found, "consts") == (Slot("k", "s", "y"),)


DIGEST = "0" * 64
SLOT = {"kind": "k", "shown": "s", "key": "y"}


@pytest.mark.parametrize(
    ("facts", "field", "rule"),
    [
        ({"format": "pt2"}, "format", "AG601"),
        ({"format_version": [2, 0]}, "format_version", "AG603"),
        ({"format_version": [0, 9]}, "format_version", "AG603"),
        ({"format_version": [1]}, "format_version", "AG601"),
        ({"format_version": [True, 0]}, "format_version", "AG601"),
        ({"format_version": [1, -1]}, "format_version", "AG601"),
        ({"format_version": "1.0"}, "format_version", "AG601"),
        ({"entry": "no name"}, "entry", "AG601"),
        ({"entry": None}, "entry", "AG601"),
        ({"members": []}, "members", "AG601"),
        ({"members": {}}, "members", "AG607"),
        ({"members": {"../x": {}}}, "members['../x']", "AG601"),
        ({"members": {"manifest.json": {}}}, "members['manifest.json']", "AG601"),
        ({"members": {"x": 1}}, "members['x']", "AG601"),
        ({"members": {"x": {"sha256": "0", "size": 1}}}, "members['x']", "AG601"),
        ({"members": {"x": {"sha256": DIGEST, "size": -1}}}, "members['x']", "AG601"),
        ({"members": {"x": {"sha256": DIGEST, "size": 1.0}}}, "members['x']", "AG601"),
        ({"submod_names": "ab"}, "submod_names", "AG601"),
        ({"submod_names": ["a", 1]}, "submod_names[1]", "AG601"),
        ({"consts": 3}, "consts", "AG601"),
        ({"consts": [{"kind": "k"}]}, "consts[0]", "AG601"),
        ({"consts": [{**SLOT, "supplied": 1}]}, "consts[0]", "AG601"),
    ],
)
def test_a_wrong_field_is_named(
    facts: dict[str, object], field: str, rule: str
) -> None:
    with pytest.raises(ArtifactError) as caught:
        parsed(**facts)
    assert (caught.value.field, caught.value.rule) == (field, rule)
    assert str(caught.value).startswith(f"manifest.json: {field}: ")
    assert "save the program again" in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"a": 1, "a": 2}',
        b'{"format": ' + b"[" * 200_000,
        b'{"format": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError) as caught:
        parse_manifest(data)
    assert caught.value.rule == "AG601"


def test_every_truncation_is_refused() -> None:
    data = manifest({"execution.py": b"x"})
    for length in range(len(data)):
        with pytest.raises(ArtifactError):
            parse_manifest(data[:length])


@pytest.mark.parametrize("name", ["execution.py", "submods/0a", "a b", ".hidden"])
def test_plain_names(name: str) -> None:
    assert plain(name)


@pytest.mark.parametrize(
    "name", ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a\\b", "c:a", "a\0", "a\n"]
)
def test_names_that_are_not_plain(name: str) -> None:
    assert not plain(name)


def test_the_error_is_public() -> None:
    assert astgen.ArtifactError is ArtifactError
