"""What the examples of rules about files are made of; the bytes never change.

Whoever lints imports this with the rules, and makes no example: what only making them
needs is imported then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["PROGRAM", "artifact", "manifest", "trace", "zipped"]

PROGRAM = """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.add(x, 1)
"""
"""A small program without findings."""

_STARTED = (1980, 1, 1, 0, 0, 0)
_HEADER = "V0102 03:04:05.000006 7 astgen/codegen.py:118] "


def zipped(members: Mapping[str, bytes], method: int = 0) -> bytes:
    """A zip archive; the method is a number of the format, 0 for stored."""
    import io
    from zipfile import ZipFile, ZipInfo

    stream = io.BytesIO()
    with ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(ZipInfo(name, _STARTED), data, method)
    return stream.getvalue()


def manifest(
    members: Mapping[str, bytes],
    *,
    names: Sequence[str] = (),
    version: Sequence[int] = (1, 0),
    consts: Sequence[Mapping[str, object]] = (),
) -> bytes:
    """The manifest of an artifact with these members."""
    import hashlib
    import json

    content = {
        "format": "astgen",
        "format_version": list(version),
        "entry": "execution_fn",
        "submod_names": list(names),
        "consts": list(consts),
        "members": {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            for name, data in members.items()
        },
    }
    return json.dumps(content, indent=1).encode()


def artifact(
    code: str = PROGRAM,
    *,
    version: Sequence[int] = (1, 0),
    consts: Sequence[Mapping[str, object]] = (),
) -> bytes:
    """An artifact of astgen that holds a program."""
    members = {"execution.py": code.encode()}
    head = manifest(members, version=version, consts=consts)
    return zipped({"manifest.json": head, **members})


def trace(code: str = PROGRAM, digest: str = "") -> bytes:
    """A trace log of PyTorch with one payload."""
    import hashlib
    import json

    digest = digest or hashlib.md5(code.encode(), usedforsecurity=False).hexdigest()
    record = {
        "artifact": {"name": "vllm_execution_code", "encoding": "string"},
        "has_payload": digest,
    }
    payload = "".join(f"\n\t{line}" for line in code.split("\n"))
    return f"{_HEADER}{json.dumps(record)}{payload}\n".encode()
