"""A program with its constants as one file: what goes into it, and how it is written."""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import astgen
from astgen.check import DEFAULT_DIALECT, Dialect, Scan, scan
from astgen.check.judge import OPS
from astgen.check.paths import builtin_namespaces
from astgen.errors import ArtifactError, ConstantError, InvalidProgramError
from astgen.garbage import paused
from astgen.store.codec import Encoded, dumps, encode
from astgen.store.codec.supplied import OR_SUPPLY
from astgen.store.container import pack, write
from astgen.store.contents import content_keys
from astgen.store.facts import current_environment
from astgen.store.hashes import code_hash, content_hash, interface, interface_hash
from astgen.store.manifest import (
    BLOBS,
    DATA,
    VERSION,
    Manifest,
    Member,
    supplied_of,
    write_manifest,
)
from astgen.store.members import CODE, CONSTANTS, MANIFEST, PROVENANCE
from astgen.store.uses import uses_of
from astgen.structure import structure_hash

__all__ = [
    "EXTRA",
    "Artifact",
    "Opaque",
    "names_of",
    "pack_artifact",
    "save_artifact",
]

EXTRA = "extra/"
"""Where the members are that belong to whoever saves."""


@dataclass(frozen=True)
class Opaque:
    """Bytes that only a backend can read, and that may run code when it does.

    Attributes:
        kind: Whose they are, such as `inductor`.
        data: The bytes.
    """

    kind: str
    data: bytes


@dataclass(frozen=True)
class Artifact:
    """What a file holds, or is to hold.

    Attributes:
        code: The source text.
        submod_names: The names of the pieces, in slot order.
        consts: The constants, in slot order.
        dialect: The names and operator namespaces of the text.
        blobs: Opaque bytes by any name, such as that of a piece. Equal ones are
            stored once. Loading gives them only to who says `trust=True`.
        extra: Other bytes by a plain name; nothing here looks into them.
        environment: Where it was written, by field.
        hashes: `content`, `code`, `interface` and `structure`, in a loaded one as the file says
            them: loading works out none of them, `verify_artifact` does.
        withheld: The names of blobs that are there and were not handed out.
        supplied: The slots whose constants are not stored; whoever loads the file
            hands them over.
        provenance: Where the statements come from, as
            `astgen.provenance.write_provenance` writes it; nothing that runs needs it.
    """

    code: str
    submod_names: tuple[str, ...] = ()
    consts: list[Any] = field(default_factory=list)
    dialect: Dialect = DEFAULT_DIALECT
    blobs: Mapping[str, Opaque] = field(default_factory=dict)
    extra: Mapping[str, bytes] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    supplied: tuple[int, ...] = ()
    provenance: bytes | None = field(default=None, repr=False)


def save_artifact(path: str | os.PathLike[str], artifact: Artifact) -> None:
    """Write an artifact; equal ones give equal bytes in equal environments.

    Args:
        path: The file. It is replaced when all of the new one is on the disk.
        artifact: What to write. `environment` is this process's if it is empty;
            `hashes` and `withheld` are not looked at.

    Raises:
        InvalidProgramError: The text is none that could be loaded again.
        ConstantError: A constant cannot be stored.
        ArtifactError: The file cannot be written.
        ValueError: A slot of `supplied` is none.
    """
    write(path, _members(artifact))


def pack_artifact(artifact: Artifact) -> bytes:
    """The bytes that `save_artifact` writes."""
    return pack(_members(artifact))


def names_of(dialect: Dialect) -> dict[str, str]:
    """The names of a dialect that a text and its reader must agree on."""
    names = ("submods", "consts", "inlined")
    return {name: str(getattr(dialect, name)) for name in names}


@paused()
def _members(artifact: Artifact) -> dict[str, bytes]:
    dialect = artifact.dialect
    scanned = scan(
        artifact.code,
        consts=len(artifact.consts),
        submods=len(artifact.submod_names),
        dialect=dialect,
    )
    if scanned.findings or scanned.tree is None:
        raise InvalidProgramError(scanned.findings)
    encoded = _encoded(artifact, scanned.tree)
    members = {
        CODE: artifact.code.encode("utf-8"),
        CONSTANTS: dumps(encoded.document),
        **{DATA + name: data for name, data in encoded.blobs.items()},
        **{EXTRA + name: data for name, data in artifact.extra.items()},
    }
    if artifact.provenance is not None:
        members[PROVENANCE] = artifact.provenance
    listed = {name: _listed(data) for name, data in members.items()}
    blobs = {}
    for name, opaque in artifact.blobs.items():
        said = _listed(opaque.data, opaque.kind)
        blobs[name] = member = BLOBS + said.sha256
        if listed.setdefault(member, said) != said or not opaque.kind:
            raise ArtifactError(
                f"its bytes are of the kind {opaque.kind!r}, and of another one",
                field=f"blobs[{name!r}]",
                hint="say the kind of a blob, the same for the same bytes",
            )
        members[member] = opaque.data
    manifest = Manifest(
        version=VERSION,
        entry=dialect.entry,
        members=listed,
        submod_names=tuple(artifact.submod_names),
        consts=tuple(encoded.slots),
        producer=f"astgen {astgen.__version__}",
        dialect=names_of(dialect),
        namespaces=_foreign(scanned),
        paths=tuple(sorted(scanned.paths & dialect.paths)),
        environment=artifact.environment or current_environment(),
        hashes=_hashes(scanned.tree, scanned.paths, artifact, listed, encoded),
        blobs=blobs,
    )
    return {MANIFEST: write_manifest(manifest), **members}


def _listed(data: bytes, kind: str = "") -> Member:
    return Member(hashlib.sha256(data).hexdigest(), len(data), kind)


def _foreign(scanned: Scan) -> tuple[str, ...]:
    below = {path.split(".")[2] for path in scanned.paths if path.startswith(OPS)}
    return tuple(sorted(below - builtin_namespaces()))


def _encoded(artifact: Artifact, tree: ast.Module) -> Encoded:
    try:
        return encode(artifact.consts, artifact.supplied)
    except ConstantError as error:
        raise ConstantError(
            error.reason,
            error.way_out + OR_SUPPLY.format(slot=error.slot),
            slot=error.slot,
            field=error.field,
            type_name=error.type_name,
            use=str(uses_of(tree, artifact.dialect).get(error.slot, "")),
        ) from error


def _hashes(
    tree: ast.Module,
    paths: Collection[str],
    artifact: Artifact,
    members: Mapping[str, Member],
    encoded: Encoded,
) -> dict[str, str]:
    names, dialect = artifact.submod_names, artifact.dialect
    supplied = supplied_of(encoded.slots)
    found = interface(tree, paths, names, dialect, supplied)
    keys = dict(enumerate(content_keys(encoded.document)))
    return {
        "content": content_hash(members, dialect.entry, names),
        "code": code_hash(tree),
        "interface": interface_hash(found),
        "structure": structure_hash(tree, dialect, keys),
    }
