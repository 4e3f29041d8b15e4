"""Constants by what is in them: equal for equal ones, in any program, in any process.

The keys of a manifest say which constants of one program could share a slot, so two
lists never have the same. To compare programs, what is stored counts, bytes of tensors
included. Nothing is made of it, and nothing here imports torch.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from astgen.errors import ArtifactError
from astgen.store.members import CONSTANTS
from astgen.store.notation import parse_json, write_json

__all__ = ["content_keys", "read_content_keys", "read_document"]

_BYTES = 1 << 26
_DEPTH = 320
"""What loading takes as well."""


def read_content_keys(data: bytes) -> tuple[str, ...]:
    """The keys of the constants of a document that nobody vouches for.

    Args:
        data: Its bytes, as `consts.json` has them.

    Returns:
        A text for each constant, in slot order.

    Raises:
        ArtifactError: It is no list of constants, or too large.
    """
    return content_keys(read_document(data))


def read_document(data: bytes) -> dict[str, Any]:
    """A document that nobody vouches for; of its constants, nothing is made.

    Args:
        data: Its bytes, as `consts.json` has them.

    Returns:
        The document; `slots` is a list.

    Raises:
        ArtifactError: It is no list of constants, or too large.
    """
    if len(data) > _BYTES:
        reason = f"it has {len(data)} bytes, the limit is {_BYTES}"
        raise ArtifactError(reason, path=CONSTANTS, rule="AG005")
    try:
        document = parse_json(data, _DEPTH)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"it is no JSON: {error}", path=CONSTANTS) from error
    if not isinstance(document, dict) or not isinstance(document.get("slots"), list):
        raise ArtifactError("it is no list of constants", path=CONSTANTS)
    return document


def content_keys(document: Any) -> tuple[str, ...]:
    """The keys of the constants of a document.

    Args:
        document: What `astgen.store.codec.encode` makes, or JSON in its place.
    """
    slots, storages = document["slots"], document.get("storages")
    storages = storages if isinstance(storages, list) else []
    before = hashlib.sha256()
    keys = []
    uses = Counter(_numbers(slots))
    # Tensors that share memory are not the same as copies of them.
    storages = [
        {"storage": one, "uses": uses[number]} for number, one in enumerate(storages)
    ]
    for form in slots:
        text = write_json(_whole(form, storages))
        digest = hashlib.sha256(text)
        if b'{"same":' in text:
            # It holds an object that is in a constant before it, or twice in it.
            digest.update(before.digest())
        before.update(text)
        keys.append(digest.hexdigest())
    return tuple(keys)


def _whole(form: Any, storages: Sequence[Any]) -> Any:
    """A form with the storages of its tensors in it, not their numbers."""
    if isinstance(form, list):
        return [_whole(part, storages) for part in form]
    if not isinstance(form, dict):
        return form
    found = {name: _whole(part, storages) for name, part in form.items()}
    tensor = found.get("tensor")
    if isinstance(tensor, dict):
        number = tensor.get("storage")
        if isinstance(number, int) and 0 <= number < len(storages):
            found["tensor"] = {**tensor, "storage": storages[number]}
    return found


def _numbers(form: Any) -> Iterator[int]:
    """The storages that the tensors of a form lie in, each as often as it is used."""
    todo = [form]
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo += part
        elif isinstance(part, dict):
            todo += part.values()
            tensor = part.get("tensor")
            if isinstance(tensor, dict) and isinstance(tensor.get("storage"), int):
                yield tensor["storage"]
