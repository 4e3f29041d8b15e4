"""Few bytes of a file do not become very many in memory."""

from __future__ import annotations

import hashlib
import tracemalloc
from typing import Any

import pytest
import torch

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import decode, dumps, encode
from astgen.store.codec.document import MAX_BYTES, loads

DATA = bytes(range(256)) * (1 << 12)
NAME = hashlib.sha256(DATA).hexdigest()
STORAGE = {"device": "cpu", "size": len(DATA), "blob": NAME, "order": "little"}
TENSOR = {"dtype": "uint8", "shape": [1], "stride": [1], "offset": 0}
ARRAY = ["|u1", [len(DATA)], "C", True, {"blob": NAME}]


def document(form: Any, count: int) -> dict[str, Any]:
    return {"slots": [form] * count, "storages": [], "version": 1}


BOMBS: dict[str, dict[str, Any]] = {
    "bytearray": document({"bytearray": {"blob": NAME}}, 1500),
    "bytes": document({"bytes": {"blob": NAME}}, 1500),
    "array": document({"array": ARRAY}, 1500),
    "nested": document({"list": [{"bytearray": {"blob": NAME}}] * 100}, 15),
    "tensors": {
        "slots": [{"tensor": {**TENSOR, "storage": one}} for one in range(1500)],
        "storages": [STORAGE] * 1500,
        "version": 1,
    },
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_blob_that_is_used_too_often_is_refused(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ArtifactError, match="and more in memory") as caught:
            decode(BOMBS[name], {NAME: DATA})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.rule == "AG005"
    assert peak < 300 << 20


def test_what_could_not_be_loaded_is_not_stored() -> None:
    copies: list[Any] = [bytearray(DATA) for _ in range(200)]
    with pytest.raises(ConstantError, match="one object in all places") as caught:
        encode(copies)
    assert 100 < caught.value.slot < 200
    one = bytearray(DATA)
    encoded = encode([one] * 1500)
    assert decode(encoded.document, encoded.blobs)[1499] == DATA


def test_as_many_equal_constants_as_a_model_has_layers_are_kept() -> None:
    masks = [torch.zeros(1 << 20, dtype=torch.uint8) for _ in range(128)]
    encoded = encode(masks)
    loaded = decode(encoded.document, encoded.blobs)
    assert len(loaded) == 128 and loaded[0] is not loaded[1]
    assert loaded[127].eq(0).all() and len(encoded.blobs) == 1


def test_a_document_that_would_not_be_read_is_not_written() -> None:
    text = "x" * (MAX_BYTES - 2)
    assert loads(dumps(text)) == text
    for large in (text + "x", [0] * (1 << 22)):
        with pytest.raises(ArtifactError) as caught:
            dumps(large)
        assert "fewer constants" in caught.value.hint
